internal import Foundation
public import HearthTokenizer

extension TextGenerator {
    /// How much to generate, and how to sample.
    public struct Options: Sendable, Equatable, Codable {
        /// The maximum number of tokens to generate; with 0 or less, none are.
        public var maximumTokens: Int
        /// How the next token is sampled.
        public var sampling: SamplingOptions
        /// A constraint on the text; nil for none.
        public var constraint: TextConstraint?
        /// Functions that the model may call; replaces the constraint.
        package var tools: ToolRules?

        /// Whether the model is asked to think first; the constraint then applies after the thought.
        package var thinks: Bool {
            get { thinking ?? false }
            set { thinking = newValue ? true : nil }
        }
        private var thinking: Bool?

        /// LoRA adapters to generate with, several at once; nil for those of the generator.
        public var adapters: [TextAdapter]?

        /// What happens when the text fills the context.
        public var onFull: FullContext {
            get { full ?? .stop }
            set { full = newValue == .stop ? nil : newValue }
        }
        /// Optional for compatibility with files of older versions.
        private var full: FullContext?

        /// Strings that end the answer where they appear, however they are split into tokens; they are not part of the output.
        /// The tokens that spell them count as generated.
        public var stop: [String] {
            get { stops ?? [] }
            set { stops = newValue }
        }
        /// Optional for compatibility with files of older versions.
        private var stops: [String]?
        /// Number of alternatives to report with each token's likelihood, before the token (`GenerationEvent.likelihood`); nil
        /// to report no likelihoods.
        public var likelihoods: Int?

        /// Creates options; each has a default.
        public init(
            maximumTokens: Int = 512, sampling: SamplingOptions = SamplingOptions(), constraint: TextConstraint? = nil
        ) {
            self.maximumTokens = maximumTokens
            self.sampling = sampling
            self.constraint = constraint
        }
    }
}

/// What happens to a text that fills the context.
public enum FullContext: String, Sendable, Codable, CaseIterable {
    /// It ends, with the stop reason `.length`.
    case stop
    /// The model forgets the middle of the text, and continues: it keeps the beginning (the prompt if it takes at most a quarter
    /// of the context, otherwise its shared instructions if they do, otherwise four tokens) and the newer half of the rest.
    /// What is kept is computed again at its new positions, exactly as if nothing else had ever been there; that takes as long
    /// as a prompt of half the context.
    case shift
}

/// Why a generation ended.
public enum StopReason: String, Sendable, Codable {
    /// The model ended its turn or the text.
    case end
    /// The token limit or the end of the context was reached.
    case length
    /// The caller cancelled.
    case cancelled
}

/// Statistics of one generation.
public struct GenerationSummary: Sendable, Equatable {
    /// Number of tokens in the prompt.
    public var promptTokens: Int
    /// Leading prompt tokens whose keys and values were cached and not computed again.
    public internal(set) var cachedTokens = 0
    /// Number of generated tokens, without the one that ended the turn.
    public var generatedTokens: Int
    /// Why the generation ended.
    public var stop: StopReason
    /// Tokens in the middle of the text that the model forgot because the context was full.
    package internal(set) var forgottenTokens = 0
    /// Time to first token, in milliseconds.
    public var prefillMS: Double
    /// Milliseconds from the first to the last generated token.
    public var decodeMS: Double

    /// Creates statistics, also for a generation that was measured from outside.
    package init(promptTokens: Int, generatedTokens: Int, stop: StopReason, prefillMS: Double, decodeMS: Double) {
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.stop = stop
        self.prefillMS = prefillMS
        self.decodeMS = decodeMS
    }

    /// The same summary with the stop reason `.cancelled`.
    var cancelled: GenerationSummary {
        var summary = self
        summary.stop = .cancelled
        return summary
    }

    /// Decoding speed, (generated − 1) / decode time; 0 for fewer than two tokens.
    public var tokensPerSecond: Double {
        decodeMS > 0 && generatedTokens > 1 ? Double(generatedTokens - 1) / decodeMS * 1000 : 0
    }
}

/// An event of a generation: tokens with the text they complete, then one summary.
public enum GenerationEvent: Sendable, Equatable {
    /// Likelihood of the next token; only if requested by `TextGenerator.Options.likelihoods`.
    case likelihood(TokenLikelihood)
    /// Reasoning text from before the answer; not part of the answer. Sent before the token that completes it.
    case thought(String)
    /// `text` may be empty while a character is incomplete; the concatenated texts are the answer.
    case token(id: TokenID, text: String)
    /// Always the last event of a stream that neither threw nor was suspended; `text` is what was held back until the end.
    case finished(GenerationSummary, text: String)
    /// The last event if the model was released with ``ModelRunner/ReleasePolicy/cancelInference``, or suspended. A
    /// ``TextSession`` of the same model continues the text, also in another process; text that was held back is part of the
    /// continuation.
    ///
    /// The release cancels the task of ``ModelRunner/withModel(waitingAtMost:retryingFailure:_:)``, and a cancelled task
    /// receives no events: iterate in a task of its own.
    case suspended(TextProgress)
}

/// How well a model predicts a text.
public struct Score: Sendable, Equatable {
    /// Number of tokens scored.
    public var tokens: Int
    /// Mean negative log-likelihood in nats over the `tokens − 1` predictions; nil for fewer than two tokens.
    public var meanNegativeLogLikelihood: Double?
    /// The exponential of the mean negative log-likelihood.
    public var perplexity: Double? { meanNegativeLogLikelihood.map { Foundation.exp($0) } }
}
