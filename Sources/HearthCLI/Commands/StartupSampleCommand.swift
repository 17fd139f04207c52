import Foundation
import HearthCoreML
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText

/// `hearth startup sample`: measures one start from inside the process; `hearth startup` runs it for each sample.
struct StartupSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "startup sample",
        abstract: "Starts a model once and prints its startup times.",
        discussion: "Used by 'hearth startup', with a HEARTH_HOME of its own; logs nothing.",
        examples: [("startup sample --model gemma.gguf", "Prints one JSON object.")])
    static var isHidden: Bool { true }

    @Option(valueName: "M", help: "GGUF file or Core ML package.")
    var model: String
    @Option(valueName: "N", help: "Context length in tokens, prompt and answer together.")
    var context: Int?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var compute: ComputeOptions
    @OptionGroup var trace: TraceOptions

    mutating func run() async throws {
        try trace.begin(command: "startup sample", model: model)
        try Output.standard.writeJSON(try await measured())
    }

    private func measured() async throws -> StartupMeasurement {
        let (kernels, threads) = (try engine.kernels(), engine.threadCount)
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        if CoreMLOpening.isVision(model) {
            var engine = try CoreMLEngine(path: model, threads: threads, kernels: kernels, folders: folders)
            engine.requiresArtifact = true
            return try await StartupMeasurement.measure(engine) { try await StartupProbe.steadyMS($0) }
        }
        var engine = try TextEngine(
            path: model, contextLength: context, threads: threads, kernels: kernels, folders: folders)
        engine.compute = compute.compute
        return try await StartupMeasurement.measure(engine) {
            try await StartupProbe.steadyMS($0)
        } weights: {
            await $0.weightTransfer
        }
    }
}
