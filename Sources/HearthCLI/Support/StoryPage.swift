import HearthRuntime
import HearthStory
import HearthText
import Synchronization

/// A story on its way to the terminal, to a pipe or into a JSON object.
final class StoryPage: Sendable {
    private struct State {
        var sentences: [String] = []
        var text = ""
        var tokens = 0
        var firstTokenMS: Double?
        var lastTokenMS: Double?
        var wrapper: TextWrapper?
        var hasEnded = false
        var runner: ModelRunner<TextEngine>?
    }

    private struct Result: Encodable {
        var wish: String
        var language: String
        var source = "model"
        @ExplicitNull var notice: String?
        var text: String
        var sentences: [String]
        var tokens: Int
        @ExplicitNull var firstTokenMS: Double?
        @ExplicitNull var firstAudioMS: Double?
        var tokensPerSecond: Double
        var state: String
        var stop: String
        var seed: UInt64
    }

    private let wish: Wish
    private let language: StoryLanguage
    private let seed: UInt64
    private let json: Bool
    private let notices: Notices
    private let state: Mutex<State>
    private let spinner = Spinner()
    /// Lines longer than this tire the eye.
    static let widestLine = 88

    init(wish: Wish, language: StoryLanguage, seed: UInt64, json: Bool, notices: Notices) {
        self.notices = notices
        (self.wish, self.language, self.seed, self.json) = (wish, language, seed, json)
        let columns = Terminal(.standard)?.columns
        let wrapper = columns.map { TextWrapper(width: min($0 - 1, Self.widestLine)) }
        state = Mutex(State(wrapper: wrapper))
    }

    /// The title, and a sign of life until the first sentence; only where somebody watches.
    func open() {
        guard !json, let terminal = Terminal(.error) else { return }
        let title = wish.title(in: language)
        Output.error.write(terminal.dim(title.prefix(1).uppercased() + title.dropFirst()) + "\n\n")
        spinner.start("…", on: terminal)
    }

    /// Whose state the end tells.
    var runner: ModelRunner<TextEngine>? {
        get { state.withLock { $0.runner } }
        set { state.withLock { $0.runner = newValue } }
    }

    /// The model is gone for a while: the story stands still, and says so where somebody watches.
    func pause() {
        guard !json, let terminal = Terminal(.error) else { return }
        spinner.start("…", on: terminal)
    }

    func progress(_ tokens: Int, at milliseconds: Double) {
        state.withLock { state in
            state.tokens = tokens
            if state.firstTokenMS == nil { state.firstTokenMS = milliseconds }
            state.lastTokenMS = milliseconds
        }
    }

    func add(_ sentence: String, startsParagraph: Bool) {
        spinner.stop()
        let shown = state.withLock { state -> String? in
            guard !state.hasEnded else { return nil }
            let separator =
                state.sentences.isEmpty ? "" : startsParagraph ? "\n\n" : language.sentenceSeparator
            state.sentences.append(sentence)
            state.text += separator + sentence
            guard state.wrapper != nil else { return separator + sentence }
            return state.wrapper?.wrap((separator + sentence).withoutTerminalControls)
        }
        if !json, let shown { Output.standard.write(shown) }
    }

    /// The end of a story, told to the end or cut short.
    func end(stop: StopReason, _ summary: GenerationSummary? = nil) {
        spinner.stop()
        let state = state.withLock { state in
            state.hasEnded = true
            return state
        }
        guard json else {
            if !state.sentences.isEmpty { Output.standard.write("\n") }
            return
        }
        // The generator's own figures, or, where it was cut short, those seen from here.
        let first = state.firstTokenMS ?? 0
        let figures =
            summary
            ?? GenerationSummary(
                promptTokens: 0, generatedTokens: state.tokens, stop: stop, prefillMS: first,
                decodeMS: (state.lastTokenMS ?? first) - first)
        try? Output.standard.writeJSON(
            Result(
                wish: wish.id, language: language.rawValue, notice: notices.last, text: state.text,
                sentences: state.sentences, tokens: figures.generatedTokens,
                firstTokenMS: state.firstTokenMS, firstAudioMS: nil,
                tokensPerSecond: figures.tokensPerSecond, state: (state.runner?.state ?? .cold).name,
                stop: stop.rawValue, seed: seed))
    }

    /// An error ends the story: what was told stays, and the error gets a line of its own.
    ///
    /// A story whose model did not come back is an answer all the same.
    func abandon(_ error: any Error) {
        spinner.stop()
        if json, case RunnerError.unavailable = error, state.withLock({ !$0.sentences.isEmpty }) {
            Interruption.shared.finish { end(stop: .cancelled) }
        }
        if !json, !state.withLock({ $0.sentences.isEmpty }) { Output.standard.write("\n") }
    }
}
