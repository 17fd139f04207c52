internal import HearthCompute
import HearthTokenizer

extension TextGenerator {
    /// One real inference. Returning means that the model answers.
    /// - Parameter opening: what to run; the session keeps it, so that a text that begins with it need not run it again. Empty
    ///   for a dummy token.
    /// - Throws: `TextError` where the result is not that of a working model; `FileError.changed`; `CancellationError`.
    package func warmUp(_ opening: TextProgress?) async throws {
        let bos = model.tokenizer.vocabulary.special.bos ?? 0
        let isDummy = opening == nil
        let opening = opening ?? TextProgress(prompt: [bos], options: TextGenerator.Options())
        try await onSession { [self] session in
            // No text's beginning: the first one would count it as kept.
            defer { if isDummy { session.reset() } }
            do {
                session.reset()
                bringPrefix(of: opening, session)
                try infer(opening, session)
            } catch is GemmaSession.RowsLost {
                // The file of kept rows was changed meanwhile; the session has let go of it.
                try infer(opening, session)
            }
        }
    }

    private func infer(_ opening: TextProgress, _ session: GemmaSession) throws {
        let tokens = opening.tokens
        // The last token is always run: an answer that was read proves nothing.
        var known = min(session.keep(of: tokens), tokens.count - 1)
        if known < min(opening.prefixTokens, tokens.count - 1) {
            let prefix = min(opening.prefixTokens, tokens.count)
            try session.prefill(tokens[known..<prefix])
            keepPrefix(session)
            known = session.keep(of: tokens)
        }
        let logits = try session.logits(after: tokens[known...])
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

    /// Returns when no generation holds the session and none waits for it, nor the queue this generator.
    package func waitUntilIdle() async {
        try? await onSession { _ in }
        await queueIsFree()
    }
}
