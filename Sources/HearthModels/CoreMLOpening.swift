internal import Foundation
package import HearthCompute
package import HearthCoreML
internal import HearthCoreMLFormat
internal import HearthSystem

/// Opens a Core ML model for images: from its compiled artifact if there is one, otherwise from its package, which is
/// then compiled in memory.
package struct CoreMLOpening: Sendable {
    package var threads: Int?
    package var units = ComputeUnits.all
    /// Whether an existing artifact may be used.
    package var usesArtifacts = true
    /// A function of a package whose program has several; nil for the model's default.
    package var function: String?

    package init(
        threads: Int? = nil, units: ComputeUnits = .all, usesArtifacts: Bool = true, function: String? = nil
    ) {
        (self.threads, self.units, self.usesArtifacts, self.function) = (threads, units, usesArtifacts, function)
    }

    /// Whether a path is a Core ML model: a package, an `.mlmodel` file, or a compiled artifact.
    package static func isVision(_ path: String) -> Bool {
        if path.hasSuffix(".mlmodel") || path.hasSuffix(".mlpackage") || path.hasSuffix(".mlpackage/") { return true }
        let manager = FileManager.default
        return manager.fileExists(atPath: path + "/Manifest.json")
            || manager.fileExists(atPath: path + "/plan.bin") && manager.fileExists(atPath: path + "/artifact.json")
    }

    /// Opens the model. Blocks: call it on a thread of its own.
    /// - Parameter shapes: of inputs, by name. An artifact has fixed shapes; for others the package is compiled in
    ///   memory.
    /// - Returns: the session, and whether it came from an artifact.
    /// - Throws: ``ModelCatalogError/compiledFunction(_:function:)`` if a function of a compiled model is requested,
    ///   since it has only one; `CoreMLError`, `FileError`.
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
            // A damaged artifact is ignored; the package is used instead.
            let session = try? CoreMLSession(artifact: artifact, threads: threads, kernels: kernels),
            misfit(session) == nil
        {
            return (session, true)
        }
        let model = try CoreMLModel(path: path, inputShapes: shapes)
        return (try CoreMLSession(model: model, threads: threads, kernels: kernels), false)
    }
}
