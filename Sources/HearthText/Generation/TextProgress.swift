package import HearthSystem
public import HearthTokenizer

/// A text in progress: everything that determines its continuation, and nothing that can be recomputed.
///
/// It outlives the model. Any generator of the same model continues it token for token as if it had never stopped: the KV cache
/// is recomputed from the tokens, and the kernels give the same bits for a token whether it is computed alone or in a batch.
public struct TextProgress: Sendable, Codable, Equatable {
    /// The prompt, then what was generated.
    package internal(set) var tokens: [TokenID]
    /// Tokens of the prompt.
    package let promptTokens: Int
    /// How much to generate and how to choose.
    package let options: TextGenerator.Options
    /// Leading tokens that other texts begin with as well, such as instructions: what is computed of them is kept beside the
    /// model's artifact, and mapped the next time.
    package let prefixTokens: Int
    /// Which model wrote the last of it; nil until it was interrupted.
    package internal(set) var model: String?
    /// Where the random numbers stand.
    package var random: Xoshiro256
    /// Where mirostat's bound on surprise stands; nil before the first token.
    var mostSurprise: Double?
    /// Leading tokens of the prompt that were not computed for this text; nil before it begins.
    var cachedTokens: Int?
    /// Milliseconds that were spent so far, up to the first generated token.
    package internal(set) var prefillMS = 0.0
    /// Milliseconds that were spent so far after it.
    package internal(set) var decodeMS = 0.0

    /// The beginning of a text. If the options have no seed, one is chosen here.
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

    /// What was generated so far.
    package var generated: ArraySlice<TokenID> { tokens[min(promptTokens, tokens.count)...] }

    func summary(_ stop: StopReason) -> GenerationSummary {
        var summary = GenerationSummary(
            promptTokens: promptTokens, generatedTokens: tokens.count - promptTokens, stop: stop, prefillMS: prefillMS,
            decodeMS: decodeMS)
        summary.cachedTokens = cachedTokens ?? 0
        return summary
    }
}
