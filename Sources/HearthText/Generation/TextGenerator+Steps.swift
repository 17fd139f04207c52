import HearthTokenizer

extension TextGenerator {
    /// Most tokens of a step whose results can be wanted together.
    package static let mostTokensOfStep = GemmaSession.logitStep

    /// How long steps take that compute some tokens together and the logits after each of them, as checking a draft does.
    ///
    /// - Parameters:
    ///   - counts: tokens of a step, 1 to `mostTokensOfStep`; measured in turn.
    ///   - position: tokens of the text in front.
    ///   - runs: how often each is measured.
    /// - Returns: for each count, milliseconds of each run.
    /// - Throws: `TextError.contextOverflow` where that is too long; `CancellationError`.
    package func stepMilliseconds(of counts: [Int], behind position: Int, runs: Int) async throws -> [[Double]] {
        let most = counts.max() ?? 0
        guard position > 0, counts.allSatisfy({ $0 > 0 }), position + most <= contextLength else {
            throw TextError.contextOverflow(tokens: position + most, limit: contextLength)
        }
        let text = (0..<position + most).map { TokenID(4 + $0 * 37 % max(1, model.tokenizer.vocabulary.count - 4)) }
        return try await onSession { session in
            guard most <= session.mostChecked else {
                throw TextError.contextOverflow(tokens: most, limit: session.mostChecked)
            }
            session.resetToOwnMemory()
            try session.prefill(text[..<position])
            var times = [[Double]](repeating: [], count: counts.count)
            for run in 0...max(runs, 0) {
                for (index, count) in counts.enumerated() {
                    let clock = Stopwatch()
                    _ = try session.logits(checking: text[position..<position + count])
                    if run > 0 { times[index].append(clock.milliseconds) }
                    session.takeBack(to: position)
                }
            }
            return times
        }
    }
}
