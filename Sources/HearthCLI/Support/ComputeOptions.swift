import Foundation
import HearthSystem
import HearthText

extension TextCompute: ExpressibleByArgument {}

/// `--compute`: which processor runs the model.
struct ComputeOptions: ParsableArguments {
    @Option(
        valueName: "P",
        help: "Processor that runs the model: cpu, gpu, or auto for the faster one as measured on this device.")
    var compute: TextCompute = .auto

    /// Checked before a model is looked for.
    /// - Throws: why there is no GPU where one is wanted.
    func check() throws { _ = try compute.device() }

    /// Has a GPU run `generator` where one is wanted; a failure in the middle is a note, and the CPU goes on.
    func apply(to generator: TextGenerator) async throws {
        guard let device = try compute.device() else { return }
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        try await generator.useGPU(device, cacheFolder: folders?.cache) { Self.tell($0.localizedDescription) }
    }

    /// Why the CPU goes on.
    static func tell(_ reason: String) {
        Output.error.writeLine("hearth: note: the CPU goes on: " + reason.withVisibleControls)
    }
}
