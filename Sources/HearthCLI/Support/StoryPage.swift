import HearthRuntime
import HearthStory
import HearthSystem
import HearthText
import Synchronization

/// Output of a story to a terminal, a pipe or a JSON object.
final class StoryPage: Sendable {
    private struct State {
        var sentences: [String] = []
        var text = ""
        /// Replaces the separator before the next sentence; nil for the usual one.
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
        /// ID of the tale or finished story; null if a model wrote freely.
        @ExplicitNull var story: String?
        /// The evening of `--after`; null without it.
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
        var verdict: Verdict?

        /// What `--judge` adds.
        struct Verdict: Encodable {
            struct Fault: Encodable {
                var kind: String
                var text: String
                var weight: Double
            }

            var cost: Double
            var faults: [Fault]
        }
    }

    private let wish: String?
    private let language: StoryLanguage
    private let seed: UInt64
    private let json: Bool
    private let tale: String?
    private let isFromLibrary: Bool
    private let evening: Int?
    private let judges: Bool
    private let state: Mutex<State>
    private let spinner = Spinner()
    /// Longer lines are hard to read.
    static let widestLine = 88

    /// - Parameters:
    ///   - wish: its ID; nil for an adult's prompt.
    ///   - tale: ID of the tale or finished story that is told; nil if a model writes freely.
    ///   - isFromLibrary: whether no model is used.
    ///   - evening: number of the evening with the same friends.
    ///   - judges: whether the result contains the judge's verdict.
    init(
        wish: String?, language: StoryLanguage, seed: UInt64, json: Bool, tale: String?, isFromLibrary: Bool,
        evening: Int?, judges: Bool = false
    ) {
        (self.wish, self.language, self.seed, self.json) = (wish, language, seed, json)
        (self.tale, self.isFromLibrary, self.evening, self.judges) = (tale, isFromLibrary, evening, judges)
        state = Mutex(State(wrapper: Self.wrapper()))
    }

    private static func wrapper() -> TextWrapper? {
        Terminal(.standard).map { TextWrapper(width: min($0.columns - 1, widestLine)) }
    }

    /// The runner whose state is reported at the end.
    var runner: ModelRunner<TextEngine>? {
        get { state.withLock { $0.runner } }
        set { state.withLock { $0.runner = newValue } }
    }

    /// The voice whose first sound is reported at the end.
    var voice: StoryVoice? {
        get { state.withLock { $0.voice } }
        set { state.withLock { $0.voice = newValue } }
    }

    /// Whether any part of the story has been shown.
    var hasTold: Bool { state.withLock { !$0.sentences.isEmpty } }

    // MARK: - During the story

    /// Shows the title, and a spinner until the first sentence; only on a terminal.
    func title(_ title: CheckedText) {
        guard !json, let terminal = Terminal(.error) else { return }
        spinner.stop()
        Output.error.write(terminal.dim(title.text.withoutTerminalControls) + "\n\n")
        spinner.start("…", on: terminal)
    }

    /// Pauses the story while the model is released, with a spinner on a terminal.
    func pause() {
        guard !json, let terminal = Terminal(.error) else { return }
        spinner.start("…", on: terminal)
    }

    /// Shows a notice for the listener, in the story's language.
    func note(_ notice: String) {
        state.withLock { $0.notice = notice }
        aside(notice)
    }

    /// Shows a notice that is not part of the story.
    func aside(_ notice: String) {
        spinner.stop()
        beginLine("\n")
        Output.error.writeLine("hearth: note: " + notice.withVisibleControls)
    }

    /// Marks that the model cannot continue the story.
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

    /// Ends the current line on the terminal, so that the following text has its own.
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

    // MARK: - After the story

    /// Fills in the measurements for the table of devices.
    func fill(_ row: DeviceRow, _ summary: GenerationSummary?) -> DeviceRow {
        var row = row
        state.withLock { state in
            row.firstTokenMS = state.firstTokenMS
            row.tokensPerSecond = state.tokens > 1 ? figures(state, summary, .end).tokensPerSecond : nil
        }
        row.firstAudioMS = voice?.firstAudioMS
        return row
    }

    /// Ends the output of a story, whether complete or interrupted.
    func end(stop: StopReason, _ summary: GenerationSummary? = nil, report: DeviceRow? = nil) {
        spinner.stop()
        let state = state.withLock { state in
            state.hasEnded = true
            return state
        }
        guard json else {
            // A notice may have ended the line already.
            if !state.sentences.isEmpty, state.gap == nil { Output.standard.write("\n") }
            if let report { Output.standard.write("\n" + report.table) }
            return
        }
        let figures = figures(state, summary, stop)
        Output.standard.writeReport(
            Result(
                wish: wish, language: language.rawValue,
                source: isFromLibrary || state.handover?.story != nil ? "library" : "model",
                story: state.handover?.story ?? tale, evening: evening, notice: state.notice,
                handover: state.handover.map {
                    Result.Change(reason: $0.reason.rawValue, afterSentences: $0.afterSentences, story: $0.story)
                },
                text: state.text, sentences: state.sentences, tokens: figures.generatedTokens,
                firstTokenMS: state.firstTokenMS, firstAudioMS: state.voice?.firstAudioMS,
                tokensPerSecond: figures.tokensPerSecond, state: modelState(state), stop: stop.rawValue, seed: seed,
                report: report, verdict: judges ? verdict(on: state.text) : nil))
    }

    private func verdict(on text: String) -> Result.Verdict? {
        let verdict = StoryJudge.bundled?.verdict(on: text, wish: wish.flatMap(Wishes.wish), isComplete: true)
        return verdict.map { verdict in
            Result.Verdict(
                cost: verdict.cost,
                faults: verdict.faults.map {
                    Result.Verdict.Fault(kind: $0.kind.rawValue, text: $0.text, weight: $0.weight)
                })
        }
    }

    /// The generator's figures; if it was interrupted, those measured here.
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

    /// Ends the story after an error: the text told so far stays, and the error gets its own line.
    func abandon() {
        spinner.stop()
        if !json, state.withLock({ !$0.sentences.isEmpty && $0.gap == nil }) { Output.standard.write("\n") }
    }
}
