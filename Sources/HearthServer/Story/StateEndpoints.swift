internal import HearthRuntime
internal import HearthStory

/// What the page needs besides stories: wishes, the bookshelf, and the model's state as it changes.
struct StateEndpoints: Sendable {
    var shelf: ModelShelf
    var queue: TurnQueue
    var watchers: TurnCounter
    /// Ends event streams when the server stops.
    var closing: ServerClosing

    private struct WishList: Encodable {
        struct Entry: Encodable {
            var id: String
            var title: String
        }
        var language: String
        var wishes: [Entry]
    }

    private struct StoryList: Encodable {
        struct Entry: Encodable {
            var id: String
            var title: String
            var wishes: [String]
            /// In words; in characters for Chinese.
            var length: Int
            var text: String
        }
        var language: String
        var stories: [Entry]
    }

    /// Heartbeat interval.
    static let heartbeat = Duration.seconds(15)
    /// Polling interval; progress changes many times a second.
    static let pace = Duration.milliseconds(100)

    private func language(_ request: ServerRequest) throws(HTTPFailure) -> StoryLanguage {
        try StoryLanguage(tag: request.head.query.first { $0.name == "language" }?.value)
    }

    func wishes(_ request: ServerRequest) throws -> ServerResponse {
        let language = try language(request)
        let wishes = Wishes.all.map { WishList.Entry(id: $0.id, title: $0.title(in: language)) }
        return ServerResponse(json: WishList(language: language.rawValue, wishes: wishes))
    }

    /// The finished stories for the page's bookshelf, which also works offline.
    func stories(_ request: ServerRequest) throws -> ServerResponse {
        let language = try language(request)
        let stories = StoryLibrary.stories(in: language).map {
            StoryList.Entry(id: $0.id, title: $0.title, wishes: $0.wishes, length: $0.length, text: $0.text)
        }
        return ServerResponse(json: StoryList(language: language.rawValue, stories: stories))
    }

    func now(_ request: ServerRequest) async throws -> ServerResponse {
        let language = try language(request)
        return ServerResponse(json: try await report(in: language))
    }

    private func report(in language: StoryLanguage) async throws -> StateReport {
        var report = try await shelf.report(in: language)
        report.running = await queue.running
        return report
    }

    /// Streams the current state and each change.
    func events(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let language = try language(request)
        guard watchers.take() else {
            throw HTTPFailure.busy("Too many pages are watching already. Close some of them.", retryAfter: 5)
        }
        defer { watchers.give() }
        exchange.begin(ServerEvent.head)
        var last: StateReport?
        var silence = Duration.zero
        // Polled, because heat and power change the report as well as the model does.
        while !closing.hasBegun {
            let report = try await report(in: language)
            if report != last {
                try await exchange.send(ServerEvent.named("state", report))
                (last, silence) = (report, .zero)
            } else if silence >= Self.heartbeat {
                try await exchange.send(ServerEvent.comment)
                silence = .zero
            }
            try await Task.sleep(for: Self.pace)
            silence += Self.pace
        }
        exchange.finish()
    }
}
