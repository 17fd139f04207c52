internal import Foundation
internal import HearthRuntime
internal import HearthText
internal import Synchronization

/// `/v1/chat/completions` and `/v1/completions`: one text at a time, whole or as events.
struct TextEndpoints: Sendable {
    var shelf: ModelShelf
    var queue: TurnQueue
    var metrics: ServerMetrics
    var limits: ServerLimits
    /// Texts that are sent piece by piece.
    var streams: TurnCounter
    /// Whether every answer passes the filter of stories.
    var filters: Bool
    /// Ends texts where the server ends.
    var closing: ServerClosing

    func chat(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let chat = try JSONGuard(limits: limits).decode(ChatRequest.self, from: request.body)
        let options = chat.options
        let gate = try gate(options) { chat.messages.map(\.content) }
        try await answer(.chat, options, gate, exchange) { model in
            guard let template = model.chatTemplate else {
                throw HTTPFailure(
                    400, "no_chat", "This model does not answer in turns. Use /v1/completions, or another model.",
                    field: "model")
            }
            let prompt = try template.encode(chat.messages, model.tokenizer)
            return TextProgress(
                prompt: prompt,
                options: TextGenerator.Options(
                    maximumTokens: options.maximumTokens ?? TextGenerator.defaultContextLength,
                    sampling: options.sampling(model.samplingDefaults)))
        }
    }

    func completion(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let completion = try JSONGuard(limits: limits).decode(CompletionRequest.self, from: request.body)
        let options = completion.options
        let gate = try gate(options) { completion.prompt.text.map { [$0] } ?? [] }
        try await answer(.completion, options, gate, exchange) { model in
            let prompt: [TokenID] =
                switch completion.prompt {
                case .text(let text):
                    model.tokenizer.encode(text, addBOS: model.tokenizer.vocabulary.addsBOS)
                case .tokens(let tokens): tokens
                }
            return TextProgress(
                prompt: prompt,
                options: TextGenerator.Options(
                    maximumTokens: options.maximumTokens ?? CompletionRequest.defaultTokens,
                    sampling: options.sampling(model.samplingDefaults)))
        }
    }

    /// What stands before the client; nil where answers leave as the model writes them.
    /// - Parameter texts: what was sent, to tell the language by where the request does not say.
    private func gate(_ options: TextOptions, _ texts: () -> [String]) throws(HTTPFailure) -> SentenceGate? {
        if filters, options.filters == false {
            throw .field("hearth_filter", "cannot be switched off: this server filters every answer. Leave it out.")
        }
        guard filters || options.filters == true else { return nil }
        return SentenceGate(options.language ?? .guessed(from: texts()))
    }

    private func answer(
        _ kind: TextAnswer.Kind, _ options: TextOptions, _ gate: SentenceGate?, _ exchange: HTTPExchange,
        start: @escaping @Sendable (TextModel) throws -> TextProgress
    ) async throws {
        let name = try shelf.name(options.model)
        let answer = TextAnswer(
            kind: kind, id: (kind == .chat ? "chatcmpl-" : "cmpl-") + Identifier.random(),
            created: Int(Date().timeIntervalSince1970), model: name)
        guard !options.stream || streams.take() else { throw HTTPFailure.tooManyStreams }
        defer { if options.stream { streams.give() } }
        let heartbeat = options.stream ? heartbeat(exchange) : nil
        defer { heartbeat?.cancel() }
        do {
            try await queue.turn(waitingAtMost: limits.waitingTime) {
                let writing = TextWriting(
                    model: try await shelf.model(name), start: start, stop: options.stop, gate: gate,
                    metrics: metrics, closing: closing)
                if options.stream {
                    try await stream(answer, writing, exchange, usage: options.includesUsage)
                } else {
                    try await whole(answer, writing, exchange)
                }
            }
            metrics.generation(.finished)
        } catch {
            metrics.generation(Self.outcome(of: error))
            throw error
        }
    }

    private func whole(_ answer: TextAnswer, _ writing: TextWriting, _ exchange: HTTPExchange) async throws {
        let text = Pieces()
        let outcome = try await writing.write(within: limits.generationTime) { await text.add($0) }
        exchange.answer(
            ServerResponse(json: answer.whole(await text.text, finish: outcome.finish, usage: outcome.usage)))
    }

    /// Keeps a stream awake while its turn is waited for, its prompt is read or its filter holds back: the head goes out soon,
    /// and a comment now and then, so that no proxy takes the silence for an end.
    private func heartbeat(_ exchange: HTTPExchange) -> Task<Void, Never> {
        Task { [limits] in
            guard (try? await Task.sleep(for: limits.patience)) != nil else { return }
            if exchange.begin(ServerEvent.head) { exchange.offer(ServerEvent.waiting) }
            while (try? await Task.sleep(for: limits.heartbeat)) != nil { exchange.offer(ServerEvent.waiting) }
        }
    }

    /// The head is sent with the first piece, or when that is long in coming: what goes wrong before has a status of its own.
    private func stream(
        _ answer: TextAnswer, _ writing: TextWriting, _ exchange: HTTPExchange, usage: Bool
    ) async throws {
        let hasBegun = Mutex(false)
        @Sendable func open() async throws {
            let isFirst = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return !hasBegun
            }
            guard isFirst else { return }
            exchange.begin(ServerEvent.head)
            if answer.kind == .chat { try await exchange.send(answer.piece("", isFirst: true)) }
        }
        let outcome = try await writing.write(within: limits.generationTime) { piece in
            try await open()
            if !piece.isEmpty { try await exchange.send(answer.piece(piece)) }
        }
        try await open()
        try await exchange.send(answer.end(outcome.finish))
        if usage { try await exchange.send(answer.figures(outcome.usage)) }
        try await exchange.send(ServerEvent.done)
        exchange.finish()
    }

    private static func outcome(of error: any Error) -> ServerMetrics.Outcome {
        switch error {
        case is CancellationError: .cancelled
        case is TurnQueue.Refusal, is HTTPFailure: .refused
        default: .failed
        }
    }

    private actor Pieces {
        var text = ""
        func add(_ piece: String) { text += piece }
    }
}

/// Names that nobody guesses.
enum Identifier {
    /// 128 random bits in hexadecimal.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let text = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }
}
