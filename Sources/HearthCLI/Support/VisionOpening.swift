import Foundation
import HearthCompute
import HearthFormats
import HearthSystem
import HearthVision

/// Opens a model for pictures: from its compiled artifact where there is one, else from its package, which is compiled in
/// memory then.
struct VisionOpening {
    var threads: Int?
    var units = ComputeUnits.all
    /// Whether an artifact that was made earlier will do.
    var usesArtifacts = true

    /// Whether a path is a model for pictures: a package, a bare model, or a compiled one.
    static func isVision(_ path: String) -> Bool {
        if path.hasSuffix(".mlmodel") || path.hasSuffix(".mlpackage") || path.hasSuffix(".mlpackage/") { return true }
        let manager = FileManager.default
        return manager.fileExists(atPath: path + "/Manifest.json")
            || manager.fileExists(atPath: path + "/plan.bin") && manager.fileExists(atPath: path + "/artifact.json")
    }

    /// Blocks: call it on a thread of its own.
    /// - Parameter shapes: of inputs, by name. An artifact has shapes of its own; for others the package is compiled anew.
    /// - Returns: also whether it came from an artifact.
    func session(
        _ path: String, kernels: KernelSet, shapes: [String: [Int]] = [:]
    ) throws -> (session: CoreMLSession, isCompiled: Bool) {
        let threads = threads ?? units.threads
        func misfit(_ session: CoreMLSession) -> CoreMLInterface.Input? {
            session.interface.inputs.first { input in shapes[input.name].map { $0 != input.shape } ?? false }
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

extension ComputeUnits: ExpressibleByArgument {}
extension WeightStorage: ExpressibleByArgument {}
