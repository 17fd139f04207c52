import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthText

/// `hearth bench text`: speed of prompts and of decoding, memory, and what becomes of both in minutes.
struct BenchTextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench text",
        abstract: "Measures how fast a model reads and writes text.",
        discussion: """
            Prompts of --prompts tokens are read, and --tokens tokens are written behind texts of --contexts tokens: medians
            of --runs runs in turn. With --minutes the model then writes without a pause, and memory and speed are looked at
            once a second: the slope says whether either drifts. Energy is counted where the machine counts it.
            """,
        examples: [
            ("bench text --model gemma.gguf", "Speed of prompts and of decoding."),
            ("bench text --model gemma.gguf --contexts 128,4096 --kv int8", "Decoding behind short and long texts."),
            ("bench text --model gemma.gguf --minutes 10 --efficiency --json", "Ten minutes without a pause."),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "N", help: "Runs of each measurement.")
    var runs: Int = 3
    @Option(valueName: "N", help: "Tokens that are written in each run.")
    var tokens: Int = 32
    @Option(valueName: "N,N", help: "Lengths of prompts.")
    var prompts: String = "64,512"
    @Option(valueName: "N,N", help: "Lengths of texts that are written on.")
    var contexts: String = "128,1024"
    @Option(valueName: "M", help: "Minutes of writing without a pause.")
    var minutes: Float = 0
    @OptionGroup var engine: EngineOptions
    @Option(
        valueName: "N,N",
        help: "Tokens of whole steps to time, as checking a draft computes them; behind the first of --contexts.")
    var steps: String?
    @OptionGroup var cache: CacheOptions
    @OptionGroup var drafts: DraftOptions
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        guard (1...1000).contains(runs), (2...100_000).contains(tokens), (0...1440).contains(minutes) else {
            throw UsageError("--runs, --tokens or --minutes is out of range", command: "bench text")
        }
        _ = try (Self.lengths(prompts, "--prompts"), Self.lengths(contexts, "--contexts"))
        let most = TextGenerator.mostTokensOfStep
        if let steps, try Self.lengths(steps, "--steps").contains(where: { $0 > most }) {
            throw UsageError("a step of '--steps \(steps)' has more than \(most) tokens", command: "bench text")
        }
    }

    /// Numbers of tokens, separated by commas.
    static func lengths(_ text: String, _ option: String) throws -> [Int] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy({ (1...1_000_000).contains($0) }) else {
            throw UsageError(
                "'\(option) \(text)' is no list of lengths", command: "bench text",
                suggestion: "Pass whole numbers from 1 on, such as 128,4096.")
        }
        return numbers
    }

    private struct Result: Encodable {
        struct Prompt: Encodable {
            var tokens: Int
            var tokensPerSecond: Double
        }
        struct Decode: Encodable {
            var context: Int
            var tokensPerSecond: Double
        }
        struct Step: Encodable {
            var tokens: Int
            var milliseconds: Double
        }
        var prefill: [Prompt] = []
        var decode: [Decode] = []
        /// Medians; left out where nobody asked for them.
        var steps: [Step]?
        var kv: String
        var threads: Int
        var kernels: String
        var peakResidentBytes = 0
        var dirtyBytes = 0
        @ExplicitNull var sustained: SustainedRun?
    }

    mutating func run() async throws {
        let prompts = try Self.lengths(prompts, "--prompts"), contexts = try Self.lengths(contexts, "--contexts")
        let counts = try steps.map { try Self.lengths($0, "--steps") }
        let room = max(prompts.max() ?? 0, contexts.max() ?? 0) + max(tokens, counts?.max() ?? 0)
        let loaded = try engine.model(model, context: nil)
        guard room <= loaded.configuration.contextLength else {
            throw CommandFailure(
                .invalidInput, "the model was trained for \(loaded.configuration.contextLength) tokens, not \(room)",
                at: "--prompts, --contexts, --tokens", todo: "Pass shorter lengths.")
        }
        let generator = try engine.generator(
            model: loaded, context: room, cache: cache.format, drafts: !drafts.noDrafts)
        let bench = TextBench(generator: generator)
        let meter = StepMeter(total: runs + 1)
        defer { meter.clear() }

        var read = [[Double]](repeating: [], count: prompts.count)
        var wrote = [[Double]](repeating: [], count: contexts.count)
        for run in 0...runs {
            meter.show(run, run == 0 ? "warming up" : "run \(run)")
            for (index, length) in prompts.enumerated() {
                let figures = try await bench.run(prompt: length, tokens: 2, seed: run)
                if run > 0 { read[index].append(Double(length) / figures.prefillMS * 1000) }
            }
            for (index, length) in contexts.enumerated() {
                let figures = try await bench.run(prompt: length, tokens: tokens, seed: run)
                if run > 0 { wrote[index].append(figures.tokensPerSecond) }
            }
        }
        meter.clear()
        var result = Result(kv: cache.format.rawValue, threads: generator.threads, kernels: generator.kernels.name)
        result.prefill = zip(prompts, read).map { Result.Prompt(tokens: $0, tokensPerSecond: TextBench.median($1)) }
        result.decode = zip(contexts, wrote).map { Result.Decode(context: $0, tokensPerSecond: TextBench.median($1)) }
        if let counts {
            let times = try await generator.stepMilliseconds(of: counts, behind: contexts.first ?? 1, runs: runs)
            result.steps = zip(counts, times).map { Result.Step(tokens: $0, milliseconds: TextBench.median($1)) }
        }
        if minutes > 0 {
            result.sustained = try await bench.sustain(minutes: Double(minutes), prompt: min(64, room / 2))
        }
        let memory = ProcessMemory.current()
        result.peakResidentBytes = memory?.peakResident ?? 0
        result.dirtyBytes = memory?.dirty ?? 0
        if json { try Output.standard.writeJSON(result) } else { print(result) }
    }

    private func print(_ result: Result) {
        let output = Output.standard
        func line(_ format: String, _ values: any CVarArg...) {
            output.writeLine(String(format: format, arguments: values))
        }
        for row in result.prefill { line("prompt of %6d tokens  %9.1f tokens/s", row.tokens, row.tokensPerSecond) }
        for row in result.decode { line("behind    %6d tokens  %9.1f tokens/s", row.context, row.tokensPerSecond) }
        for row in result.steps ?? [] { line("step of   %6d tokens  %9.3f ms", row.tokens, row.milliseconds) }
        line(
            "%d threads, keys and values in %@; %.1f MB at most, %.1f MB of them written", result.threads, result.kv,
            Double(result.peakResidentBytes) / 1e6, Double(result.dirtyBytes) / 1e6)
        guard let run = result.sustained else { return }
        line(
            "%.1f minutes: %d tokens, %.1f tokens/s, last minute over first %.2f; written memory %+.1f KB a minute",
            run.minutes, run.tokens, run.tokensPerSecond, run.steadiness, run.dirtyBytesPerMinute / 1000)
        output.writeLine("energy: \(run.energy)")
    }
}
