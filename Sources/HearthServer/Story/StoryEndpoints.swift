internal import HearthRuntime
internal import HearthSafety
internal import HearthStory
internal import HearthText

/// Stories for the page, streamed sentence by sentence as events.
struct StoryEndpoints: Sendable {
    var shelf: ModelShelf
    var stories: StoryShelf
    var queue: TurnQueue
    var metrics: ServerMetrics
    var limits: ServerLimits
    var monitor: any DeviceMonitor
    /// Slots for streamed texts.
    var streams: TurnCounter
    /// Whether sentences can be spoken.
    var hasVoice: Bool
    /// Whether the model accepts names and lengths, which the bundled one does not.
    var knowsWants: Bool
    /// Ends a story when the server stops.
    var closing: ServerClosing

    private struct Start: Encodable {
        var story: String
        var title: String
        var source: String
        var audio: Bool
        var seed: UInt64
        /// `model`, `tale`, or `finished`.
        var kind: String
        /// ID of the tale or finished story; absent if a model writes freely. On further evenings, the ID of the first
        /// evening's tale.
        var id: String?
        /// Number of the evening; absent for a story without evenings.
        var evening: Int?
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
        /// Selects the picture next to the text.
        var reason: String
    }
    private struct Title: Encodable {
        var title: String
        var kind: String
        var id: String?
    }
    private struct End: Encodable {
        var source: String
        var sentences: Int
        var stop: String
    }
    private struct Nothing: Encodable {}

    func story(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let wanted = try JSONGuard(limits: limits).decode(StoryFields.self, from: request.body)
        let teller = try await teller(wanted)
        guard streams.take() else { throw HTTPFailure.tooManyStreams }
        defer { streams.give() }
        // Small enough to be exact in JavaScript.
        let seed = wanted.request.seed ?? UInt64.random(in: 0..<1 << 32)
        var story = wanted.request
        story.seed = seed
        try await stories.tell(story.language) { [story, evening = wanted.evening] id in
            let reader = Reader(
                id: id, story.language, seed: seed, stories: stories, hasVoice: hasVoice, metrics: metrics)
            try await send(story, evening: evening, teller, reader, exchange)
        }
    }

    private func send(
        _ story: StoryRequest, evening: Int?, _ teller: Teller, _ start: Reader, _ exchange: HTTPExchange
    ) async throws {
        var reader = start
        exchange.begin(ServerEvent.head)
        try await exchange.send(ServerEvent.comment)
        do {
            switch teller {
            case .tale:
                let first = evening.flatMap { _ in story.choice?.id }
                reader.tells(first ?? story.tale(seed: reader.seed)?.id, evening: evening)
                reader = try await read(Storyteller.tellTale(story), reader, exchange)
            case .model(let isAskedFor):
                if !knowsWants {
                    let path = try? await shelf.present()?.path
                    reader.tale = story.plan(seed: reader.seed, byModelAt: path ?? "")?.id
                }
                reader = try await tell(story, isAskedFor: isAskedFor, reader, exchange)
            }
            metrics.generation(.finished)
        } catch is CancellationError {
            metrics.generation(.cancelled)
            // The client that asked for the stop is still connected and gets the event; one that left does not.
            try? await exchange.send(await reader.end("cancelled"))
        }
        exchange.finish()
    }

    /// Stops a story; its client is notified.
    func stop(_ id: String) async -> ServerResponse {
        await stories.stop(id)
        return ServerResponse(status: 204, type: "application/json", body: [])
    }

    private enum Teller: Sendable {
        case tale
        case model(isAskedFor: Bool)
    }

    /// Chooses the source as `hearth story --source` does.
    /// - Throws: `HTTPFailure` if a model is requested that cannot tell the story.
    private func teller(_ wanted: StoryFields) async throws -> Teller {
        let canAsk = knowsWants || !wanted.request.hasWants
        if wanted.request.choice != nil || wanted.source == .library || wanted.source == .auto && !canAsk {
            return .tale
        }
        guard wanted.source == .model else { return .model(isAskedFor: false) }
        guard canAsk else {
            throw HTTPFailure.field(
                "source", "cannot be model with a name or a length: the bundled model knows neither.")
        }
        if let reason = try await shelf.present().map(obstacle) ?? .missing {
            throw HTTPFailure.busy("The model cannot tell a story now: \(reason.rawValue).", retryAfter: 15)
        }
        return .model(isAskedFor: true)
    }

