import HearthModels
import HearthRuntime
import HearthSystem
import HearthText
import HearthTokenizer

/// `hearth generate`: continues a text, or answers with the model's chat template.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Continues a text, or answers a question.",
        discussion: """
            Exactly one of --prompt, --chat and --tokens-file gives the input. Text is printed as it is
            generated. --prompt adds the beginning-of-text token if the model's file asks for it, so that an
            empty prompt lets the model start freely; the ids of --tokens-file are used as they are. Ctrl-C
            keeps what was generated so far.
            With --schema, --grammar, --regex or --choice, the answer always conforms; if --max-tokens cuts it
            off, it is a valid prefix. A schema with an unsupported keyword is refused.
            """,
        examples: [
            (
                "generate --model gemma-3-1b-it.gguf --chat \"Why is the sky blue?\"",
                "Answers a question, using the model's chat template."
            ),
            (
                "generate --model gemma.gguf --prompt \"Once upon a time\" --greedy --max-tokens 50",
                "Continues a text, the same way every time."
            ),
            (
                "generate --model gemma.gguf --chat \"Where is Oslo?\" --schema place.json",
                "Answers with a JSON object that the schema describes."
            ),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "T", help: "Text to continue.")
    var prompt: String?
    @Option(valueName: "T", help: "Message to answer.")
    var chat: String?
    @Option(valueName: "F", help: "File with a JSON array of token ids to continue; - reads standard input.")
    var tokensFile: String?
    @Option(valueName: "T", help: "With --chat: system instructions for the model.")
    var system: String?
    @Flag(help: "With --chat: lets a Gemma 4 think before it answers; --json includes the thoughts.")
    var think = false
    @Flag(help: "With --prompt: reads control tokens such as <start_of_turn> in the text.")
    var special = false
    @Option(
        valueName: "N",
        help: "Context length in tokens; default: 4096, or the prompt plus --max-tokens if that is more.")
    var context: Int?
    @Option(
        valueName: "W",
        help: "When the context is full: stop, or shift, which forgets the middle of the text and continues.")
    var onFull: FullContext = .stop
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var sampling: SamplingFlags
    @OptionGroup var constraint: ConstraintOptions
    @OptionGroup var writing: WritingOptions
    @OptionGroup var simulation: DeviceScriptOptions
    @OptionGroup var trace: TraceOptions
    @Flag(help: "Prints one JSON object at the end.")
    var json = false

    func validate() throws {
        let given = [prompt, chat, tokensFile].count { $0 != nil }
        guard given == 1 else {
            throw UsageError(
                given == 0 ? "nothing to generate from" : "more than one source",
                command: "generate", suggestion: "Pass exactly one of --prompt, --chat and --tokens-file.")
        }
        if tokensFile == "-", constraint.schema == "-" || constraint.grammar == "-" {
            throw UsageError(
                "standard input can be read only once", command: "generate", suggestion: "Pass a file for one of them.")
        }
        if system != nil, chat == nil {
            throw UsageError("'--system' goes with --chat only", command: "generate")
        }
        if think, chat == nil { throw UsageError("'--think' goes with --chat only", command: "generate") }
        if special, prompt == nil {
            throw UsageError("'--special' goes with --prompt only", command: "generate")
        }
        if answer.logprobs != nil, !json {
            throw UsageError("'--logprobs' goes with --json only", command: "generate")
        }
        try checkPositive("context", context)
    }

    mutating func run() async throws {
        try writing.compute.check()
        try trace.begin(
            command: "generate", model: model,
            files: [
                ("--tokens-file", tokensFile), ("--schema", constraint.schema), ("--grammar", constraint.grammar),
            ])
        // Cheap checks come before expensive work.
        let source = PromptSource(
            prompt: prompt, readsControlTokens: special, chat: chat, system: system, thinks: think,
            ids: try tokensFile.map { ($0, try TokenFile.ids($0, option: "--tokens-file")) })
        let constraint = try constraint.constraint()
        RecentUse.record()
        let seed = sampling.seed ?? drawnSeed()
        let transcript = Transcript()
        let start = {
            @Sendable [onFull, options = answer.options(.init()), choice = sampling.choice(seed: seed)]
            (model: TextModel) throws -> TextProgress in
            let (prompt, prefix) = try source.tokens(model)
            transcript.begin(
                promptTokens: prompt.count, model.tokenizer,
                notice: source.chat == nil ? nil : model.chatTemplate?.notice)
            var options = options
            options.sampling = choice(model.samplingDefaults)
            options.constraint = constraint
            options.onFull = onFull
            return TextProgress(prompt: prompt, options: options, prefixTokens: prefix)
        }
        let printer = Printer(transcript: transcript, json: json, seed: seed)
        Interruption.shared.setLastWords { printer.end() }
        let monitor = try simulation.monitor()
        let host = try writing.host(model, context: context, opening: start)
        await host.watch(monitor, .printed)
        let generation = Trace.shared.begin("generate")
        var hasBegun = false
        do {
            for try await event in TextSession(runner: host.runner, start: start).events(pace: host.pace) {
                switch event {
                case .began:
                    // Comes again after each pause.
                    if !hasBegun, let notice = transcript.snapshot.notice {
                        Output.error.writeLine("hearth: note: " + notice.withVisibleControls)
                    }
                    hasBegun = true
                case .paused: break
                case .likelihood(let likelihood): transcript.append(likelihood)
                case .thought(let text): transcript.append(thought: text)
                case .token(let id, let text):
                    if transcript.append(id, text) { Trace.shared.event("first token") }
                    printer.text(text)
                case .finished(let summary, let text):
                    transcript.finish(summary, text)
                    printer.text(text)
                }
            }
        } catch {
            let wasTakenAway = if case RunnerError.unavailable = error { transcript.hasBegun } else { false }
            Interruption.shared.finish { wasTakenAway ? printer.end() : printer.endText() }
            throw error
        }
        Trace.shared.end(generation)
        Interruption.shared.finish { printer.end() }
        await writing.finish(host, context: context)
    }
}

