import HearthSystem
import HearthText
import HearthTokenizer
import Synchronization

/// The output of a generation so far, which an interruption can read at any moment.
final class Transcript: Sendable {
    struct State: Sendable {
        var text = ""
        var tokens: [TokenID] = []
        var promptTokens = 0
        /// What the user has to know about the model before the output.
        var notice: String?
        var thought = ""
        var likelihoods: [TokenLikelihood] = []
        /// Decodes the tokens of `likelihoods`.
        var tokenizer: TextTokenizer?

        /// nil unless requested.
        var logprobs: [LikelihoodRow]? {
            guard let tokenizer, !likelihoods.isEmpty else { return nil }
            return likelihoods.prefix(tokens.count).map { LikelihoodRow($0, tokenizer) }
        }
        var summary: GenerationSummary?
        var firstTokenMS: Double?
        var lastTokenMS: Double?
    }

    private let state = Mutex(State())

    /// Sets the length of the prompt, which is known before any output.
    func begin(promptTokens: Int, _ tokenizer: TextTokenizer, notice: String? = nil) {
        state.withLock { ($0.promptTokens, $0.tokenizer, $0.notice) = (promptTokens, tokenizer, notice) }
    }

    /// Appends the likelihood of the next token.
    func append(_ likelihood: TokenLikelihood) { state.withLock { $0.likelihoods.append(likelihood) } }
    /// Appends thinking, which is not part of the text.
    func append(thought: String) { state.withLock { $0.thought += thought } }
    private let birth = ContinuousClock.now

    /// Whether there is anything to show.
    var hasBegun: Bool { state.withLock { !$0.tokens.isEmpty } }

    /// - Returns: whether it is the first token.
    func append(_ token: TokenID, _ text: String) -> Bool {
        let now = elapsedMS
        return state.withLock { state in
            let isFirst = state.firstTokenMS == nil
            state.tokens.append(token)
            state.text += text
            if isFirst { state.firstTokenMS = now }
            state.lastTokenMS = now
            return isFirst
        }
    }

    func finish(_ summary: GenerationSummary, _ text: String) {
        state.withLock { state in
            state.text += text
            state.summary = summary
        }
    }

    var snapshot: State { state.withLock { $0 } }

    /// The generator's figures; if it was interrupted, those measured here.
    func summary(of state: State) -> GenerationSummary {
        if let summary = state.summary { return summary }
        let first = state.firstTokenMS ?? elapsedMS
        return GenerationSummary(
            promptTokens: state.promptTokens, generatedTokens: state.tokens.count, stop: .cancelled,
            prefillMS: first, decodeMS: (state.lastTokenMS ?? first) - first)
    }

    private var elapsedMS: Double { (ContinuousClock.now - birth).milliseconds }
}
