import HearthTokenizer

extension TextGenerator {
    /// Maximum tokens of a step whose logits can be computed together.
    package static let mostTokensOfStep = GemmaSession.logitStep

    /// Measures steps that compute several tokens and the logits after each, as checking a draft does.
    ///
    /// - Parameters:
    ///   - counts: tokens per step, 1 to `mostTokensOfStep`; measured in turn.
    ///   - position: number of tokens before the step.
    ///   - runs: number of measurements for each count.
    /// - Returns: for each count, the milliseconds of each run.
    /// - Throws: `TextError.contextOverflow` if a step does not fit; `CancellationError`.
    package func stepMilliseconds(of counts: [Int], behind position: Int, runs: Int) async throws -> [[Double]] {
        let most = counts.max() ?? 0
        guard position > 0, counts.allSatisfy({ $0 > 0 }), position + most <= contextLength else {
            throw TextError.contextOverflow(tokens: position + most, limit: contextLength)
        }
        let text = (0..<position + most).map { TokenID(4 + $0 * 37 % max(1, model.tokenizer.vocabulary.count - 4)) }
        return try await onSession { [self] session in
            guard most <= session.mostChecked else {
                throw TextError.contextOverflow(tokens: most, limit: session.mostChecked)
            }
            session.resetToOwnMemory()
            try session.use(usualAdapters())
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