extension GenerateCommand {
    private struct Result: Encodable {
        var text: String
        var tokens: [TokenID]
        var promptTokens: Int
        var stop: String
        var prefillMS: Double
        var decodeMS: Double
        var tokensPerSecond: Double
        var seed: UInt64
        var thought: String?
        var logprobs: [LikelihoodRow]?
        /// With `--on-full shift`: tokens that the model forgot.
        var forgottenTokens: Int?
    }

    /// Prints the answer as text or JSON, also when interrupted.
    private struct Printer: Sendable {
        let transcript: Transcript
        let json: Bool
        let seed: UInt64

        func text(_ text: String) {
            if !json { Output.standard.write(Output.standard.isTerminal ? text.withoutTerminalControls : text) }
        }

        func endText() {
            let text = transcript.snapshot.text
            if !json, !text.isEmpty, text.last?.isNewline != true { Output.standard.write("\n") }
        }

        func end() {
            guard json else { return endText() }
            let state = transcript.snapshot
            let summary = transcript.summary(of: state)
            Output.standard.writeReport(
                Result(
                    text: state.text, tokens: state.tokens, promptTokens: summary.promptTokens,
                    stop: summary.stop.rawValue, prefillMS: summary.prefillMS, decodeMS: summary.decodeMS,
                    tokensPerSecond: summary.tokensPerSecond, seed: seed,
                    thought: state.thought.isEmpty ? nil : state.thought, logprobs: state.logprobs,
                    forgottenTokens: summary.forgottenTokens > 0 ? summary.forgottenTokens : nil))
        }
    }
}

extension String {
    /// The text without control characters, so that a model's output cannot control the terminal.
    package var withoutTerminalControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }))
    }
}
