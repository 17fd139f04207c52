internal import HearthCompute

extension TextGenerator {
    /// One real inference on a dummy token. Returning means that the model answers.
    /// - Throws: `TextError` where the result is not that of a working model; `CancellationError`.
    func warmUp() async throws {
        let token = model.tokenizer.vocabulary.special.bos ?? 0
        try await onSession { [model] session in
            session.reset()
            defer { session.reset() }
            let logits = try session.logits(after: [token])
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

    /// Returns when no generation holds the session and none waits for it.
    func waitUntilIdle() async { try? await onSession { _ in } }
}
