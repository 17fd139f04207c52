internal import Foundation
internal import HearthRuntime
internal import HearthText
internal import HearthTokenizer
internal import Synchronization

/// Ollama's API: the same texts, embeddings and models as OpenAI's, in other formats.
struct OllamaEndpoints: Sendable {
    var texts: TextEndpoints
    var embeddings: EmbeddingEndpoint

    private var shelf: ModelShelf { texts.shelf }

    func answer(_ route: OllamaRoute, _ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let models = OllamaModels(shelf: shelf)
        switch route {
        case .chat: try await chat(request, exchange)
        case .generate: try await generate(request, exchange)
        case .embed: try await embed(request, exchange)
        case .embedding: try await embedOne(request, exchange)
        case .tags: exchange.answer(models.tags())
        case .show: exchange.answer(try models.show(request, texts.limits))
        case .running: exchange.answer(await models.running())
        case .version: exchange.answer(models.version())
        }
    }

    // MARK: - Texts

    private func chat(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let chat = try JSONGuard(limits: texts.limits).decode(OllamaChatRequest.self, from: request.body)
        guard !chat.messages.isEmpty else {
            return try await keep(.chat, chat.options, chat.keeping, exchange)
        }
        var gate = try texts.gate(chat.options) { chat.messages.map(\.content) }
        let messages = gate?.admit(chat.messages) ?? chat.messages
        try await write(.chat, chat.options, gate, exchange, start: Self.start(messages, chat.options))
    }

    private func generate(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let sent = try JSONGuard(limits: texts.limits).decode(OllamaGenerateRequest.self, from: request.body)
        let options = sent.options
        guard !sent.prompt.isEmpty else { return try await keep(.generate, options, sent.keeping, exchange) }
        var gate = try texts.gate(options) { [sent.prompt] }
        let prompt = gate?.admit(sent.prompt) ?? sent.prompt
        let answers = Self.start(gate?.admit(sent.messages) ?? sent.messages, options)
        try await write(.generate, options, gate, exchange) { model, index in
            // Raw prompts, and prompts for models without a chat template, are continued as they are.
            guard sent.isRaw || model.chatTemplate == nil && sent.system == nil else {
                return try answers(model, index)
            }
            return try TextProgress(
                prompt: model.tokenizer.encode(prompt, addBOS: model.tokenizer.vocabulary.addsBOS),
                options: options.generation(
                    model, defaultTokens: TextGenerator.defaultContextLength, answer: index))
        }
    }

    private static func start(
        _ messages: [ChatMessage], _ options: TextOptions
    ) -> @Sendable (TextModel, Int) throws -> TextProgress {
        let start = TextEndpoints.start(messages, options)
        return { model, index in
            if options.thinks, model.chatTemplate?.family.isGemma4 != true {
                throw HTTPFailure.field("think", "is true, and this model does not support thinking.")
            }
            return try start(model, index)
        }
    }

    private func write(
        _ kind: OllamaAnswer.Kind, _ options: TextOptions, _ gate: SentenceGate?, _ exchange: HTTPExchange,
        start: @escaping @Sendable (TextModel, Int) throws -> TextProgress
    ) async throws {
        let wanted = options.model ?? ""
        let name = try OllamaModels(shelf: shelf).name(wanted)
        try await texts.check(options)
        let answer = OllamaAnswer(kind: kind, model: wanted)
        let times = OllamaTimes(since: exchange.began)
        let awake = StreamSign(head: OllamaAnswer.head, waiting: answer.piece(TextWriting.Piece()))
        let limit = texts.limits.generationTime
        try await texts.perform(
            name, options, gate, exchange, awake: awake,
            start: { model, index in
                times.isLoaded()
                return try start(model, index)
            },
            { writings in
                times.hasTurn()
                for writing in writings {
                    let taker = Mutex(OllamaTaker(whole: options.stream ? nil : TextWriting.Piece()))
                    let outcome = try await writing.write(within: limit) { piece in
                        times.isWriting()
                        guard let ready = taker.withLock({ $0.take(piece) }) else { return }
                        exchange.begin(OllamaAnswer.head)
                        try await exchange.send(answer.piece(ready))
                    }
                    let whole = taker.withLock { $0.whole }
                    let last = answer.last(whole ?? TextWriting.Piece(), outcome, times.figures)
                    guard options.stream else {
                        exchange.answer(
                            ServerResponse(type: OllamaAnswer.wholeType, headers: OllamaAnswer.headers, body: last))
                        continue
                    }
                    exchange.begin(OllamaAnswer.head)
                    try await exchange.send(last)
                }
                if options.stream { exchange.finish() }
            })
    }

