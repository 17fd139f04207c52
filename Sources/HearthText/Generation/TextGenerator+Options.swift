internal import Foundation

extension TextGenerator {
    /// How much to generate and how to choose.
    public struct Options: Sendable, Equatable, Codable {
        /// Most tokens to generate, at least 1.
        public var maximumTokens: Int
        /// How the next token is chosen.
        public var sampling: SamplingOptions

        /// Options, each with its default.
        public init(maximumTokens: Int = 512, sampling: SamplingOptions = SamplingOptions()) {
            self.maximumTokens = maximumTokens
            self.sampling = sampling
        }
    }
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

/// One generation in figures.
public struct GenerationSummary: Sendable, Equatable {
    /// Tokens of the prompt, as given.
    public var promptTokens: Int
    /// Generated tokens, without the one that ended the turn.
    public var generatedTokens: Int
    /// Why it ended.
    public var stop: StopReason
    /// From the start to the first generated token.
    public var prefillMS: Double
    /// From the first to the last generated token.
    public var decodeMS: Double

    /// The figures of one generation, also of one that was watched from outside.
    package init(promptTokens: Int, generatedTokens: Int, stop: StopReason, prefillMS: Double, decodeMS: Double) {
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.stop = stop
        self.prefillMS = prefillMS
        self.decodeMS = decodeMS
    }

    /// (generated − 1) / decode time; 0 where fewer than two tokens came.
    public var tokensPerSecond: Double {
        decodeMS > 0 && generatedTokens > 1 ? Double(generatedTokens - 1) / decodeMS * 1000 : 0
    }
}

/// What a generation's stream delivers: tokens with the text they complete, then one summary.
public enum GenerationEvent: Sendable, Equatable {
    /// `text` may be empty while a character is incomplete; all texts together are the answer.
    case token(id: TokenID, text: String)
    /// Always the last event of a stream that did not throw and was not suspended; `text` is what was held back until the
    /// end.
    case finished(GenerationSummary, text: String)
    /// The last event where the model was closed or told to suspend: the text can go on later, on any generator of the
    /// same model. What was held back comes then.
    case suspended(TextProgress)
}

/// How well a model predicts a text.
public struct Score: Sendable, Equatable {
    /// Tokens that were scored.
    public var tokens: Int
    /// Mean negative log-likelihood in nats over the `tokens − 1` predictions; nil for fewer than two tokens.
    public var meanNegativeLogLikelihood: Double?
    /// exp of it.
    public var perplexity: Double? { meanNegativeLogLikelihood.map { Foundation.exp($0) } }
}
