import HearthRuntime
import HearthText

/// `hearth startup sample`: one start, measured from inside; what `hearth startup` runs for each sample.
struct StartupSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "startup sample",
        abstract: "Starts a model once and prints what that cost.",
        discussion: "Used by 'hearth startup', in a home of its own; logs nothing.",
        examples: [("startup sample --model gemma.gguf --sha256 H", "Prints one JSON object.")])
    static var isHidden: Bool { true }

    @Option(valueName: "M", help: "GGUF file.")
    var model: String
    @Option(valueName: "H", help: "SHA-256 of the file.")
    var sha256: String
    @Option(valueName: "N", help: "Most tokens of prompt and answer together.")
    var context: Int?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var trace: TraceOptions

    mutating func run() async throws {
        try trace.begin()
        let engine = FileTextEngine(
            path: model, contextLength: context, threads: engine.threads, kernels: try EngineOptions.kernels(),
            sha256: sha256)
        let measurement = try await StartupMeasurement.measure(engine) { try await StartupProbe.steadyMS($0) }
        try Output.standard.writeJSON(measurement)
    }
}
