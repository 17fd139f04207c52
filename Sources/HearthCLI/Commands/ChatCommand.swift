import Foundation
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText

/// `hearth chat`: a conversation with a model.
struct ChatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Talks with a model, turn by turn.",
        discussion: """
            At a terminal each line is a message, and lines that begin with a slash are commands: /help lists them.
            Ctrl-C stops an answer; at the prompt it ends the program. On a pipe each line of standard input is a
            message, and blank lines are skipped; with --json each answer is one line of JSON.

            Earlier turns are not computed again: cachedTokens is the number of prompt tokens that are reused. If a
            conversation outgrows the context, its oldest exchanges are hidden from the model until a quarter of the
            space is free again; the instructions and the newest turns stay, and a note says so.

            --session keeps the conversation in a file that is written after each turn, and the model's state in
            FILE.kv, written at the end. A damaged file is refused. Another model can continue the conversation; it
            recomputes the text. Every turn uses the same --seed; /regenerate uses the next one.
            """,
        examples: [
            ("chat --model gemma-3-1b-it.gguf --session talk.chat", "Begins a conversation, or continues it."),
            (
                "chat --model gemma --system \"Answer in one sentence.\" --json < questions.txt",
                "Answers one question per line, in JSON Lines."
            ),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "T", help: "System instructions; they replace those of a session.")
    var system: String?
    @Option(valueName: "FILE", help: "Conversation file; created if missing.")
    var session: String?
    @Option(valueName: "N", help: "Context length in tokens, conversation and next answer together; default: 4096.")
    var context: Int?
    @OptionGroup var answer: AnswerOptions
    @OptionGroup var sampling: SamplingFlags
    @OptionGroup var writing: WritingOptions
    @OptionGroup var simulation: DeviceScriptOptions
    @OptionGroup var trace: TraceOptions
    @Flag(help: "Lets a Gemma 4 think before each answer; --json includes the thoughts.")
    var think = false
    @Flag(help: "Prints one JSON object per turn.")
    var json = false

    func validate() throws {
        if answer.logprobs != nil, !json {
            throw UsageError("'--logprobs' goes with --json only", command: "chat")
        }
        try checkPositive("context", context)
    }

    mutating func run() async throws {
        try writing.compute.check()
        try trace.begin(command: "chat", model: model, files: [("--session", session)])
        let isTerminal = isatty(STDIN_FILENO) == 1 && !json
        let restored = try session.flatMap { try ConversationFile(path: $0).read() }
        if let session, restored == nil { try ConversationFile(path: session).write(.init(conversation: .init())) }
        RecentUse.record()
        let monitor = try simulation.monitor()
        let host = try writing.host(
            model, context: context,
            opening: { [system] model in
                // The instructions are processed while the user types the first message.
                guard isTerminal, restored == nil, let system, let template = model.chatTemplate else {
                    throw CancellationError()
                }
                let tokens = try Conversation(instructions: system).sharedTokens(template, model.tokenizer)
                return TextProgress(prompt: tokens, options: .init(), prefixTokens: tokens.count)
            })
        await host.watch(monitor, .printed)
        let known = try await host.runner.withModel { generator in
            guard let template = generator.model.chatTemplate else {
                throw CommandFailure(
                    .invalidInput, "this model cannot chat", at: generator.model.path,
                    todo: "Use an instruction-tuned model, or 'hearth generate --prompt'.")
            }
            return (
                tokenizer: generator.model.tokenizer, defaults: generator.model.samplingDefaults,
                notice: template.notice
            )
        }
        if let notice = known.notice { Output.error.writeLine("hearth: note: " + notice.withVisibleControls) }

        let chat: ChatSession
        if let session, restored != nil {
            chat = try ChatSession(restoring: session, runner: host.runner)
            if let system { await chat.setInstructions(system) }
        } else {
            chat = ChatSession(runner: host.runner, instructions: system)
        }
        await chat.setThinks(think)
        let seed = sampling.seed ?? drawnSeed()
        let options = answer.options(sampling.choice(seed: seed)(known.defaults))
        try options.sampling.validate()
        let turns = ChatTurns(
            chat: chat, options: options, pace: host.pace, tokenizer: known.tokenizer, file: session, json: json,
            seed: seed)
        let interruption = ChatInterruption(chat: chat, survives: isTerminal)
        Interruption.shared.setTaker { interruption.takes($0) }
        var unanswered: CommandFailure?
        if isTerminal {
            try await ChatPrompt(turns: turns, interruption: interruption).run()
        } else {
            unanswered = try await Self.answerLines(turns, interruption)
        }
        if let session { try await chat.save(to: session) }
        await writing.finish(host, context: context)
        if let unanswered { throw unanswered }
    }

    /// Answers one message per line of standard input.
    /// - Returns: an error if messages were too long for the context; those after them are answered.
    private static func answerLines(
        _ turns: ChatTurns, _ interruption: ChatInterruption
    ) async throws -> CommandFailure? {
        let input = LineSource()
        var number = 0
        var tooLong: [(line: Int, limit: Int)] = []
        while let line = try await input.next() {
            number += 1
            switch line {
            case .problem(let what): try turns.tell(problem: what)
            case .text(let text) where text.allSatisfy(\.isWhitespace): break
            case .text(let text):
                interruption.begin()
                if let limit = try await turns.limit(exceededBy: .message(text)) { tooLong.append((number, limit)) }
                if interruption.end() { Interruption.shared.end(.interrupted) }
            }
        }
        guard let first = tooLong.first else { return nil }
        let count = tooLong.count == 1 ? "a message was" : "\(tooLong.count) messages were"
        return CommandFailure(
            .invalidInput, "\(count) too long for the context of \(first.limit) tokens",
            at: "standard input: line \(first.line)", todo: "Use shorter messages, or a longer context (--context).")
    }
}
