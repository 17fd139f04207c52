internal import Foundation
internal import HearthRuntime
internal import HearthSystem
internal import HearthText
internal import HearthTokenizer
internal import Synchronization

/// `/v1/chat/completions` and `/v1/completions`: texts, whole or streamed.
struct TextEndpoints: Sendable {
    var shelf: ModelShelf
    var queue: TurnQueue
    var metrics: ServerMetrics
    var limits: ServerLimits
    /// Slots for streamed texts.
    var streams: TurnCounter
    /// Whether every answer passes the story filter.
    var filters: Bool
    /// Ends texts when the server stops.
    var closing: ServerClosing

    func chat(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let chat = try JSONGuard(limits: limits).decode(ChatRequest.self, from: request.body)
        let options = chat.options
        var gate = try gate(options) { chat.messages.map(\.content) }
        let messages = gate?.admit(chat.messages) ?? chat.messages
        try await check(options)
        try await answer(
            .chat, options, gate, exchange, Answers(prompts: 1, each: options.answers),
            start: Self.start(messages, options))
    }

    /// The start of an answer in a conversation.
    static func start(
        _ messages: [ChatMessage], _ options: TextOptions
    ) -> @Sendable (TextModel, Int) throws -> TextProgress {
        let messages = ChatTemplate.joined(messages)
        // A final message of the assistant is the beginning of its answer.
        let continues = messages.last?.role == .assistant
        return { model, index in
            guard var template = model.chatTemplate else {
                throw HTTPFailure(
                    400, "no_chat", "This model does not answer in turns. Use /v1/completions, or another model.",
                    field: "model")
            }
            template.thinking = options.thinks
            var generation = try options.generation(
                model, defaultTokens: TextGenerator.defaultContextLength, answer: index)
            generation.tools = options.tools
            generation.tools?.format = ToolFormat(template, model.tokenizer.vocabulary)
            if generation.tools?.answer != nil {
                do throws(TextError) { _ = try generation.tools?.compiled() } catch {
                    throw HTTPFailure.constraint(error, options.constraint?.field ?? "tools")
                }
            }
            return try TextProgress(
                prompt: template.encode(messages, model.tokenizer, tools: generation.tools, continues: continues),
                options: generation)
        }
    }

    func completion(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let completion = try JSONGuard(limits: limits).decode(CompletionRequest.self, from: request.body)
        let options = completion.options
        var gate = try gate(options) { completion.prompts.compactMap(\.text) }
        if gate != nil, completion.echoes {
            throw HTTPFailure.field("echo", "cannot be combined with the filter, which may change the prompt.")
        }
        let prompts = try completion.prompts.map { prompt in
            guard gate != nil else { return prompt }
            guard let text = prompt.text else {
                throw HTTPFailure.field("prompt", "must be a text, not tokens, for the filter to judge it.")
            }
            return CompletionRequest.Prompt.text(gate?.admit(text) ?? text)
        }
        try await check(options)
        let answers = Answers(
            prompts: prompts.count, each: options.answers, echoes: completion.echoes ? prompts.map(\.text) : nil)
        try await answer(.completion, options, gate, exchange, answers) { model, index in
            let prompt: [TokenID] =
                switch prompts[answers.prompt(of: index)] {
                case .text(let text):
                    model.tokenizer.encode(text, addBOS: model.tokenizer.vocabulary.addsBOS)
                case .tokens(let tokens): tokens
                }
            return try TextProgress(
                prompt: prompt,
                options: options.generation(
                    model, defaultTokens: CompletionRequest.defaultTokens, answer: index % options.answers))
        }
    }

    /// The filter for the answer; nil if it is sent as the model writes it.
    /// - Parameter texts: what the client sent, for guessing the language if the request names none.
    func gate(_ options: TextOptions, _ texts: () -> [String]) throws(HTTPFailure) -> SentenceGate? {
        if filters, options.filters == false {
            throw .field("hearth_filter", "cannot be switched off: this server filters every answer. Leave it out.")
        }
        guard filters || options.filters == true else { return nil }
        if options.likelihoods != nil {
            throw .field("logprobs", "cannot be combined with the filter: they would reveal what it holds back.")
        }
        if let constraint = options.constraint {
            throw .field(constraint.field, "cannot be combined with the filter, which may change sentences.")
        }
        return SentenceGate(options.language ?? .guessed(from: texts()))
    }

