internal import Foundation
package import HearthCompute
package import HearthCoreML
internal import HearthCoreMLFormat
internal import HearthSystem

/// Opens a model for images: from its compiled artifact where there is one, else from its package, which is compiled in
/// memory then.
package struct CoreMLOpening: Sendable {
    package var threads: Int?
    package var units = ComputeUnits.all
    /// Whether an artifact that was made earlier will do.
    package var usesArtifacts = true
    /// The function of a package whose program has several; nil for the one that the model names.
    package var function: String?

    package init(
        threads: Int? = nil, units: ComputeUnits = .all, usesArtifacts: Bool = true, function: String? = nil
    ) {
        (self.threads, self.units, self.usesArtifacts, self.function) = (threads, units, usesArtifacts, function)
    }

    /// Whether a path is a model for images: a package, a bare model, or a compiled one.
    package static func isVision(_ path: String) -> Bool {
        if path.hasSuffix(".mlmodel") || path.hasSuffix(".mlpackage") || path.hasSuffix(".mlpackage/") { return true }
        let manager = FileManager.default
        return manager.fileExists(atPath: path + "/Manifest.json")
            || manager.fileExists(atPath: path + "/plan.bin") && manager.fileExists(atPath: path + "/artifact.json")
    }

    /// Blocks: call it on a thread of its own.
    /// - Parameter shapes: of inputs, by name. An artifact has shapes of its own; for others the package is compiled anew.
    /// - Returns: also whether it came from an artifact.
    /// - Throws: ``ModelCatalogError/compiledFunction(_:function:)`` for a function of a compiled model, which has only one;
    ///   `CoreMLError`, `FileError`.
    package func session(
        _ path: String, kernels: KernelSet, shapes: [String: [Int]] = [:]
    ) throws -> (session: CoreMLSession, isCompiled: Bool) {
        let threads = threads ?? units.threads
        func misfit(_ session: CoreMLSession) -> CoreMLInterface.Input? {
            session.interface.inputs.first { input in shapes[input.name].map { $0 != input.shape } ?? false }
        }
        if let function {
            guard !CoreMLArtifact.isArtifact(path) else {
                throw ModelCatalogError.compiledFunction(path, function: function)
            }
            let package = try CoreMLPackage(path: path).running(function)
            let model = try CoreMLModel(package, inputShapes: shapes)
            return (try CoreMLSession(model: model, threads: threads, kernels: kernels), false)
        }
        if CoreMLArtifact.isArtifact(path) {
            let artifact = try CoreMLCompiler.open(folder: path)
            let session = try CoreMLSession(artifact: artifact, threads: threads, kernels: kernels)
            if let input = misfit(session) {
                throw CoreMLError.inputShape(
                    name: input.name, expected: input.shape, found: shapes[input.name] ?? [])
            }
            return (session, true)
        }
        if usesArtifacts, let folders = HearthFolders(environment: ProcessInfo.processInfo.environment),
            let artifact = CoreMLCompiler(folders: folders, kernels: kernels).find(path, units: units),
            // One that is damaged is as good as none; the package decides.
            let session = try? CoreMLSession(artifact: artifact, threads: threads, kernels: kernels),
            misfit(session) == nil
        {
            return (session, true)
        }
        let model = try CoreMLModel(path: path, inputShapes: shapes)
        return (try CoreMLSession(model: model, threads: threads, kernels: kernels), false)
    }
}
