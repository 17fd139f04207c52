internal import HearthRuntime
internal import HearthStory

/// Stories for the page, as they are told: sentence by sentence, as events.
struct StoryEndpoints: Sendable {
    var shelf: ModelShelf
    var stories: StoryShelf
    var queue: TurnQueue
    var metrics: ServerMetrics
    var limits: ServerLimits
    /// Whether sentences can be heard.
    var hasVoice: Bool

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
    private struct Text: Encodable { var text: String }
    private struct Title: Encodable { var title: String }
    private struct End: Encodable {
        var source: String
        var sentences: Int
        var stop: String
    }
    private struct Nothing: Encodable {}

    func story(_ request: HTTPRequest, _ exchange: HTTPExchange) async throws {
        let wanted = try JSONGuard(limits: limits).decode(Request.self, from: request.body)
        // Small enough for the numbers of JavaScript.
        let seed = wanted.seed ?? UInt64.random(in: 0..<1 << 32)
        let id = await stories.begin(wanted.language)
        exchange.begin(ServerEvent.head)
        try await exchange.send(ServerEvent.comment)
        let tale = Tale(wish: wanted.wish, language: wanted.language, seed: seed, metrics: metrics) { event in
            if await stories.isStopped(id) { throw CancellationError() }
            if let bytes = await bytes(event, of: id, seed: seed) { try await exchange.send(bytes) }
        }
        do {
            try await tell(tale)
            metrics.generation(.finished)
        } catch is CancellationError {
            metrics.generation(.cancelled)
            // Who asked for the stop is still there, and is told; who left is not.
            let end = End(source: Tale.Source.model.rawValue, sentences: await stories.count(id), stop: "cancelled")
            try? await exchange.send(ServerEvent.named("end", end))
        }
        exchange.finish()
    }

    /// Ends a story; whoever reads it is told.
    func stop(_ id: String) async -> HTTPResponse {
        await stories.stop(id)
        return HTTPResponse(status: 204, type: "application/json", body: [])
    }

    /// By the model if it is ready; else a finished story. Never nothing.
    private func tell(_ tale: Tale) async throws {
        guard let model = try? await shelf.present() else {
            try await tale.tellFinished(notice: nil)
            return
        }
        let notice = GentleNotice(tale.language).prepared(await model.conditions)
        guard model.runner.state == .ready else {
            try await tale.tellFinished(notice: notice)
            return
        }
        do {
            try await queue.turn(waitingAtMost: Self.patience) {
                try await TimeLimit.run(limits.generationTime) { _ in try await tale.tell(by: model) }
            }
        } catch is TurnQueue.Refusal {
            try await tale.tellFinished(notice: nil)
        }
    }

    private func bytes(_ event: Tale.Event, of id: String, seed: UInt64) async -> [UInt8]? {
        switch event {
        case .start(let title, let source):
            return ServerEvent.named(
                "start", Start(story: id, title: title, source: source.rawValue, audio: hasVoice, seed: seed))
        case .sentence(let text, let startsParagraph):
            let index = await stories.add(text, to: id)
            return ServerEvent.named(
                "sentence",
                Line(
                    index: index, text: text, startsParagraph: startsParagraph,
                    audio: hasVoice ? "/api/story/\(id)/audio/\(index)" : nil))
        case .notice(let text): return ServerEvent.named("notice", Text(text: text))
        case .paused: return ServerEvent.named("paused", Nothing())
        case .resumed: return ServerEvent.named("resumed", Nothing())
        case .library(let title): return ServerEvent.named("library", Title(title: title))
        case .working: return nil
        case .end(let source, let stop):
            return ServerEvent.named(
                "end", End(source: source.rawValue, sentences: await stories.count(id), stop: stop))
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
