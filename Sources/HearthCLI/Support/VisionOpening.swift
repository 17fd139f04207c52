import Foundation
import HearthCompute
import HearthFormats
import HearthSystem
import HearthVision

/// Opens a model for pictures: from its compiled artifact where there is one, else from its package, which is compiled in
/// memory then, and in the background for the next time.
struct VisionOpening {
    var threads: Int?
    var units = ComputeUnits.all

    /// Whether a path is a model for pictures: a package, a bare model, or a compiled one.
    static func isVision(_ path: String) -> Bool {
        if path.hasSuffix(".mlmodel") || path.hasSuffix(".mlpackage") || path.hasSuffix(".mlpackage/") { return true }
        let manager = FileManager.default
        return manager.fileExists(atPath: path + "/Manifest.json")
            || manager.fileExists(atPath: path + "/plan.bin") && manager.fileExists(atPath: path + "/artifact.json")
    }

    /// Whether it is a compiled one's folder.
    static func isArtifact(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/artifact.json") }

    /// Blocks: call it on a thread of its own.
    /// - Returns: also whether it came from an artifact.
    func session(_ path: String, kernels: KernelSet) throws -> (session: VisionSession, isCompiled: Bool) {
        let threads = threads ?? units.threads
        if Self.isArtifact(path) {
            let artifact = try VisionCompiler.open(folder: path)
            return (try VisionSession(artifact: artifact, threads: threads, kernels: kernels), true)
        }
        if let folders = HearthFolders(environment: ProcessInfo.processInfo.environment),
            let artifact = VisionCompiler(folders: folders, kernels: kernels).find(path, units: units),
            // One that is damaged is as good as none; the package decides.
            let session = try? VisionSession(artifact: artifact, threads: threads, kernels: kernels)
        {
            return (session, true)
        }
        return (try VisionSession(model: VisionModel(path: path), threads: threads, kernels: kernels), false)
    }
}

extension ComputeUnits: ExpressibleByArgument {}
extension WeightStorage: ExpressibleByArgument {}
