internal import HearthRuntime
internal import HearthStory

/// What the page wants to know besides stories: wishes, and the model's state as it changes.
struct StateEndpoints: Sendable {
    var shelf: ModelShelf
    var watchers: TurnCounter
    /// Nobody watches a server that ends.
    var closing: ServerClosing

    private struct WishList: Encodable {
        struct Entry: Encodable {
            var id: String
            var title: String
        }
        var language: String
        var wishes: [Entry]
    }

    /// Between two signs of life.
    static let heartbeat = Duration.seconds(15)
    /// Between two reports of progress, which comes many times a second.
    static let pace = Duration.milliseconds(100)

    private func language(_ request: ServerRequest) throws(HTTPFailure) -> StoryLanguage {
        try StoryLanguage(tag: request.head.query.first { $0.name == "language" }?.value)
    }

    func wishes(_ request: ServerRequest) throws -> ServerResponse {
        let language = try language(request)
        let wishes = Wishes.all.map { WishList.Entry(id: $0.id, title: $0.title(in: language)) }
        return ServerResponse(json: WishList(language: language.rawValue, wishes: wishes))
    }

    func now(_ request: ServerRequest) async throws -> ServerResponse {
        let language = try language(request)
        return ServerResponse(json: try await shelf.report(in: language))
    }

    /// The state now and each change.
    func events(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let language = try language(request)
        guard watchers.take() else {
            throw HTTPFailure.busy("Too many pages watch already. Close some of them.", retryAfter: 5)
        }
        defer { watchers.give() }
        exchange.begin(ServerEvent.head)
        var last: StateReport?
        var silence = Duration.zero
        // Asked for, not followed: heat and power change what is reported as well as the model does.
        while !closing.hasBegun {
            let report = try await shelf.report(in: language)
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
