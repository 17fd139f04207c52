internal import Foundation
package import HearthCompute
package import HearthDelivery
internal import HearthGGUF
package import HearthSystem
internal import HearthText
import HearthTokenizer

/// Compiles downloaded language models.
package struct TextModelCompiler: ModelCompiler {
    let folders: HearthFolders
    let kernels: KernelSet

    package init(folders: HearthFolders, kernels: KernelSet) {
        self.folders = folders
        self.kernels = kernels
    }

    package func validate(_ path: String) throws { _ = try GGUFFile(path: path) }

    package func compile(
        _ path: String, sha256: String, progress: (Int, Int) throws -> Void
    ) throws -> CompilationOutcome {
        let compiler = TextCompiler(folders: folders, kernels: kernels)
        let total = compiler.workload(path)
        do {
            _ = try compiler.compile(path, digest: .verified(sha256), progress: { try progress($0, total) })
            return .compiled
        } catch let error as FileError {
            return .notRunnable(reason: error.localizedDescription)
        } catch let error as TokenizerError {
            return .notRunnable(reason: error.localizedDescription)
        } catch let error as TextError {
            switch error {
            case .staleArtifact, .damagedModel: throw error
            default: return .notRunnable(reason: error.localizedDescription)
            }
        }
    }
}
