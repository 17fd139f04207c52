internal import HearthText
internal import Synchronization

/// One text written by a model for a client: pieces as they come, and the figures at the end.
struct TextWriting: Sendable {
    /// How it ended.
    struct Outcome: Sendable, Equatable {
        var usage: TextAnswer.Usage
        /// `stop`, `length` or `content_filter`.
        var finish: String
    }

    var model: WarmModel
    /// The text's beginning, once the model is there to encode it.
    var start: @Sendable (TextModel) throws -> TextProgress
    var stop: [String]
    /// Stands between model and client where the answer is filtered.
    var gate: SentenceGate?
    var metrics: ServerMetrics
    /// Ends the text where the server ends.
    var closing: ServerClosing

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
        return try await TimeLimit.run(limit, orUntil: closing) { isOver in
            let listener = TextCancellation(onLateToken: { metrics.lateToken() })
            // Told at once, by whoever cancels: this task may be busy with something else just then.
            var outcome = try await withTaskCancellationHandler {
                try await follow(session.events(pace: model.pace, listener: listener), isOver, deliver)
            } onCancel: {
                listener.leave()
            }
            outcome.usage.promptTokens = promptTokens.withLock { $0 }
            metrics.read(tokens: outcome.usage.promptTokens)
            return outcome
        }
    }

    private func follow(
        _ events: AsyncThrowingStream<TextSession.Event, any Error>, _ isOver: @Sendable () -> Bool,
        _ deliver: @Sendable (String) async throws -> Void
    ) async throws -> Outcome {
        let begun = ContinuousClock.now
        var outlet = Outlet(matcher: StopMatcher(stop), gate: gate)
        var count = 0
        var finish = "length"
        var isWhole = false
        do {
            for try await event in events {
                switch event {
                case .began, .paused: break
                case .token(_, let text):
                    count += 1
                    if count == 1 { metrics.firstToken(after: .now - begun) }
                    metrics.generated(tokens: 1)
                    try await deliver(outlet.feed(text))
                case .finished(let summary, let text):
                    isWhole = true
                    finish = summary.stop == .end ? "stop" : "length"
                    try await deliver(outlet.feed(text))
                }
                if outlet.hasEnded { break }
            }
            // A stream that ends without its last event was left: by its client, or because its time was up.
            if !isWhole, !outlet.hasEnded, !isOver() { throw CancellationError() }
        } catch is CancellationError {
            guard isOver() else { throw CancellationError() }
        }
        try await deliver(outlet.finish())
        return Outcome(usage: .init(promptTokens: 0, completionTokens: count), finish: outlet.end ?? finish)
    }

    /// What a text passes on its way out: the strings that end it, then the filter.
    private struct Outlet {
        var matcher: StopMatcher
        var gate: SentenceGate?

        /// Nothing that comes now would be sent.
        var hasEnded: Bool { end != nil }
        /// What ended it; nil where nothing on the way did.
        var end: String? {
            gate?.isStopped == true ? SentenceGate.finish : matcher.isStopped ? "stop" : nil
        }

        mutating func feed(_ text: String) -> String {
            let text = matcher.feed(text)
            return gate?.feed(text) ?? text
        }

        mutating func finish() -> String {
            let text = matcher.finish()
            guard gate != nil else { return text }
            return (gate?.feed(text) ?? "") + (gate?.finish() ?? "")
        }
    }
}
