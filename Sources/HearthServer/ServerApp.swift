internal import Foundation
internal import HearthRuntime
internal import HearthSpeech
internal import HearthStory
internal import HearthSystem
internal import HearthText
internal import HearthTokenizer

/// Routes requests to endpoints, and turns errors into responses.
final class ServerApp: Sendable {
    private let configuration: ServerConfiguration
    private let shelf: ModelShelf
    private let queue: TurnQueue
    private let metrics = ServerMetrics()
    private let models: ModelEndpoints
    private let texts: TextEndpoints
    private let states: StateEndpoints
    private let stories: StoryEndpoints
    private let speech: SpeechEndpoints
    private let moderation: ModerationEndpoint
    private let embeddings: EmbeddingEndpoint
    private let ollama: OllamaEndpoints
    /// Ends texts and event streams when the server stops.
    let closing = ServerClosing()
    private let speechQueue: TurnQueue

    @MainActor
    init(_ configuration: ServerConfiguration) {
        let limits = configuration.limits
        self.configuration = configuration
        shelf = ModelShelf(configuration)
        queue = TurnQueue(mostWaiting: limits.waiting)
        let streams = TurnCounter(limits.streams)
        models = ModelEndpoints(shelf: shelf)
        texts = TextEndpoints(
            shelf: shelf, queue: queue, metrics: metrics, limits: limits, streams: streams,
            filters: configuration.filtersTexts, closing: closing)
        let told = StoryShelf()
        let synthesizer = try? EspeakSynthesizer()
        states = StateEndpoints(shelf: shelf, queue: queue, watchers: TurnCounter(limits.watchers), closing: closing)
        stories = StoryEndpoints(
            shelf: shelf, stories: told, queue: queue, metrics: metrics, limits: limits,
            monitor: configuration.monitor, streams: streams,
            hasVoice: synthesizer != nil || configuration.voice != nil,
            knowsWants: configuration.isModelChosen, closing: closing)
        speechQueue = TurnQueue(mostWaiting: limits.speaking)
        speech = SpeechEndpoints(
            stories: told, queue: speechQueue, limits: limits, filters: configuration.filtersTexts,
            synthesizer: synthesizer, voice: configuration.voice, encoder: try? AudioEncoder())
        moderation = ModerationEndpoint(limits: limits)
        embeddings = EmbeddingEndpoint(
            shelf: shelf, queue: queue, metrics: metrics, limits: limits, closing: closing)
        ollama = OllamaEndpoints(texts: texts, embeddings: embeddings)
    }

    /// Opens the first model, and loads it if configured; a model that is not installed is fetched first. A model that
    /// cannot be opened is reported when it is requested.
    func begin() async {
        _ = try? await shelf.present()
        shelf.arrival?.begin(onArrival: { [shelf] in shelf.add($0) }, afterwards: { [self] in await welcome($0) })
        // The filter's lexicons are loaded at the same time as the model.
        DispatchQueue.global(qos: .utility).async {
            for language in StoryLanguage.allCases { Storyteller.prepare(language) }
        }
    }

    /// Opens a model that has been installed, after texts in progress with another model have ended.
    private func welcome(_ model: ServedModel) async {
        configuration.onNotice?("the model '\(model.name)' has arrived")
        defer { shelf.arrival?.open() }
        while !Task.isCancelled {
            do {
                return try await queue.turn(at: model.name, waitingAtMost: .seconds(3600)) {
                    _ = try await shelf.model(model.name)
                }
            } catch is TurnQueue.Refusal {
                try? await Task.sleep(for: .seconds(1))
            } catch {
                // The error is reported when the model is requested.
                return
            }
        }
    }

    /// Ends all texts in progress, and refuses new and queued ones.
    func cut() async {
        // The queue first: a text that ends would give its turn to one that waits.
        await queue.close()
        await speechQueue.close()
        closing.cut()
    }

    func close() async { await shelf.close() }

    func ended(_ exchange: HTTPExchange) {
        metrics.request(
            exchange.endpoint?.label ?? "other", status: exchange.status, seconds: (.now - exchange.began).seconds)
    }

    /// Answers a request whose head was accepted.
    func answer(_ request: ServerRequest, _ exchange: HTTPExchange) async {
        do {
            try await route(request, exchange)
        } catch is CancellationError {
            // The client has disconnected.
        } catch {
            let failure = Self.failure(error, request.endpoint.textField)
            if failure.status == 500 { configuration.onNotice?("a request failed: \(error.localizedDescription)") }
            if exchange.refuse(failure) { return }
            if request.endpoint.isOllama {
                try? await exchange.send(OllamaError(failure).line)
                return
            }
            // Audio cannot carry an error message: the connection is aborted instead.
            if request.endpoint == .speech { return exchange.end() }
            // The status has been sent: the error becomes the last event.
            try? await exchange.send(ServerEvent.data(failure.envelope))
            if request.endpoint == .chatCompletions || request.endpoint == .completions {
                try? await exchange.send(ServerEvent.done)
            }
        }
    }