    /// Tells with the model if it is ready; otherwise a finished story, unless the model was requested.
    private func tell(
        _ story: StoryRequest, isAskedFor: Bool, _ reader: Reader, _ exchange: HTTPExchange
    ) async throws -> Reader {
        let model = try? await shelf.present()
        guard let model, obstacle(model) == nil else {
            let reason = model.flatMap(obstacle) ?? .missing
            return try await read(Storyteller.tellFinished(story, because: reason), reader, exchange)
        }
        do {
            return try await queue.turn(at: model.name, for: exchange.client, waitingAtMost: limits.storyPatience) {
                // Another model may have replaced it meanwhile.
                guard let model = try await shelf.present() else { throw TurnQueue.Refusal.tooLong }
                await queue.widen(model.name, to: model.parallel)
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
        } catch let refusal as TurnQueue.Refusal {
            if refusal == .closed { throw CancellationError() }
            if isAskedFor { throw HTTPFailure.busy("The model is telling another story.", retryAfter: 10) }
            return try await read(Storyteller.tellFinished(story, because: .unavailable), reader, exchange)
        }
    }

    /// Why the model cannot tell now; nil if it can.
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
        // A stream without its last event was cancelled.
        throw CancellationError()
    }

    /// Translates a story's events into those of the page.
    private struct Reader: Sendable {
        let id: String
        let language: StoryLanguage
        let seed: UInt64
        let stories: StoryShelf
        let hasVoice: Bool
        let metrics: ServerMetrics
        private var hasBegun = false
        private var isPaused = false
        private var source = "model"
        private var notice: Notice?
        private var wasStopped = false
        private var kind = "model"
        /// ID of the tale or finished story.
        private var told: String?
        /// ID of the tale that the model is to tell.
        var tale: String?
        private var evening: Int?

        init(
            id: String, _ language: StoryLanguage, seed: UInt64, stories: StoryShelf, hasVoice: Bool,
            metrics: ServerMetrics
        ) {
            (self.id, self.language, self.seed) = (id, language, seed)
            (self.stories, self.hasVoice, self.metrics) = (stories, hasVoice, metrics)
        }

        /// Marks the story as told without a model, from the beginning.
        mutating func tells(_ id: String?, evening: Int?) {
            (source, told, self.evening) = ("library", id, evening)
            kind = kind(told)
            metrics.story(from: "library")
        }

        private func kind(_ id: String?) -> String {
            id.flatMap { StoryLibrary.story($0, in: language) } == nil ? "tale" : "finished"
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
            if hasBegun { return [ServerEvent.named("library", Title(title: title, kind: kind, id: told))] }
            let start = Start(
                story: id, title: title, source: source, audio: hasVoice, seed: seed, kind: kind,
                id: source == "model" ? tale : told, evening: evening)
            return [ServerEvent.named("start", start)] + noticed()
        }

        private mutating func hand(_ handover: StoryHandover) -> [[UInt8]] {
            metrics.handover(handover.reason.rawValue)
            wasStopped = handover.story == nil
            if let story = handover.story {
                (source, told, kind) = ("library", story, kind(story))
                metrics.story(from: "library")
            }
            notice = handover.notice.map { Notice(text: $0.text, reason: handover.reason.rawValue) }
            // Before a story has begun there is no place to show a notice.
            return hasBegun ? noticed() : []
        }

        private mutating func noticed() -> [[UInt8]] {
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
    /// The language of a request; English if it names none.
    /// - Throws: `HTTPFailure` if the language is not supported.
    init(tag: String?) throws(HTTPFailure) {
        guard let language = StoryLanguage(rawValue: tag ?? StoryLanguage.english.rawValue) else {
            throw .field("language", "must be en, zh-Hans or es.")
        }
        self = language
    }
}
