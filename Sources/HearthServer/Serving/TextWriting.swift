internal import HearthText
internal import Synchronization

/// One text written by a model for a client: pieces as they come, and the figures at the end.
struct TextWriting: Sendable {
    /// How it ended.
    struct Outcome: Sendable, Equatable {
        var usage: TextAnswer.Usage
        /// `stop` or `length`.
        var finish: String
    }

    var model: WarmModel
    /// The text's beginning, once the model is there to encode it.
    var start: @Sendable (LanguageModel) throws -> TextProgress
    var stop: [String]
    var metrics: ServerMetrics

    /// Writes the text.
    /// - Parameter deliver: gets each piece; where it throws, the model stops.
    /// - Throws: what the model throws; `CancellationError` where the client has gone.
    func write(
        within limit: Duration, _ deliver: @escaping @Sendable (String) async throws -> Void
    ) async throws -> Outcome {
        let promptTokens = Mutex(0)
        let session = TextSession(runner: model.runner) { model in
            let progress = try start(model)
            promptTokens.withLock { $0 = progress.promptTokens }
            return progress
        }
        let begun = ContinuousClock.now
        return try await TimeLimit.run(limit) { isOver in
            var matcher = StopMatcher(stop)
            var count = 0
            var finish = "length"
            var isWhole = false
            do {
                for try await event in session.events(pace: model.pace) {
                    switch event {
                    case .began, .paused: break
                    case .token(_, let text):
                        count += 1
                        if count == 1 { metrics.firstToken(after: .now - begun) }
                        metrics.generated(tokens: 1)
                        try await deliver(matcher.feed(text))
                    case .finished(let summary, let text):
                        isWhole = true
                        finish = summary.stop == .end ? "stop" : "length"
                        try await deliver(matcher.feed(text))
                    }
                    if matcher.isStopped { break }
                }
                if matcher.isStopped { finish = "stop" }
                // A stream that ends without its last event was left: by its client, or because its time was up.
                if !isWhole, !matcher.isStopped, !isOver() { throw CancellationError() }
            } catch is CancellationError {
                guard isOver() else { throw CancellationError() }
            }
            try await deliver(matcher.finish())
            let prompt = promptTokens.withLock { $0 }
            metrics.read(tokens: prompt)
            return Outcome(usage: .init(promptTokens: prompt, completionTokens: count), finish: finish)
        }
    }
}
