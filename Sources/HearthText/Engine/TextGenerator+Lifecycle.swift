internal import HearthCompute
import HearthTokenizer

extension TextGenerator {
    /// Runs one real inference to verify that the model works.
    /// - Parameter opening: the prompt to run; its KV cache is kept for texts with the same prefix. nil for a dummy token.
    /// - Throws: `TextError` if the result is not that of a working model; `FileError.changed`; `CancellationError`.
    package func warmUp(_ opening: TextProgress?) async throws {
        let bos = model.tokenizer.vocabulary.special.bos ?? 0
        let isDummy = opening == nil
        let opening = opening ?? TextProgress(prompt: [bos], options: TextGenerator.Options())
        try await onSession { [self] session in
            // The dummy token is not part of any text; the first text would count it as cached.
            defer { if isDummy { session.reset() } }
            do {
                session.reset()
                try session.use(adapters(of: opening))
                bringPrefix(of: opening, session)
                try infer(opening, session)
            } catch is GemmaSession.RowsLost {
                // The prefix cache's file changed in the meantime; the session has unmapped it.
                try infer(opening, session)
            }
        }
    }

    private func infer(_ opening: TextProgress, _ session: GemmaSession) throws {
        let tokens = opening.tokens
        // Always compute the last token: a cached result would not prove that the model works.
        var known = min(session.keep(of: tokens), tokens.count - 1)
        if known < min(opening.prefixTokens, tokens.count - 1) {
            let prefix = min(opening.prefixTokens, tokens.count)
            try session.prefill(tokens[known..<prefix])
            keepPrefix(session)
            known = session.keep(of: tokens)
        }
        let logits = try session.logits(after: tokens[known...])
        try logits.withRow(0) { row in
            try row.requireFinite(row.count, file: model.path)
            var least = Float.infinity
            var most = -Float.infinity
            for index in row.indices {
                least = min(least, row[index])
                most = max(most, row[index])
            }
            // All-zero weights, as in an incompletely written file, give uniform logits.
            guard most > least else { throw TextError.uniformLogits(file: model.path) }
        }
    }

    /// Returns when no generation uses or waits for the session, and the queue holds no more work of this generator.
    package func waitUntilIdle() async {
        try? await onSession { _ in }
        await queueIsFree()
    }
}
