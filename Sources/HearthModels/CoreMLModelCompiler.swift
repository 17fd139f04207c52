internal import Foundation
package import HearthCompute
internal import HearthCoreML
internal import HearthCoreMLFormat
package import HearthDelivery
import HearthRuntime
package import HearthSystem

/// Compiles downloaded Core ML packages.
package struct CoreMLModelCompiler: ModelCompiler {
    let folders: HearthFolders
    let kernels: KernelSet

    package init(folders: HearthFolders, kernels: KernelSet) {
        self.folders = folders
        self.kernels = kernels
    }

    package func validate(_ path: String) throws { _ = try CoreMLPackage(path: path) }

    package func compile(
        _ path: String, sha256: String, progress: (Int, Int) throws -> Void
    ) throws -> CompilationOutcome {
        let compiler = CoreMLCompiler(folders: folders, kernels: kernels)
        let total = compiler.workload(path)
        do {
            let made = try compiler.compile(path, progress: { try progress($0, total) })
            guard made.artifact.profile.modelSHA256 == sha256 else {
                throw FileError.changed(.init(file: path, field: "files"))
            }
            return .compiled
        } catch FileError.changed(let location) {
            throw FileError.changed(location)
        } catch let error as FileError {
            return .notRunnable(reason: error.localizedDescription)
        } catch let error as CoreMLError {
            return .notRunnable(reason: error.localizedDescription)
        }
    }
}

/// The compilers for all kinds of models that can be downloaded.
package enum ModelCompilers {
    package static func all(folders: HearthFolders, kernels: KernelSet) -> [ModelEngineKind: any ModelCompiler] {
        [
            .text: TextModelCompiler(folders: folders, kernels: kernels),
            .coreml: CoreMLModelCompiler(folders: folders, kernels: kernels),
        ]
    }
}
