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
    /// Identity of the adapters that it was generated with; nil for none, and until the text is interrupted.
    var adapters: String?
    /// Tokens that no longer fit into the context; nil for none.
    var forgotten: Forgotten?
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

    /// Which tokens the model does not see.
    struct Forgotten: Sendable, Codable, Equatable {
        /// Number of tokens before them.
        var first: Int
        var count: Int
    }

    /// The tokens that the model sees.
    var seen: [TokenID] {
        guard let forgotten, forgotten.first >= 0, forgotten.count >= 0,
            forgotten.first <= tokens.count, forgotten.count <= tokens.count - forgotten.first
        else { return tokens }
        return Array(tokens[..<forgotten.first] + tokens[(forgotten.first + forgotten.count)...])
    }

    /// Makes the model forget the middle of a text that fills the context, if the options say so.
    /// - Parameter seen: the tokens that the model sees.
    /// - Returns: whether it did.
    @discardableResult mutating func makeRoom(in context: Int, seen: inout [TokenID]) -> Bool {
        guard options.onFull == .shift, seen.count > context else { return false }
        let first = min(forgotten?.first ?? beginning(in: context), max(0, context - 1))
        let count = seen.count - first - max(1, (context - first) / 2)
        seen.removeSubrange(first..<first + count)
        forgotten = Forgotten(first: first, count: (forgotten?.count ?? 0) + count)
        return true
    }

    /// Number of tokens at the beginning that are never forgotten.
    private func beginning(in context: Int) -> Int {
        let most = context / 4
        if promptTokens <= most { return promptTokens }
        return prefixTokens > 0 && prefixTokens <= most ? prefixTokens : min(4, most)
    }

    /// The tokens generated so far.
    package var generated: ArraySlice<TokenID> { tokens[min(promptTokens, tokens.count)...] }

    func summary(_ stop: StopReason) -> GenerationSummary {
        var summary = GenerationSummary(
            promptTokens: promptTokens, generatedTokens: tokens.count - promptTokens, stop: stop, prefillMS: prefillMS,
            decodeMS: decodeMS)
        summary.cachedTokens = cachedTokens ?? 0
        summary.forgottenTokens = forgotten?.count ?? 0
        return summary
    }
}
