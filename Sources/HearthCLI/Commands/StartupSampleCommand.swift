import Foundation
import HearthRuntime
import HearthSystem
import HearthText

/// `hearth startup sample`: one start, measured from inside; what `hearth startup` runs for each sample.
struct StartupSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "startup sample",
        abstract: "Starts a model once and prints its startup times.",
        discussion: "Used by 'hearth startup', with an HEARTH_HOME of its own; logs nothing.",
        examples: [("startup sample --model gemma.gguf", "Prints one JSON object.")])
    static var isHidden: Bool { true }

    @Option(valueName: "M", help: "GGUF file.")
    var model: String
    @Option(valueName: "N", help: "Context length in tokens, prompt and answer together.")
    var context: Int?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var trace: TraceOptions

    mutating func run() async throws {
        try trace.begin()
        let engine = try TextEngine(
            path: model, contextLength: context, threads: engine.threadCount, kernels: try EngineOptions.kernels(),
            folders: HearthFolders(environment: ProcessInfo.processInfo.environment))
        let measurement = try await StartupMeasurement.measure(engine) { try await StartupProbe.steadyMS($0) }
        try Output.standard.writeJSON(measurement)
    }
}
