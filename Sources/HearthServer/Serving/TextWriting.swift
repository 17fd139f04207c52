internal import HearthRuntime
internal import HearthText
internal import HearthTokenizer
internal import Synchronization

/// One text generated for a client: pieces as they come, and the usage at the end.
struct TextWriting: Sendable {
    /// Output that is sent together.
    struct Piece: Sendable {
        var text = ""
        var thought = ""
        /// Tool calls, as they come.
        var calls: [ToolCallReader.Event] = []
        /// Log probabilities of the tokens that complete the text; nil unless requested.
        var logprobs: [TokenLogprob]?

        var isEmpty: Bool { text.isEmpty && thought.isEmpty && calls.isEmpty && logprobs?.isEmpty != false }
    }

    /// A prompt that is sent before its continuation.
    struct Echo: Sendable {
        /// nil for a prompt that was sent as tokens.
        var text: String?
    }

    /// How it ended.
    struct Outcome: Sendable, Equatable {
        var usage: TextAnswer.Usage
        /// `stop`, `length`, `tool_calls` or `content_filter`.
        var finish: String
    }

    var model: WarmModel
    /// Encodes the prompt, once the model is loaded.
    var start: @Sendable (TextModel) throws -> TextProgress
    /// The prompt, if the text begins with it.
    var echo: Echo?
    /// The filter, if the answer is filtered.
    var gate: SentenceGate?
    /// Whether the client wants log probabilities.
    var tellsLikelihoods: Bool
    var metrics: ServerMetrics
    /// Ends the text when the server stops.
    var closing: ServerClosing

    /// Generates the text.
    /// - Parameter deliver: receives each piece; if it throws, generation stops.
    /// - Throws: errors of the model; `CancellationError` if the client has disconnected.
    func write(
        within limit: Duration, _ deliver: @escaping @Sendable (Piece) async throws -> Void
    ) async throws -> Outcome {
        // The filter has stopped what the request handed in: nothing is written.
        if gate?.isStopped == true {
            return Outcome(
                usage: TextAnswer.Usage(promptTokens: 0, completionTokens: 0), finish: SentenceGate.finish)
        }
        let known = Mutex(Known())
        let session = TextSession(runner: model.runner) { model in
            // A prompt that was echoed is encoded already.
            let progress = try known.withLock { $0.progress(of: model) } ?? start(model)
            known.withLock { $0 = Known(progress, model.tokenizer) }
            return progress
        }
        return try await TimeLimit.run(limit, orUntil: closing) { isOver in
            if let echo {
                let sent = try await send(echo, deliver)
                if let outcome = sent.outcome { return outcome }
                known.withLock { $0 = sent.known }
            }
            let listener = TextCancellation(onLateToken: { metrics.lateToken() })
            // Called by the cancelling thread at once: this task may be busy at the time.
            var outcome = try await withTaskCancellationHandler {
                try await follow(
                    session.events(pace: model.pace, listener: listener), { known.withLock { $0 } }, isOver, deliver)
            } onCancel: {
                listener.leave()
            }
            outcome.usage.promptTokens = known.withLock { $0.promptTokens }
            metrics.read(tokens: outcome.usage.promptTokens)
            return outcome
        }
    }

    /// Sends the prompt, with the log probabilities of its tokens if they are wanted.
    /// - Returns: the encoded prompt, and the outcome if nothing else is wanted.
    private func send(
        _ echo: Echo, _ deliver: @Sendable (Piece) async throws -> Void
    ) async throws -> (known: Known, outcome: Outcome?) {
        let (piece, progress, known) = try await model.runner.withModel { [start, tellsLikelihoods] generator in
            let progress = try start(generator.model)
            let tokenizer = generator.model.tokenizer
            var piece = Piece()
            piece.text = try echo.text ?? String(decoding: tokenizer.decode(progress.tokens), as: UTF8.self)
            if tellsLikelihoods, let first = progress.tokens.first {
                let likelihoods = try await generator.likelihoods(
                    of: progress.tokens, top: progress.options.likelihoods ?? 0)
                piece.logprobs =
                    [TokenLogprob(first: first, tokenizer)] + likelihoods.map { TokenLogprob($0, tokenizer) }
            }
            return (piece, progress, Known(progress, tokenizer))
        }
        try await deliver(piece)
        guard progress.options.maximumTokens == 0 else { return (known, nil) }
        metrics.read(tokens: progress.promptTokens)
        let usage = TextAnswer.Usage(promptTokens: progress.promptTokens, completionTokens: 0)
        return (known, Outcome(usage: usage, finish: "length"))
    }

