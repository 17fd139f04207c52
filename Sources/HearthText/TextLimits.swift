/// Upper limits for what a caller may request.
package enum TextLimits {
    /// Tokens per embedded text: without a causal mask, all of them pass through a layer together. EmbeddingGemma was trained
    /// for 2048.
    static let embeddedTokens = 1 << 14
    /// Texts generated concurrently.
    package static let parallelTexts = 64
    /// Tokens in the window of the penalties.
    package static let penaltyWindow = 1 << 16
}
