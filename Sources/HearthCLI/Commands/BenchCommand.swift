import Foundation

/// `hearth bench`: own figures, for scripts that put them beside others'.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures how fast a model runs.",
        discussion: """
            'bench text' measures a language model, 'bench vision' a Core ML package; scripts in Benchmarks put the figures
            beside others'.
            """,
        examples: [
            ("bench text --model gemma.gguf", "Speed of prompts and of decoding."),
            ("bench vision --model Net.mlpackage --runs 50", "Latency of one inference."),
        ])
    static var subcommands: [any ParsableCommand.Type] { [BenchTextCommand.self, BenchVisionCommand.self] }

    mutating func run() async throws {
        throw UsageError("nothing to measure was named", command: "bench", suggestion: "Try 'hearth bench text'.")
    }
}
