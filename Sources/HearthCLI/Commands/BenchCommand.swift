import Foundation

/// `hearth bench`: benchmarks, for scripts that compare Hearth with other programs.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the speed of a model.",
        discussion: """
            'bench text' measures a language model, 'bench vision' a Core ML package, 'bench startup' the start of
            either, 'bench grammar' a constraint. The scripts in Benchmarks compare the figures with those of other
            programs.
            """,
        examples: [
            ("bench text --model gemma.gguf", "Prompt processing and decoding speed."),
            ("bench vision --model Net.mlpackage --runs 50", "Latency of one inference."),
        ])
    static var subcommands: [any ParsableCommand.Type] {
        [BenchTextCommand.self, BenchVisionCommand.self, BenchStartupCommand.self, BenchGrammarCommand.self]
    }

    mutating func run() async throws {
        throw UsageError("nothing to measure", command: "bench", suggestion: "Try 'hearth bench text'.")
    }
}