    /// Compiles the constraint and the tools before the request is queued. The model reuses the result.
    /// - Parameter isFlat: whether a function's fields are next to its type, as in `/v1/responses`.
    func check(_ options: TextOptions, isFlat: Bool = false) async throws {
        guard options.constraint != nil || options.tools != nil else { return }
        // Nested references between schemas need a deep stack.
        try await OwnThread.run(stackBytes: 16 << 20) { _ in
            if let wish = options.constraint {
                do throws(TextError) { _ = try wish.constraint.compiled() } catch {
                    throw HTTPFailure.constraint(error, wish.field)
                }
            }
            for (index, tool) in (options.tools?.tools ?? []).enumerated() {
                // Checked one by one, so that the error can name the tool.
                let alone = ToolRules([tool], choice: .required, allowsSeveral: false)
                do throws(TextError) { _ = try alone.compiled() } catch {
                    throw HTTPFailure.constraint(error, "tools[\(index)]\(isFlat ? "" : ".function").parameters")
                }
            }
            // Whether tool calls can be combined with a constrained answer depends on the model.
            guard options.tools?.answer == nil else { return }
            do throws(TextError) { _ = try options.tools?.compiled() } catch {
                throw HTTPFailure.constraint(error, "tools")
            }
        }
    }

    private func answer(
        _ kind: TextAnswer.Kind, _ options: TextOptions, _ gate: SentenceGate?, _ exchange: HTTPExchange,
        _ answers: Answers, start: @escaping @Sendable (TextModel, Int) throws -> TextProgress
    ) async throws {
        let name = try shelf.name(options.model)
        let answer = TextAnswer(
            kind: kind, id: (kind == .chat ? "chatcmpl-" : "cmpl-") + Identifier.random(),
            created: Int(Date().timeIntervalSince1970), model: name)
        try await perform(name, options, gate, exchange, answers, start: start) { writings in
            if options.stream {
                try await stream(
                    answer, writings, answers, exchange, usage: options.includesUsage, mayCall: options.tools != nil)
            } else {
                try await whole(answer, writings, answers, exchange)
            }
        }
    }

    /// Waits for a turn and for the model, then has the texts written.
    /// - Parameter write: writes the texts and sends the output.
    func perform(
        _ name: String, _ options: TextOptions, _ gate: SentenceGate?, _ exchange: HTTPExchange,
        _ answers: Answers? = nil, awake: StreamSign = .events,
        start: @escaping @Sendable (TextModel, Int) throws -> TextProgress,
        _ write: @escaping @Sendable ([TextWriting]) async throws -> Void
    ) async throws {
        guard !options.stream || streams.take() else { throw HTTPFailure.tooManyStreams }
        defer { if options.stream { streams.give() } }
        let heartbeat = options.stream ? heartbeat(exchange, awake) : nil
        defer { heartbeat?.cancel() }
        do {
            try await queue.turn(at: name, for: exchange.client, waitingAtMost: limits.waitingTime) {
                let model = try await shelf.model(name)
                await queue.widen(name, to: model.parallel)
                let answers = answers ?? Answers(prompts: 1, each: options.answers)
                let writings = (0..<answers.count).map { index in
                    TextWriting(
                        model: model, start: { try start($0, index) }, echo: answers.echo(of: index), gate: gate,
                        tellsLikelihoods: options.likelihoods != nil, metrics: metrics, closing: closing)
                }
                try await write(writings)
            }
            metrics.generation(.finished)
        } catch {
            metrics.generation(Self.outcome(of: error))
            throw error
        }
    }

