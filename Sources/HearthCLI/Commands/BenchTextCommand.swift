import HearthCompute
import HearthText

/// `hearth bench text`: prompt processing and decoding speed, memory, and their drift over minutes.
struct BenchTextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench text",
        abstract: "Measures prompt processing and decoding speed.",
        discussion: """
            Processes prompts of --prompts tokens, and generates --tokens tokens after contexts of --contexts
            tokens. Reports the median of --runs runs; the measurements take turns. With --parallel, several
            texts are written at the same time, and all their tokens count as long as all texts are being
            written; the other numbers are compared with the first. Short texts are repeated until 100 ms were
            measured; without such a time there is no rate but a reason. With --minutes, the model then generates
            without a pause while memory and speed are sampled once a second; the slope shows whether either
            drifts. Energy is reported if the machine can measure it. Ctrl-C prints what was measured so far.
            """,
        examples: [
            ("bench text --model gemma.gguf", "Measures prompt processing and decoding."),
            ("bench text --model gemma.gguf --contexts 128,4096 --kv int8", "Decoding after short and long contexts."),
            (
                "bench text --model gemma.gguf --parallel 1,2,4,8 --no-drafts",
                "Tokens per second of one text, and of several at the same time."
            ),
            ("bench text --model gemma.gguf --minutes 10 --efficiency --json", "Ten minutes of sustained decoding."),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "N", help: "Runs of each measurement.")
    var runs: Int = 3
    @Option(valueName: "N", help: "Tokens to generate in each run.")
    var tokens: Int = 32
    @Option(valueName: "N,N", help: "Prompt lengths in tokens; default: 64,512, or less if the model has less context.")
    var prompts: String?
    @Option(
        valueName: "N,N",
        help: """
            Context lengths, in tokens, after which decoding is measured; default: 128,1024, or less if the model has \
            less.
            """)
    var contexts: String?
    @Option(valueName: "M", help: "Minutes of sustained decoding.")
    var minutes: Float = 0
    @OptionGroup var engine: EngineOptions
    @OptionGroup var compute: ComputeOptions
    @Option(
        valueName: "N,N",
        help: "Batch sizes to time, as in verifying drafts; after the first of --contexts.")
    var steps: String?
    @Option(valueName: "N,N", help: "Texts to write at the same time; after the first of --contexts.")
    var parallel: String?
    @OptionGroup var cache: CacheOptions
    @OptionGroup var drafts: DraftOptions
    @OptionGroup var adapters: AdapterOptions
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        func check<Value: Comparable>(_ name: String, _ value: Value, _ range: ClosedRange<Value>) throws {
            guard !range.contains(value) else { return }
            throw UsageError(
                "'--\(name) \(value)' is out of range: expected \(range.lowerBound) to \(range.upperBound)",
                command: "bench text")
        }
        try check("runs", runs, 1...1000)
        try check("tokens", tokens, 2...100_000)
        try check("minutes", minutes, 0...1440)
        _ = try (prompts.map { try Self.lengths($0, "--prompts") }, contexts.map { try Self.lengths($0, "--contexts") })
        if let parallel, try Self.lengths(parallel, "--parallel").contains(where: { $0 > TextLimits.parallelTexts }) {
            throw UsageError(
                "'--parallel \(parallel)' has more than \(TextLimits.parallelTexts) texts", command: "bench text")
        }
        let most = TextGenerator.mostTokensOfStep
        if let steps, try Self.lengths(steps, "--steps").contains(where: { $0 > most }) {
            throw UsageError("a step of '--steps \(steps)' has more than \(most) tokens", command: "bench text")
        }
    }

    /// Parses comma-separated token counts.
    static func lengths(_ text: String, _ option: String) throws -> [Int] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy({ (1...1_000_000).contains($0) }) else {
            throw UsageError(
                "'\(option) \(text)' is not a list of lengths", command: "bench text",
                suggestion: "Pass positive whole numbers, such as 128,4096.")
        }
        return numbers
    }

    /// The lengths of an option, or the usual ones as far as they fit into `room` tokens.
    private static func lengths(_ text: String?, _ option: String, usual: [Int], room: Int) throws -> [Int] {
        if let text { return try lengths(text, option) }
        return usual.reduce(into: []) { lengths, length in
            let length = max(1, min(length, room))
            if !lengths.contains(length) { lengths.append(length) }
        }
    }

    mutating func run() async throws {
        try compute.check()
        let counts = try steps.map { try Self.lengths($0, "--steps") }
        let added = max(tokens, counts?.max() ?? 0)
        let loaded = try engine.model(model, context: nil)
        let left = loaded.configuration.contextLength - added
        let prompts = try Self.lengths(prompts, "--prompts", usual: [64, 512], room: left)
        let contexts = try Self.lengths(contexts, "--contexts", usual: [128, 1024], room: left)
        let room = max(prompts.max() ?? 0, contexts.max() ?? 0) + added
        guard room <= loaded.configuration.contextLength else {
            throw CommandFailure(
                .invalidInput, "the model was trained for \(loaded.configuration.contextLength) tokens, not \(room)",
                at: "--prompts, --contexts, --tokens", todo: "Pass shorter lengths.")
        }
        let generator = try engine.generator(
            model: loaded, context: room, cache: cache.format, drafts: !drafts.noDrafts,
            adapters: adapters.lora)
        try await compute.apply(to: generator, model: model)
        let bench = TextBench(generator: generator)
        let batches = try parallel.map { try Self.lengths($0, "--parallel") } ?? []
        let together = try batches.max().map {
            try engine.generator(
                model: loaded, context: room, cache: cache.format, drafts: !drafts.noDrafts, parallel: max($0, 2),
                adapters: adapters.lora)
        }
        if let together { try await compute.apply(to: together, model: model) }
        let batch = together.map(TextBench.init(generator:))
        let record = TextRecord(prompts: prompts, contexts: contexts, generator: generator)
        let meter = StepMeter(total: runs + 1)
        defer { meter.clear() }
        let say = { @Sendable [json] in
            meter.clear()
            let figures = record.figures
            if json { Output.standard.writeReport(figures) } else { figures.print(to: .standard) }
        }
        Interruption.shared.setLastWords(say)

        for run in 0...runs {
            meter.show(run, run == 0 ? "warming up" : "run \(run)")
            for (index, length) in prompts.enumerated() {
                let figures = try await bench.run(prompt: length, tokens: 2, seed: run)
                if run > 0 { record.read(index, Double(length) / figures.prefillMS * 1000) }
            }
            for (index, length) in contexts.enumerated() {
                let figures = try await bench.run(prompt: length, tokens: tokens, seed: run)
                if run > 0 { record.wrote(index, figures.tokensPerSecond) }
            }
            for texts in batches {
                let rate = try await batch?.rate(
                    ofTexts: texts, prompt: contexts.first ?? 1, tokens: tokens, seed: run)
                if run > 0 { record.wrote(texts: texts, rate) }
            }
        }
        meter.clear()
        if let counts {
            let times = try await generator.stepMilliseconds(of: counts, behind: contexts.first ?? 1, runs: runs)
            record.stepped(zip(counts, times).map { .init(tokens: $0, milliseconds: TextBench.median($1)) })
        }
        if minutes > 0 {
            record.beginSustained(minutes: Double(minutes))
            try await bench.sustain(minutes: Double(minutes), prompt: min(64, room / 2), note: record.sustained)
        }
        Interruption.shared.finish(say)
    }
}