    /// Loads or unloads a model, as requests without a text ask for.
    private func keep(
        _ kind: OllamaAnswer.Kind, _ options: TextOptions, _ keeping: OllamaKeeping, _ exchange: HTTPExchange
    ) async throws {
        let wanted = options.model ?? ""
        let name = try OllamaModels(shelf: shelf).name(wanted)
        try await texts.queue.turn(for: exchange.client, waitingAtMost: texts.limits.waitingTime) {
            let model = try await shelf.model(name)
            if keeping.ends { await model.retire() } else { try await model.runner.withModel { _ in } }
        }
        let line = OllamaAnswer(kind: kind, model: wanted).kept(keeping.ends ? "unload" : "load")
        exchange.answer(
            ServerResponse(
                type: options.stream ? OllamaAnswer.streamType : OllamaAnswer.wholeType, headers: OllamaAnswer.headers,
                body: line))
    }

    // MARK: - Vectors

    private func embed(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let sent = try JSONGuard(limits: texts.limits).decode(OllamaEmbedRequest.self, from: request.body)
        let (vectors, tokens) = try await vectors(of: sent, for: exchange.client)
        let seconds = (ContinuousClock.now - exchange.began).nanoseconds
        exchange.answer(
            ServerResponse(
                json: OllamaEmbeddings(
                    model: sent.name, embeddings: vectors, total_duration: seconds, load_duration: 0,
                    prompt_eval_count: tokens)))
    }

    private func embedOne(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let sent = try JSONGuard(limits: texts.limits).decode(OllamaEmbedRequest.self, from: request.body)
        let vectors = try await vectors(of: sent, for: exchange.client).vectors
        exchange.answer(ServerResponse(json: ["embedding": vectors.first ?? []]))
    }

    private func vectors(
        of sent: OllamaEmbedRequest, for client: String
    ) async throws -> (vectors: [[Float]], tokens: Int) {
        let name = try OllamaModels(shelf: shelf).embeddingName(sent.name)
        guard !sent.wanted.inputs.isEmpty else { return ([], 0) }
        return try await embeddings.embed(sent.wanted, name, for: client)
    }
}

/// Timestamps of the stages of one text.
final class OllamaTimes: Sendable {
    private struct State {
        var turn: ContinuousClock.Instant?
        var loaded: ContinuousClock.Instant?
        var first: ContinuousClock.Instant?
    }
    private let began: ContinuousClock.Instant
    private let state = Mutex(State())

    init(since began: ContinuousClock.Instant) { self.began = began }

    func hasTurn() { state.withLock { $0.turn = $0.turn ?? .now } }
    func isLoaded() { state.withLock { $0.loaded = $0.loaded ?? .now } }
    func isWriting() { state.withLock { $0.first = $0.first ?? .now } }

    /// Durations in nanoseconds: total, model load, prompt processing, generation.
    var figures: (total: Int, load: Int, prompt: Int, answer: Int) {
        let now = ContinuousClock.now
        let state = state.withLock { $0 }
        let turn = state.turn ?? now, loaded = state.loaded ?? now, first = state.first ?? now
        return (
            (now - began).nanoseconds, (loaded - turn).nanoseconds, (first - loaded).nanoseconds,
            (now - first).nanoseconds
        )
    }
}

extension Duration {
    fileprivate var nanoseconds: Int {
        let (seconds, attoseconds) = components
        return max(0, Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
