import HearthStory
import HearthSystem
import HearthText
import Synchronization

/// `hearth story`: tells a bedtime story.
struct StoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Tells a bedtime story.",
        discussion: """
            WISH is an id of 'hearth wishes'; without one it is drawn by the seed. The bundled model writes English; for
            other languages pass a multilingual Gemma. Sentences appear as they are complete. With --json, firstTokenMS
            counts from the start of the command, and seed is what repeats the story.
            """,
        examples: [
            ("story", "Tells a story about a wish drawn at random."),
            ("story friendly-dragon --seed 7", "Tells the same story about a friendly dragon every time."),
            (
                "story sleepy-bear --language es --model gemma-3-1b-it.gguf",
                "Tells a story in Spanish with another model."
            ),
        ])

    @Argument(valueName: "WISH", help: "What the story is about.")
    var wish: String?
    @Option(valueName: "L", help: "Language of the story.")
    var language: StoryLanguage = .english
    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String = ModelLocator.bundled
    @Option(valueName: "N", help: "Same seed, same story; default: drawn at random.")
    var seed: UInt64?
    @Option(valueName: "N", help: "Most tokens of the story.")
    var maxTokens: Int = Storyteller.defaultMaximumTokens
    @OptionGroup var engine: EngineOptions
    @OptionGroup var simulation: DeviceScriptOptions
    @OptionGroup var trace: TraceOptions
    @Flag(help: "Prints one JSON object at the end.")
    var json = false

    func validate() throws {
        try checkPositive("max-tokens", maxTokens)
    }

    mutating func run() async throws {
        let begin = ContinuousClock.now
        try trace.begin()
        let seed = seed ?? drawnSeed()
        let wish = try chosenWish(seed: seed)
        let notices = Notices()
        let page = StoryPage(wish: wish, language: language, seed: seed, json: json, notices: notices)
        Interruption.shared.setLastWords { page.end(stop: .cancelled) }
        page.open()
        RecentUse.record()
        do {
            let opening = Storyteller.opening(wish, in: language, maximumTokens: maxTokens, seed: seed)
            let host = try await ModelHost(
                model, context: nil, threads: engine.threads, monitor: try simulation.monitor(), notices: notices,
                opening: opening)
            page.runner = host.runner
            let storyteller = Storyteller(runner: host.runner, pace: host.pace)
            let telling = Trace.shared.begin("tell")
            defer { Trace.shared.end(telling) }
            for try await event in storyteller.tell(wish, in: language, maximumTokens: maxTokens, seed: seed) {
                switch event {
                case .progress(let tokens):
                    if tokens == 1 { Trace.shared.event("first token") }
                    page.progress(tokens, at: (ContinuousClock.now - begin).milliseconds)
                case .sentence(let text, let startsParagraph):
                    Trace.shared.event("sentence")
                    page.add(text, startsParagraph: startsParagraph)
                case .paused: page.pause()
                case .finished(let summary): Interruption.shared.finish { page.end(stop: summary.stop, summary) }
                }
            }
            await host.logStart()
            await host.compileForNextTime()
        } catch {
            page.abandon(error)
            throw error
        }
    }

    private func chosenWish(seed: UInt64) throws -> Wish {
        guard let id = wish else {
            guard let drawn = Wishes.drawn(by: seed) else {
                throw CommandFailure(
                    .failure, "there are no wishes", todo: "This build is not complete: build it again.")
            }
            return drawn
        }
        guard let found = Wishes.wish(id) else {
            let near = Nearest.match(for: id, in: Wishes.all.map(\.id)).map { "Did you mean '\($0)'? " } ?? ""
            throw UsageError(
                "unknown wish '\(id)'", command: "story", suggestion: near + "'hearth wishes' lists them all.")
        }
        return found
    }
}

extension CommandFailure {
    /// A story that this model cannot tell: another model can.
    init(_ error: StoryError) {
        switch error {
        case .languageNotSpoken(let language, let languages):
            self.init(
                .unavailable, "this model does not write \(language.name)",
                at: "--language \(language.rawValue); the model writes: \(languages.joined(separator: ", "))",
                todo: "Pass --model with a multilingual Gemma, such as gemma-3-1b-it.")
        case .noChatTemplate:
            self.init(
                .invalidInput, "this model does not answer in turns", at: "--model",
                todo: "Pass an instruction-tuned Gemma.")
        }
    }
}
