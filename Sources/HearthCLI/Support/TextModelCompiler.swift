import Foundation
import HearthCompute
import HearthDelivery
import HearthFormats
import HearthSystem
import HearthText

/// Compiles what was pulled with the text engine.
struct TextModelCompiler: ModelCompiler {
    let folders: HearthFolders
    let kernels: KernelSet

    func validate(_ path: String) throws { _ = try GGUFFile(path: path) }

    func compile(_ path: String, progress: @escaping @Sendable (Int, Int) -> Void) throws -> CompilationOutcome {
        let compiler = TextCompiler(folders: folders, kernels: kernels)
        let total = compiler.workload(path)
        do {
            _ = try compiler.compile(path, progress: { progress($0, total) })
            return .compiled
        } catch let error as GGUFError {
            return .notRunnable(reason: error.localizedDescription)
        } catch let error as TextError {
            if case .staleArtifact = error { throw error }
            return .notRunnable(reason: error.localizedDescription)
        }
    }
}
