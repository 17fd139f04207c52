internal import Foundation
internal import HearthCompute
public import HearthTokenizer

extension TextGenerator {
    /// Computes the mean negative log-likelihood of `tokens`.
    /// - Parameters:
    ///   - tokens: token ids, used without changes.
    ///   - logits: called with the logits after each token, in order; one value per token of the vocabulary.
    /// - Returns: the score, in nats.
    /// - Throws: ``TextError``, ``FileError/changed(_:)``, and `CancellationError` after ``cancel()``.
    public func score(
        _ tokens: [TokenID], logits: (@Sendable ([Float]) throws -> Void)? = nil
    ) async throws -> Score {
        try await onSession { [self] in try scoreNow(tokens, $0, logits: logits) }
    }

    private func scoreNow(
        _ tokens: [TokenID], _ session: GemmaSession, logits: (([Float]) throws -> Void)?
    ) throws -> Score {
        try model.checkIntact()
        try model.check(tokens, contextLength: contextLength)
        session.resetToOwnMemory()
        try session.use(usualAdapters())
        var index = 0
        var sum = 0.0
        try session.logits(ofEach: tokens[...]) { row in
            index += 1
            if index < tokens.count {
                sum += try row.withRow(0) {
                    try $0.requireFinite($0.count, file: model.path)
                    return negativeLogLikelihood(of: tokens[index], logits: $0)
                }
            }
            // Copied only if requested: a row is about a megabyte.
            if let logits { try logits(row.row(0)) }
        }
        let predictions = tokens.count - 1
        return Score(
            tokens: tokens.count, meanNegativeLogLikelihood: predictions > 0 ? sum / Double(predictions) : nil)
    }

    /// Computes how likely each token of a text was, given those before it.
    /// - Parameter top: number of most likely tokens to report for each.
    /// - Returns: one likelihood for each token but the first.
    /// - Throws: as ``score(_:logits:)``.
    package func likelihoods(of tokens: [TokenID], top: Int) async throws -> [TokenLikelihood] {
        try await onSession { [self] session in
            try model.checkIntact()
            try model.check(tokens, contextLength: contextLength)
            session.resetToOwnMemory()
            try session.use(usualAdapters())
            let count = model.tokenizer.vocabulary.count
            var found: [TokenLikelihood] = []
            try session.logits(ofEach: tokens[...]) { row in
                guard found.count + 1 < tokens.count else { return }
                let token = tokens[found.count + 1]
                let likelihood = try row.withRow(0) {
                    try $0.requireFinite(count, file: model.path)
                    return TokenLikelihood(of: token, top: top, logits: $0, count: count)
                }
                found.append(likelihood)
            }
            return found
        }
    }
}

/// −log softmax(logits)[token] in Double.
private func negativeLogLikelihood(of token: TokenID, logits: Span<Float>) -> Double {
    var maximum = -Float.infinity
    for index in logits.indices { maximum = max(maximum, logits[index]) }
    var sum = 0.0
    for index in logits.indices { sum += exp(Double(logits[index] - maximum)) }
    return log(sum) - Double(logits[Int(token)] - maximum)
}
