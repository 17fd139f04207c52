internal import HearthRuntime
internal import HearthSafety
internal import HearthStory
internal import HearthText

/// Stories for the page, as they are told: sentence by sentence, as events.
struct StoryEndpoints: Sendable {
    var shelf: ModelShelf
    var stories: StoryShelf
    var queue: TurnQueue
    var metrics: ServerMetrics
    var limits: ServerLimits
    var monitor: any DeviceMonitor
    /// Texts that are sent piece by piece.
    var streams: TurnCounter
    /// Whether sentences can be heard.
    var hasVoice: Bool
    /// Ends a story where the server ends.
    var closing: ServerClosing

    /// How long a child waits for others' texts before a finished story is told.
    static let patience = Duration.seconds(15)

    private struct Request: Decodable {
        var wish: Wish
        var language: StoryLanguage
        var seed: UInt64?

        private enum Keys: String, CodingKey { case wish, language, seed }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Keys.self)
            guard let wish = Wishes.wish(try fields.decode(String.self, forKey: .wish)) else {
                throw HTTPFailure.field("wish", "is none of those of /api/wishes.")
            }
            self.wish = wish
            language = try StoryLanguage(tag: try fields.decodeIfPresent(String.self, forKey: .language))
            seed = try fields.number(.seed, in: 0...UInt64(Int64.max))
        }
    }

    private struct Start: Encodable {
        var story: String
        var title: String
        var source: String
        var audio: Bool
        var seed: UInt64
    }
    private struct Line: Encodable {
        var index: Int
        var text: String
        var startsParagraph: Bool
        var audio: String?

        private enum CodingKeys: CodingKey { case index, text, startsParagraph, audio }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(index, forKey: .index)
            try container.encode(text, forKey: .text)
            try container.encode(startsParagraph, forKey: .startsParagraph)
            try container.encode(audio, forKey: .audio)
        }
    }
    private struct Notice: Encodable {
        var text: String
        /// For a picture beside it.
        var reason: String
    }
    private struct Title: Encodable { var title: String }
    private struct End: Encodable {
        var source: String
        var sentences: Int
        var stop: String
    }
    private struct Nothing: Encodable {}

    func story(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let wanted = try JSONGuard(limits: limits).decode(Request.self, from: request.body)
        guard streams.take() else { throw HTTPFailure.tooManyStreams }
        defer { streams.give() }
        // Small enough for the numbers of JavaScript.
        let seed = wanted.seed ?? UInt64.random(in: 0..<1 << 32)
        let story = StoryRequest(.wish(wanted.wish), in: wanted.language, seed: seed)
        let id = await stories.begin(wanted.language)
        var reader = Reader(id: id, seed: seed, stories: stories, hasVoice: hasVoice, metrics: metrics)
        exchange.begin(ServerEvent.head)
        try await exchange.send(ServerEvent.comment)
        do {
            reader = try await tell(story, reader, exchange)
            metrics.generation(.finished)
        } catch is CancellationError {
            metrics.generation(.cancelled)
            // Who asked for the stop is still there, and is told; who left is not.
            try? await exchange.send(await reader.end("cancelled"))
        }
        exchange.finish()
    }

    /// Ends a story; whoever reads it is told.
    func stop(_ id: String) async -> ServerResponse {
        await stories.stop(id)
        return ServerResponse(status: 204, type: "application/json", body: [])
    }

    /// By the model if it is ready; else a finished story. Never nothing.
    private func tell(_ story: StoryRequest, _ reader: Reader, _ exchange: HTTPExchange) async throws -> Reader {
        let model = try? await shelf.present()
        guard let model, obstacle(model) == nil else {
            let reason = model.flatMap(obstacle) ?? .missing
            return try await read(Storyteller.tellFinished(story, because: reason), reader, exchange)
        }
        do {
            return try await queue.turn(waitingAtMost: Self.patience) {
                // Another one may have taken its place meanwhile.
                guard let model = try await shelf.present() else { throw TurnQueue.Refusal.tooLong }
                let storyteller = Storyteller(
                    runner: model.runner, pace: model.pace, conditions: { [monitor] in monitor.current() })
                return try await TimeLimit.run(limits.generationTime, orUntil: closing) { _ in
                    let listener = TextCancellation(onLateToken: { [metrics] in metrics.lateToken() })
                    return try await withTaskCancellationHandler {
                        try await read(storyteller.tell(story, listener: listener), reader, exchange)
                    } onCancel: {
                        listener.leave()
                    }
                }
            }
        } catch is TurnQueue.Refusal {
            if closing.isCut { throw CancellationError() }
            return try await read(Storyteller.tellFinished(story, because: .unavailable), reader, exchange)
        }
    }

    /// Why the model does not tell now; nil where it does.
    private func obstacle(_ model: WarmModel) -> HandoverReason? {
        let conditions = monitor.current()
        if let obstacle = HandoverPolicy().obstacle(conditions, needs: nil, isLoaded: true) { return obstacle }
        return switch model.runner.state {
        case .ready: nil
        case .cold, .warming: .missing
        case .unavailable: HandoverReason(conditions) ?? .unavailable
        case .failed: .failed
        }
    }

    private func read(
        _ events: AsyncThrowingStream<StoryEvent, any Error>, _ reader: Reader, _ exchange: HTTPExchange
    ) async throws -> Reader {
        var reader = reader
        for try await event in events {
            if await stories.isStopped(reader.id) { throw CancellationError() }
            for bytes in await reader.read(event) { try await exchange.send(bytes) }
            if case .finished = event { return reader }
        }
        // A stream without its last event was left.
        throw CancellationError()
    }

    /// A story's events as those of the page.
    private struct Reader: Sendable {
        let id: String
        let seed: UInt64
        let stories: StoryShelf
        let hasVoice: Bool
        let metrics: ServerMetrics
        private var hasBegun = false
        private var isPaused = false
        private var source = "model"
        private var notice: Notice?
        private var wasStopped = false

        init(id: String, seed: UInt64, stories: StoryShelf, hasVoice: Bool, metrics: ServerMetrics) {
            (self.id, self.seed, self.stories, self.hasVoice, self.metrics) = (id, seed, stories, hasVoice, metrics)
        }

        mutating func read(_ event: StoryEvent) async -> [[UInt8]] {
            var events: [[UInt8]] = []
            if isPaused {
                if case .paused = event { return [] }
                isPaused = false
                events.append(ServerEvent.named("resumed", Nothing()))
            }
            switch event {
            case .title(let title): events += begin(title.text)
            case .progress(let tokens):
                metrics.generated(tokens: 1)
                if tokens == 1 { metrics.story(from: "model") }
            case .sentence(let text, let startsParagraph):
                events.append(await line(text.text, startsParagraph))
            case .spoken: break
            case .paused:
                isPaused = true
                events.append(ServerEvent.named("paused", Nothing()))
            case .handover(let handover): events += hand(handover)
            case .finished(let summary):
                let stop = wasStopped ? "filter" : (summary?.stop.rawValue ?? "end")
                events.append(await end(stop))
            }
            return events
        }

        private mutating func begin(_ title: String) -> [[UInt8]] {
            defer { hasBegun = true }
            if hasBegun { return [ServerEvent.named("library", Title(title: title))] }
            let start = Start(story: id, title: title, source: source, audio: hasVoice, seed: seed)
            return [ServerEvent.named("start", start)] + told()
        }

        private mutating func hand(_ handover: StoryHandover) -> [[UInt8]] {
            metrics.handover(handover.reason.rawValue)
            wasStopped = handover.story == nil
            if handover.story != nil {
                source = "library"
                metrics.story(from: "library")
            }
            notice = handover.notice.map { Notice(text: $0.text, reason: handover.reason.rawValue) }
            // Before a story has begun there is nothing to put a notice under.
            return hasBegun ? told() : []
        }

        private mutating func told() -> [[UInt8]] {
            defer { notice = nil }
            return notice.map { [ServerEvent.named("notice", $0)] } ?? []
        }

        private func line(_ text: String, _ startsParagraph: Bool) async -> [UInt8] {
            let index = await stories.add(text, to: id)
            let audio = hasVoice ? "/api/story/\(id)/audio/\(index)" : nil
            return ServerEvent.named(
                "sentence", Line(index: index, text: text, startsParagraph: startsParagraph, audio: audio))
        }

        func end(_ stop: String) async -> [UInt8] {
            ServerEvent.named("end", End(source: source, sentences: await stories.count(id), stop: stop))
        }
    }
}

extension StoryLanguage {
    /// Of a request; English where it does not say.
    /// - Throws: `HTTPFailure`.
    init(tag: String?) throws(HTTPFailure) {
        guard let language = StoryLanguage(rawValue: tag ?? StoryLanguage.english.rawValue) else {
            throw .field("language", "has to be en, zh-Hans or es.")
        }
        self = language
    }
}
