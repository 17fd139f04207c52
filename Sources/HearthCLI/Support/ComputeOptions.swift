import Foundation
import HearthSystem
import HearthText

extension TextCompute: ExpressibleByArgument {}

/// `--compute`: the processor that runs the model.
struct ComputeOptions: ParsableArguments {
    @Option(
        valueName: "P",
        help: "Processor that runs the model: cpu, gpu, or auto (the CPU, because GPUs are not measured yet).")
    var compute: TextCompute = .auto

    /// Checked before the model is located.
    /// - Throws: why a GPU that was requested is not available.
    func check() throws { _ = try compute.device() }

    /// Moves `generator` to a GPU if requested; if the GPU fails later, a note is printed and the CPU takes over.
    func apply(to generator: TextGenerator) async throws {
        guard let device = try compute.device() else { return }
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        try await generator.useGPU(device, cacheFolder: folders?.cache) { Self.tell($0.localizedDescription) }
    }

    /// Reports why the CPU takes over.
    static func tell(_ reason: String) {
        Output.error.writeLine("hearth: note: continuing on the CPU: " + reason.withVisibleControls)
    }
}
