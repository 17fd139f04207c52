import HearthRuntime
import HearthStory
import HearthSystem
import HearthText
import Synchronization

/// A story on its way to the terminal, to a pipe or into a JSON object.
final class StoryPage: Sendable {
    private struct State {
        var sentences: [String] = []
        var text = ""
        /// Where the next sentence begins; nil where that is between sentences.
        var gap: String?
        var tokens = 0
        var firstTokenMS: Double?
        var lastTokenMS: Double?
        var wrapper: TextWrapper?
        var notice: String?
        var handover: StoryHandover?
        var hasEnded = false
        var runner: ModelRunner<TextEngine>?
        var voice: StoryVoice?
    }

    private struct Result: Encodable {
        struct Change: Encodable {
            var reason: String
            var afterSentences: Int
            @ExplicitNull var story: String?
        }

        @ExplicitNull var wish: String?
        var language: String
        var source: String
        /// Id of the tale or finished story; null where a model told.
        @ExplicitNull var story: String?
        /// Of `--after`; null for a story that is no such evening.
        @ExplicitNull var evening: Int?
        @ExplicitNull var notice: String?
        @ExplicitNull var handover: Change?
        var text: String
        var sentences: [String]
        var tokens: Int
        @ExplicitNull var firstTokenMS: Double?
        @ExplicitNull var firstAudioMS: Double?
        var tokensPerSecond: Double
        var state: String
        var stop: String
        var seed: UInt64
        var report: DeviceRow?
    }

    private let wish: String?
    private let language: StoryLanguage
    private let seed: UInt64
    private let json: Bool
    /// The tale's id where no model was asked to tell.
    private let tale: String??
    private let evening: Int?
    private let state: Mutex<State>
    private let spinner = Spinner()
    /// Longer lines are hard to read.
    static let widestLine = 88

    /// - Parameters:
    ///   - wish: its id; nil for what an adult typed.
    ///   - tale: the id of the tale or story that is told; nil where a model is asked.
    ///   - evening: which one it is with the same friends.
    init(wish: String?, language: StoryLanguage, seed: UInt64, json: Bool, tale: String??, evening: Int?) {
        (self.wish, self.language, self.seed, self.json) = (wish, language, seed, json)
        (self.tale, self.evening) = (tale, evening)
        state = Mutex(State(wrapper: Self.wrapper()))
    }

    private static func wrapper() -> TextWrapper? {
        Terminal(.standard).map { TextWrapper(width: min($0.columns - 1, widestLine)) }
    }

    /// Whose state the end tells.
    var runner: ModelRunner<TextEngine>? {
        get { state.withLock { $0.runner } }
        set { state.withLock { $0.runner = newValue } }
    }

    /// Whose first sound the end tells.
    var voice: StoryVoice? {
        get { state.withLock { $0.voice } }
        set { state.withLock { $0.voice = newValue } }
    }

    /// Whether anything of the story was shown.
    var hasTold: Bool { state.withLock { !$0.sentences.isEmpty } }

    // MARK: - While it is told

    /// The title of the story, and a spinner until its first sentence; on a terminal only.
    func title(_ title: CheckedText) {
        guard !json, let terminal = Terminal(.error) else { return }
        spinner.stop()
        Output.error.write(terminal.dim(title.text.withoutTerminalControls) + "\n\n")
        spinner.start("…", on: terminal)
    }

    /// The model was released for a while: the story pauses, with a spinner on a terminal.
    func pause() {
        guard !json, let terminal = Terminal(.error) else { return }
        spinner.start("…", on: terminal)
    }

    /// One line for the listener, in the story's language.
    func note(_ notice: String) {
        state.withLock { $0.notice = notice }
        aside(notice)
    }

    /// One line beside the story.
    func aside(_ notice: String) {
        spinner.stop()
        beginLine("\n")
        Output.error.writeLine("hearth: note: " + notice.withVisibleControls)
    }

    /// The model tells no further.
    func handOver(_ handover: StoryHandover) {
        spinner.stop()
        let hasTold = state.withLock { state in
            state.handover = handover
            guard handover.story != nil, !state.sentences.isEmpty else { return false }
            state.text += "\n\n"
            return true
        }
        if hasTold { beginLine("\n\n", always: true) }
        if let notice = handover.notice { note(notice.text) }
        if hasTold, Terminal(.error) != nil, !json { Output.error.write("\n") }
    }