    private func whole(
        _ answer: TextAnswer, _ writings: [TextWriting], _ answers: Answers, _ exchange: HTTPExchange
    ) async throws {
        var wholes: [TextAnswer.Whole] = []
        var usage = TextAnswer.Usage(promptTokens: 0, completionTokens: 0)
        for (index, writing) in writings.enumerated() {
            let whole = Mutex(TextAnswer.Whole(logprobs: writing.tellsLikelihoods ? [] : nil))
            let outcome = try await writing.write(within: limits.generationTime) { piece in
                whole.withLock { $0.add(piece) }
            }
            whole.withLock {
                $0.finish = outcome.finish
                wholes.append($0)
            }
            usage.add(outcome.usage, isSamePrompt: answers.isSamePrompt(index))
        }
        exchange.answer(ServerResponse(json: answer.whole(wholes, usage: usage)))
    }

    /// Keeps a stream alive while its request is queued, its prompt is processed or its filter holds text back: sends
    /// the head early, and a comment from time to time, so that no proxy times out.
    private func heartbeat(_ exchange: HTTPExchange, _ sign: StreamSign) -> Task<Void, Never> {
        Task { [limits] in
            guard (try? await Task.sleep(for: limits.patience)) != nil else { return }
            if exchange.begin(sign.head) { exchange.offer(sign.waiting) }
            while (try? await Task.sleep(for: limits.heartbeat)) != nil { exchange.offer(sign.waiting) }
        }
    }

    /// Sends the head with the first piece, unless the heartbeat has sent it before: until then an error gets its own
    /// HTTP status.
    private func stream(
        _ answer: TextAnswer, _ writings: [TextWriting], _ answers: Answers, _ exchange: HTTPExchange, usage: Bool,
        mayCall: Bool
    ) async throws {
        var sum = TextAnswer.Usage(promptTokens: 0, completionTokens: 0)
        for (index, writing) in writings.enumerated() {
            /// Characters that begin in the tokens listed so far; nil until the answer is opened. The text that is sent may
            /// lag behind the tokens.
            let sent = Mutex<Int?>(nil)
            @Sendable func open() async throws {
                let isFirst = sent.withLock { sent in
                    defer { sent = sent ?? 0 }
                    return sent == nil
                }
                guard isFirst else { return }
                if index == 0 { exchange.begin(ServerEvent.head) }
                if answer.kind == .chat { try await exchange.send(answer.opening(index, mayCall: mayCall)) }
            }
            let outcome = try await writing.write(within: limits.generationTime) { piece in
                try await open()
                for event in piece.calls {
                    if let bytes = answer.call(event, index) { try await exchange.send(bytes) }
                }
                var piece = piece
                piece.calls = []
                guard !piece.isEmpty else { return }
                let width = piece.logprobs?.reduce(0) { $0 + $1.width } ?? 0
                let offset = sent.withLock { sent in
                    defer { sent = (sent ?? 0) + width }
                    return sent ?? 0
                }
                try await exchange.send(answer.piece(piece, index, offset: offset))
            }
            try await open()
            try await exchange.send(answer.end(outcome.finish, index))
            sum.add(outcome.usage, isSamePrompt: answers.isSamePrompt(index))
        }
        if usage { try await exchange.send(answer.figures(sum)) }
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

    /// The answers to a request, numbered prompt by prompt.
    struct Answers: Sendable {
        /// Number of prompts, and of answers to each.
        var prompts: Int
        var each: Int
        /// The text of each prompt, nil where it was sent as tokens, if answers begin with their prompts.
        var echoes: [String?]?

        var count: Int { prompts * each }
        func prompt(of answer: Int) -> Int { answer / each }
        /// Whether the answer before it has the same prompt.
        func isSamePrompt(_ answer: Int) -> Bool { answer % each != 0 }
        func echo(of answer: Int) -> TextWriting.Echo? { echoes.map { TextWriting.Echo(text: $0[prompt(of: answer)]) } }
    }
}

/// The head of a stream, and the bytes that keep it alive.
struct StreamSign: Sendable {
    var head: ServerResponse
    var waiting: [UInt8]

    static let events = StreamSign(head: ServerEvent.head, waiting: ServerEvent.waiting)
}

/// Unguessable identifiers.
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
