import Foundation
import HearthDelivery
import HearthGPU
import HearthModels
import HearthSystem
import HearthText

extension TextCompute: ExpressibleByArgument {}

/// `--compute`: the processor that runs the model.
struct ComputeOptions: ParsableArguments {
    @Option(
        valueName: "P",
        help: """
            Processor that runs the model: cpu, gpu, or auto (a GPU that 'hearth units' measured as faster, \
            otherwise the CPU).
            """)
    var compute: TextCompute = .auto

    /// Checked before the model is located.
    /// - Throws: why a GPU that was requested is not available.
    func check() throws { _ = try compute.device() }

    /// Moves `generator` to a GPU if requested; if the GPU fails later, a note is printed and the CPU takes over.
    /// - Parameter model: the model of `--model`, for `auto`.
    func apply(to generator: TextGenerator, model: String) async throws {
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        if compute == .auto {
            guard let folders, let device = try measured(model, generator, folders) else { return }
            do {
                try await generator.useGPU(device, cacheFolder: folders.cache) { Self.tell($0.localizedDescription) }
            } catch let error as GPUError {
                Self.tell(error.localizedDescription)
            }
            return
        }
        guard let device = try compute.device() else { return }
        try await generator.useGPU(device, cacheFolder: folders?.cache) { Self.tell($0.localizedDescription) }
    }

    /// The GPU that was measured as faster; nil for the CPU.
    private func measured(
        _ model: String, _ generator: TextGenerator, _ folders: HearthFolders
    ) throws -> GPUDeviceInfo? {
        let path = try ModelLocator.using.path(of: model)
        let file = ModelOpening.isFolder(path) ? try TextCompiler.open(folder: path).modelPath : path
        guard let source = SourceIdentity(path: file) else { return nil }
        return ProcessorChooser(
            source: source, cacheFolder: folders.cache, kernels: generator.kernels, threads: generator.threads
        ).choose().device
    }

    /// Reports why the CPU takes over.
    static func tell(_ reason: String) {
        Output.error.writeLine("hearth: note: continuing on the CPU: " + reason.withVisibleControls)
    }
}