    /// What is known once the model is loaded.
    private struct Known {
        private var progress: TextProgress?
        private(set) var tokenizer: TextTokenizer?

        init() {}
        init(_ progress: TextProgress, _ tokenizer: TextTokenizer) {
            (self.progress, self.tokenizer) = (progress, tokenizer)
        }

        var promptTokens: Int { progress?.promptTokens ?? 0 }
        var tools: ToolRules? { progress?.options.tools }

        /// The prompt as this model's vocabulary encodes it; nil if another one encoded it, or none.
        func progress(of model: TextModel) -> TextProgress? {
            model.tokenizer.vocabulary === tokenizer?.vocabulary ? progress : nil
        }
    }

    private func follow(
        _ events: AsyncThrowingStream<TextSession.Event, any Error>, _ known: @Sendable () -> Known,
        _ isOver: @Sendable () -> Bool, _ deliver: @Sendable (Piece) async throws -> Void
    ) async throws -> Outcome {
        let begun = ContinuousClock.now
        var outlet = Outlet(gate: gate)
        var waiting: [TokenLogprob] = []
        var usage = TextAnswer.Usage(promptTokens: 0, completionTokens: 0)
        var finish = "length"
        var isWhole = false
        var reader: ToolCallReader?
        /// Log probabilities are sent with the text that their tokens complete; those of a stop string are never sent.
        func send(_ text: String, isLast: Bool = false) async throws {
            var piece = Piece()
            var calls = reader ?? ToolCallReader(known().tools)
            for event in calls.feed(text) + (isLast ? calls.finish() : []) {
                if case .text(let text) = event {
                    piece.text += outlet.feed(text)
                } else {
                    piece.text += outlet.feed(event, &piece.calls)
                }
            }
            if isLast { piece.text += outlet.finish() }
            reader = calls
            if tellsLikelihoods {
                piece.logprobs = text.isEmpty ? [] : waiting
                if !text.isEmpty { waiting = [] }
            }
            try await deliver(piece)
        }
        do {
            for try await event in events {
                switch event {
                case .began, .paused: break
                case .likelihood(let likelihood):
                    if let tokenizer = known().tokenizer { waiting.append(TokenLogprob(likelihood, tokenizer)) }
                // The filter does not see thoughts, so a filtered answer omits them.
                case .thought(let text): if gate == nil { try await deliver(Piece(thought: text)) }
                case .token(_, let text):
                    usage.completionTokens += 1
                    if usage.completionTokens == 1 { metrics.firstToken(after: .now - begun) }
                    metrics.generated(tokens: 1)
                    try await send(text)
                case .finished(let summary, let text):
                    isWhole = true
                    usage.cachedTokens = summary.cachedTokens
                    finish = summary.stop == .end ? "stop" : "length"
                    try await send(text)
                }
                if outlet.hasEnded { break }
            }
            // A stream that ends without its last event was cancelled, by its client or by the time limit.
            if !isWhole, !outlet.hasEnded, !isOver() { throw CancellationError() }
        } catch is CancellationError {
            guard isOver() else { throw CancellationError() }
        }
        try await send("", isLast: true)
        if finish == "stop", let reader, reader.calls > 0 { finish = "tool_calls" }
        return Outcome(usage: usage, finish: outlet.hasEnded ? SentenceGate.finish : finish)
    }

    /// The output stage of a text: the filter, if there is one.
    private struct Outlet {
        var gate: SentenceGate?

        /// Whether further output would be dropped.
        var hasEnded: Bool { gate?.isStopped == true }
        mutating func feed(_ text: String) -> String { gate?.feed(text) ?? text }

        /// Holds a filtered call back until it is complete, since the filter also judges tool calls.
        /// - Returns: the text before the call.
        mutating func feed(_ event: ToolCallReader.Event, _ calls: inout [ToolCallReader.Event]) -> String {
            guard gate != nil else {
                calls.append(event)
                return ""
            }
            held.append(event)
            switch event {
            case .text: break
            case .began: return gate?.finish() ?? ""
            case .arguments(_, let text): arguments += text
            case .ended:
                if gate?.allows(arguments: arguments) == true { calls += held }
                (held, arguments) = ([], "")
            }
            return ""
        }
        private var held: [ToolCallReader.Event] = []
        private var arguments = ""

        init(gate: SentenceGate?) { self.gate = gate }

        mutating func finish() -> String { gate?.finish() ?? "" }
    }
}
