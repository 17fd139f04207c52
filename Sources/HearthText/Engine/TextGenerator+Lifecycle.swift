internal import HearthCompute

extension TextGenerator {
    /// One real inference. Returning means that the model answers.
    /// - Parameter opening: what to run; the session keeps it, so that a text that begins with it need not run it again. Empty
    ///   for a dummy token.
    /// - Throws: `TextError` where the result is not that of a working model; `CancellationError`.
    func warmUp(_ opening: [TokenID]) async throws {
        let tokens = opening.isEmpty ? [model.tokenizer.vocabulary.special.bos ?? 0] : opening
        try await onSession { [model] session in
            session.reset()
            let logits = try session.logits(after: tokens[...])
            try logits.withRow(0) { row in
                var least = Float.infinity
                var most = -Float.infinity
                for index in row.indices {
                    guard row[index].isFinite else {
                        throw TextError.nonFiniteLogit(index: index, value: "\(row[index])")
                    }
                    least = min(least, row[index])
                    most = max(most, row[index])
                }
                // Weights of nothing but zeros, such as a file that was never written to its end, answer with this.
                guard most > least else { throw TextError.uniformLogits(file: model.path) }
            }
        }
    }

    /// Returns when no generation holds the session and none waits for it, nor the queue this generator.
    func waitUntilIdle() async {
        try? await onSession { _ in }
        await queueIsFree()
    }
}
