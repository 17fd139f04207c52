package import HearthSystem
public import HearthTokenizer

/// A text in progress: everything that determines its continuation, and nothing that can be recomputed.
///
/// It outlives the model. Any generator of the same model resumes it with the same tokens as without the interruption: the KV
/// cache is recomputed from the tokens, and the kernels give bit-identical results whether a token is computed alone or in a
/// batch.
public struct TextProgress: Sendable, Codable, Equatable {
    /// The prompt, followed by the generated tokens.
    package internal(set) var tokens: [TokenID]
    /// Number of tokens in the prompt.
    package let promptTokens: Int
    /// How much to generate, and how to sample.
    package let options: TextGenerator.Options
    /// Number of leading tokens shared with other texts, such as instructions. Their KV cache is stored next to the model's
    /// artifact and mapped the next time.
    package let prefixTokens: Int
    /// Identity of the model that generated the last part; nil until the text is interrupted.
    package internal(set) var model: String?
    /// State of the random number generator.
    package var random: Xoshiro256
    /// Mirostat's current bound on surprise; nil before the first token.
    var mostSurprise: Double?
    /// Number of leading prompt tokens that did not have to be computed; nil before the text begins.
    var cachedTokens: Int?
    /// Milliseconds spent so far, up to the first generated token.
    package internal(set) var prefillMS = 0.0
    /// Milliseconds spent so far, after the first generated token.
    package internal(set) var decodeMS = 0.0

    /// Creates a text from a prompt. If the options have no seed, one is chosen here.
    public init(prompt: [TokenID], options: TextGenerator.Options, prefixTokens: Int = 0) {
        var options = options
        let seed = options.sampling.seed ?? .random(in: .min ... .max)
        options.sampling.seed = seed
        tokens = prompt
        promptTokens = prompt.count
        self.prefixTokens = min(max(prefixTokens, 0), prompt.count)
        self.options = options
        random = Xoshiro256(seed: seed)
    }

    /// The tokens generated so far.
    package var generated: ArraySlice<TokenID> { tokens[min(promptTokens, tokens.count)...] }

    func summary(_ stop: StopReason) -> GenerationSummary {
        var summary = GenerationSummary(
            promptTokens: promptTokens, generatedTokens: tokens.count - promptTokens, stop: stop, prefillMS: prefillMS,
            decodeMS: decodeMS)
        summary.cachedTokens = cachedTokens ?? 0
        return summary
    }
}