    /// Ends the line on the terminal, so that what follows has one of its own.
    private func beginLine(_ gap: String, always: Bool = false) {
        guard !json else { return state.withLock { $0.gap = always ? "" : $0.gap } }
        let breaks = state.withLock { state in
            guard !state.sentences.isEmpty, state.gap == nil, always || state.wrapper != nil else { return false }
            state.gap = ""
            state.wrapper = Self.wrapper()
            return true
        }
        if breaks { Output.standard.write(gap) }
    }

    func progress(_ tokens: Int, at milliseconds: Double) {
        state.withLock { state in
            state.tokens = tokens
            if state.firstTokenMS == nil { state.firstTokenMS = milliseconds }
            state.lastTokenMS = milliseconds
        }
    }

    func add(_ sentence: CheckedText, startsParagraph: Bool) {
        spinner.stop()
        let shown = state.withLock { state -> String? in
            guard !state.hasEnded else { return nil }
            let separator =
                state.sentences.isEmpty ? "" : startsParagraph ? "\n\n" : language.sentenceSeparator
            let isNewStory = state.text.hasSuffix("\n\n")
            state.sentences.append(sentence.text)
            state.text += (isNewStory ? "" : separator) + sentence.text
            let piece = (state.gap ?? separator) + sentence.text
            state.gap = nil
            guard state.wrapper != nil else { return piece }
            return state.wrapper?.wrap(piece.withoutTerminalControls)
        }
        if !json, let shown { Output.standard.write(shown) }
    }

    // MARK: - At its end

    /// Figures for a table of devices.
    func fill(_ row: DeviceRow, _ summary: GenerationSummary?) -> DeviceRow {
        var row = row
        state.withLock { state in
            row.firstTokenMS = state.firstTokenMS
            row.tokensPerSecond = state.tokens > 1 ? figures(state, summary, .end).tokensPerSecond : nil
        }
        row.firstAudioMS = voice?.firstAudioMS
        return row
    }

    /// The end of a story, told to the end or cut short.
    func end(stop: StopReason, _ summary: GenerationSummary? = nil, report: DeviceRow? = nil) {
        spinner.stop()
        let state = state.withLock { state in
            state.hasEnded = true
            return state
        }
        guard json else {
            // A notice may have begun the next line already.
            if !state.sentences.isEmpty, state.gap == nil { Output.standard.write("\n") }
            if let report { Output.standard.write("\n" + report.table) }
            return
        }
        let figures = figures(state, summary, stop)
        try? Output.standard.writeJSON(
            Result(
                wish: wish, language: language.rawValue,
                source: tale != nil || state.handover?.story != nil ? "library" : "model",
                story: state.handover?.story ?? tale ?? nil, evening: evening, notice: state.notice,
                handover: state.handover.map {
                    Result.Change(reason: $0.reason.rawValue, afterSentences: $0.afterSentences, story: $0.story)
                },
                text: state.text, sentences: state.sentences, tokens: figures.generatedTokens,
                firstTokenMS: state.firstTokenMS, firstAudioMS: state.voice?.firstAudioMS,
                tokensPerSecond: figures.tokensPerSecond, state: modelState(state), stop: stop.rawValue, seed: seed,
                report: report))
    }

    /// The generator's own figures, or, where it was cut short, those seen from here.
    private func figures(_ state: State, _ summary: GenerationSummary?, _ stop: StopReason) -> GenerationSummary {
        let first = state.firstTokenMS ?? 0
        return summary
            ?? GenerationSummary(
                promptTokens: 0, generatedTokens: state.tokens, stop: stop, prefillMS: first,
                decodeMS: (state.lastTokenMS ?? first) - first)
    }

    private func modelState(_ state: State) -> String {
        if let runner = state.runner { return runner.state.name }
        return (state.handover == nil ? ModelState.cold : .unavailable(reason: "")).name
    }

    /// An error ends the story: what was told stays, and the error gets a line of its own.
    func abandon() {
        spinner.stop()
        if !json, state.withLock({ !$0.sentences.isEmpty && $0.gap == nil }) { Output.standard.write("\n") }
    }
}
