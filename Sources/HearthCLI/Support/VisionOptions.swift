import Foundation
import HearthCompute
import HearthCoreML
import HearthGPU
import HearthImages
import HearthModels
import HearthSystem
import HearthText

/// Options of every command that runs a model on images.
struct VisionOptions: ParsableArguments {
    @Option(valueName: "U", help: "Compute units to use.")
    var computeUnits: ComputeUnits = .all
    @Option(valueName: "N", help: "Number of threads; default: what --compute-units implies.")
    var threads: Int?
    @Option(
        valueName: "P",
        help: "Processor that runs the network: cpu, gpu, or auto (the CPU, because GPUs are not measured yet).")
    var compute: TextCompute = .auto

    func validate() throws {
        if let threads, !(1...1024).contains(threads) {
            throw UsageError("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
    }

    /// The GPU that was requested; nil for the CPU.
    /// - Throws: why it is not available.
    func gpu() throws -> GPUDeviceInfo? { try compute.device() }

    /// Whether a GPU was requested.
    var wantsGPU: Bool { compute == .gpu }

    /// The model of `--model`.
    func host(_ model: String) throws -> ModelHost<CoreMLEngine> {
        try Self.host(model, units: computeUnits, threads: threads, gpu: gpu())
    }

    /// Moves a model that was opened to a GPU; nil leaves it on the CPU.
    func move(_ session: CoreMLSession, to gpu: GPUDeviceInfo?) async throws {
        guard let gpu else { return }
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        try await session.useGPU(gpu, cacheFolder: folders?.cache) { ComputeOptions.tell($0.localizedDescription) }
    }

    /// - Parameter gpu: runs the network; nil for the CPU.
    static func host(
        _ model: String, units: ComputeUnits, threads: Int?, gpu: GPUDeviceInfo?
    ) throws -> ModelHost<CoreMLEngine> {
        try ModelHost(
            model, units: units, threads: threads, kernels: try EngineOptions.kernels(), gpu: gpu,
            onDrift: { ModelOpening.tell($0) }, onGPUFailure: { ComputeOptions.tell($0) })
    }
}

extension CropAndScale: ExpressibleByArgument {}
extension ComputeUnits: ExpressibleByArgument {}
extension WeightStorage: ExpressibleByArgument {}
