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
        help: """
            Processor that runs the network: cpu, gpu, or auto (a GPU that 'hearth units' measured as faster, \
            otherwise the CPU).
            """)
    var compute: TextCompute = .auto

    func validate() throws {
        if let threads, !(1...1024).contains(threads) {
            throw UsageError("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
    }

    /// The GPU of `--compute gpu`; nil for the CPU, and for `auto`.
    /// - Throws: why it is not available.
    func requestedGPU() throws -> GPUDeviceInfo? { try compute.device() }

    /// The GPU that was requested, or that was measured as faster on a model; nil for the CPU.
    /// - Throws: why it is not available.
    func gpu(for model: String) throws -> GPUDeviceInfo? {
        guard compute == .auto else { return try compute.device() }
        let path = try ModelLocator.using.path(of: model)
        let file = CoreMLArtifact.isArtifact(path) ? try CoreMLCompiler.open(folder: path).modelPath : path
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment),
            let source = ModelFiles(path: file)?.identity
        else { return nil }
        return ProcessorChooser(
            source: source, cacheFolder: folders.cache, kernels: try EngineOptions.kernels(),
            threads: threads ?? computeUnits.threads
        ).choose().device
    }

    /// Whether a GPU was requested.
    var wantsGPU: Bool { compute == .gpu }

    /// The model of `--model`.
    func host(_ model: String) throws -> ModelHost<CoreMLEngine> {
        try Self.host(
            model, units: computeUnits, threads: threads, gpu: gpu(for: model), requiresGPU: compute != .auto)
    }

    /// Moves a model that was opened to a GPU; nil leaves it on the CPU.
    func move(_ session: CoreMLSession, to gpu: GPUDeviceInfo?) async throws {
        guard let gpu else { return }
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        do {
            try await session.useGPU(gpu, cacheFolder: folders?.cache) { ComputeOptions.tell($0.localizedDescription) }
        } catch let error as GPUError where compute == .auto {
            ComputeOptions.tell(error.localizedDescription)
        }
    }

    /// - Parameter gpu: runs the network; nil for the CPU.
    static func host(
        _ model: String, units: ComputeUnits, threads: Int?, gpu: GPUDeviceInfo?, requiresGPU: Bool = true
    ) throws -> ModelHost<CoreMLEngine> {
        try ModelHost(
            model, units: units, threads: threads, kernels: try EngineOptions.kernels(), gpu: gpu,
            requiresGPU: requiresGPU, onDrift: { ModelOpening.tell($0) }, onGPUFailure: { ComputeOptions.tell($0) })
    }
}

extension CropAndScale: ExpressibleByArgument {}
extension ComputeUnits: ExpressibleByArgument {}
extension WeightStorage: ExpressibleByArgument {}
