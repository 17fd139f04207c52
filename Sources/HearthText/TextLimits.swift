/// Limits of what a caller may ask for.
package enum TextLimits {
    /// Tokens of one text that is embedded: without a causal mask all go through a layer together. EmbeddingGemma was trained
    /// for 2048.
    static let embeddedTokens = 1 << 14
    /// Texts that are written at the same time.
    package static let parallelTexts = 64
    /// Tokens that the repetition penalty can look back over.
    package static let penaltyWindow = 1 << 16
}