    private func route(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        switch request.endpoint {
        case .page(let file): exchange.answer(file.response())
        case .health: exchange.answer(try await health())
        case .metrics: exchange.answer(try await figures())
        case .models: exchange.answer(models.list())
        case .model(let name): exchange.answer(try models.one(name))
        case .chatCompletions: try await texts.chat(request, exchange)
        case .completions: try await texts.completion(request, exchange)
        case .responses: try await ResponsesEndpoint(texts: texts).response(request, exchange)
        case .speech: try await speech.speech(request, exchange)
        case .moderations: exchange.answer(try moderation.answer(request))
        case .embeddings: try await embeddings.answer(request, exchange)
        case .state: exchange.answer(try await states.now(request))
        case .stateEvents: try await states.events(request, exchange)
        case .wishes: exchange.answer(try states.wishes(request))
        case .stories: exchange.answer(try states.stories(request))
        case .story: try await stories.story(request, exchange)
        case .storyStop(let id): exchange.answer(await stories.stop(id))
        case .storyAudio(let id, let number): try await speech.sentence(number, of: id, exchange)
        case .ollama(let route): try await ollama.answer(route, request, exchange)
        case .feedEvents: throw HTTPFailure.notFound
        }
    }

    private struct Health: Encodable {
        /// `ok` means that the server responds; the model's state is in `model`.
        var status = "ok"
        var model: StateReport
        var waiting: Int
        var generating: Bool
        /// Texts in progress, and how many may be at the same time.
        var running: Int
        var parallel: Int
        var version: String
    }

    private func health() async throws -> ServerResponse {
        var report = try await shelf.report(in: .english)
        let running = await queue.running
        report.running = running
        return ServerResponse(
            json: Health(
                model: report, waiting: await queue.waiting, generating: running > 0, running: running,
                parallel: await shelf.parallel, version: configuration.version))
    }

    private func figures() async throws -> ServerResponse {
        let report = try await shelf.report(in: .english)
        let log = StartupLog(folders: configuration.folders)
        let startups = try await OwnThread.run { _ in (try? log?.samples().samples) ?? [] }
        let now = ServerMetrics.Now(
            model: report, download: shelf.arrival?.status.progress.downloaded, waiting: await queue.waiting,
            running: await queue.running, parallel: await shelf.parallel, startups: startups,
            version: configuration.version)
        return ServerResponse(
            type: PrometheusText.type, headers: [("Cache-Control", "no-store")], body: Array(metrics.text(now).utf8))
    }

    /// The failure that a client gets. Messages of other modules may contain file names of this machine, and are not
    /// sent.
    /// - Parameter field: the field of the request that holds what the model reads.
    private static func failure(_ error: any Error, _ field: String) -> HTTPFailure {
        if let file = error.changedModelFile { return .modelChanged(file) }
        switch error {
        case let failure as HTTPFailure: return failure
        case TurnQueue.Refusal.full:
            return .busy("Too many requests are waiting already. Try again later.", retryAfter: 5)
        case TurnQueue.Refusal.closed: return .stopping
        case TurnQueue.Refusal.tooLong:
            return .busy("The request waited too long in the queue. Try again later.", retryAfter: 10)
        case let error as RunnerError: return failure(error)
        case let error as TextError: return failure(error, field)
        case TokenizerError.tokenOutOfRange(let id, let count):
            return .field(field, "contains \(id), which is not a token id: ids go from 0 to \(count - 1).")
        case is SpeechError, is PiperError:
            return HTTPFailure(500, "speech_failed", "Speech synthesis failed. Try 'hearth doctor' on the server.")
        default: return HTTPFailure(500, "failed", "The request failed. The server's own messages say more.")
        }
    }

    private static func failure(_ error: RunnerError) -> HTTPFailure {
        switch error {
        case .unavailable(let reason):
            return .busy("The model cannot run now: \(reason)", retryAfter: 30)
        case .released, .deadlineExceeded: return .busy("The model was released. Try again.", retryAfter: 5)
        case .failed(_, let cause):
            if let failure = cause as? HTTPFailure { return failure }
            return HTTPFailure(
                500, "model_failed", "The model could not be loaded. Run 'hearth inspect' on the server.")
        }
    }

    private static func failure(_ error: TextError, _ field: String) -> HTTPFailure {
        switch error {
        case .emptyPrompt: return .field(field, "has nothing to continue.")
        case .contextOverflow(let tokens, let limit):
            return HTTPFailure(
                400, "context_length_exceeded",
                "The model reads at most \(limit) tokens, and these are \(tokens). Send less text.", field: field)
        case .invalidConversation, .noChatTemplate, .missingMarker:
            return HTTPFailure(
                400, "invalid_messages",
                "These messages are not a conversation. Begin with system or user, and take turns; results follow calls.",
                field: field)
        case .invalidConstraint, .unsupportedConstraint: return .constraint(error, "tools")
        case .invalidOption(let name, _, let allowed): return .field(name, "must be \(allowed).")
        case .nonFiniteLogit, .uniformLogits, .nothingToSample, .invalidEmbedding:
            return HTTPFailure(
                500, "model_failed", "The model gave no usable result. Run 'hearth inspect' on the server.")
        default:
            return HTTPFailure(500, "model_failed", "The model could not be used. Run 'hearth inspect' on the server.")
        }
    }
}
