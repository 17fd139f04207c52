internal import Foundation
internal import Synchronization

/// The page of a live feed on this machine: the last frame, what was found in it, decisions and heat, as they change. Nothing is
/// encoded while nobody watches.
package final class FeedServer: Sendable {
    /// The address of the page.
    package let url: String

    private let transport: HTTPTransport
    private let feed: Feed

    /// Starts listening on the loopback addresses.
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - model: the name of the model.
    /// - Throws: ``ServerError``.
    package init(port: Int, model: String) throws {
        let sockets = try ListeningSocket.open(port: port)
        url = "http://\(ServerNames.bracketed(sockets[0].address)):\(sockets[0].port)"
        let own = ServerNames.interfaces()
        let hosts = sockets.map { ServerNames.all(host: $0.address, port: $0.port, own: own) }
        let limits = ServerLimits()
        let rules = RequestRules(
            hosts: hosts.reduce(into: []) { $0.formUnion($1) }, limits: limits, endpoint: { Endpoint.ofFeed(path: $0) })
        let feed = Feed(model: model, watchers: TurnCounter(limits.watchers))
        self.feed = feed
        transport = try HTTPTransport(
            sockets,
            HTTPService(
                limits: limits, judge: { rules.judge($0) }, answer: { await feed.answer($0, $1) }, ended: { _ in },
                commonHeaders: LocalServer.headers))
    }

    deinit { transport.abandon() }

    /// Shows how a frame was handled.
    /// - Parameter picture: encodes the frame as JPEG; called once if somebody watches, and if no newer frame came before.
    package func show(_ moment: FeedMoment, name: String?, picture: (@Sendable () -> [UInt8]?)?) {
        feed.add(moment, name: name, picture: picture)
    }

    /// Tells pages that the feed is over, and closes all connections.
    package func stop() async {
        feed.end()
        transport.drain()
        await transport.becomeEmpty(until: .now + .seconds(5))
        await transport.stop(within: .milliseconds(50))
    }
}

/// What pages are told.
private final class Feed: Sendable {
    private struct LatestFrame: Encodable {
        var frame: Int
        var name: String?
        var results: [FeedMoment.Result]
        /// JPEG, in Base64.
        var image: String
    }
    private struct Title: Encodable {
        var model: String
    }
    private struct State {
        /// The last moments; the newest is number `count` − 1.
        var moments: [FeedMoment] = []
        var count = 0
        /// The newest frame, which is encoded when somebody asks for it.
        var newest: (number: Int, name: String?, moment: FeedMoment, encode: @Sendable () -> [UInt8]?)?
        var encoded: (number: Int, event: [UInt8])?
        var isOver = false
    }
    private let state = Mutex(State())
    private let model: String
    private let watchers: TurnCounter

    /// Moments that are kept for pages that are opened later.
    private static let kept = 300
    /// How often pages are told.
    private static let pace = Duration.milliseconds(50)
    /// The time between two pictures.
    private static let picturePace = Duration.milliseconds(80)

    init(model: String, watchers: TurnCounter) { (self.model, self.watchers) = (model, watchers) }

    func add(_ moment: FeedMoment, name: String?, picture: (@Sendable () -> [UInt8]?)?) {
        state.withLock { state in
            if let picture { state.newest = (state.count, name, moment, picture) }
            state.moments.append(moment)
            if state.moments.count > Self.kept { state.moments.removeFirst(state.moments.count - Self.kept) }
            state.count += 1
        }
    }

    func end() { state.withLock { $0.isOver = true } }

    func answer(_ request: ServerRequest, _ exchange: HTTPExchange) async {
        switch request.endpoint {
        case .page(let file): exchange.answer(file.response())
        case .feedEvents:
            guard watchers.take() else {
                exchange.refuse(.busy("Too many pages are watching already. Close some of them.", retryAfter: 5))
                return
            }
            defer { watchers.give() }
            // Ends when the page is closed.
            try? await events(exchange)
        default: exchange.refuse(.notFound)
        }
    }

    private func events(_ exchange: HTTPExchange) async throws {
        exchange.begin(ServerEvent.head)
        try await exchange.send(ServerEvent.named("feed", Title(model: model)))
        var told = 0, pictured = -1
        var silence = Duration.zero, sincePicture = Self.picturePace
        while true {
            let (moments, count, isOver) = state.withLock { state in
                (Array(state.moments.suffix(state.count - told)), state.count, state.isOver)
            }
            if !moments.isEmpty {
                try await exchange.send(ServerEvent.named("frames", moments))
                (told, silence) = (count, .zero)
            }
            if isOver || sincePicture >= Self.picturePace, let (number, event) = picture(after: pictured) {
                try await exchange.send(event)
                (pictured, sincePicture, silence) = (number, .zero, .zero)
            }
            if isOver {
                try await exchange.send(ServerEvent.named("end", Title(model: model)))
                return exchange.finish()
            }
            if silence >= StateEndpoints.heartbeat {
                try await exchange.send(ServerEvent.comment)
                silence = .zero
            }
            try await Task.sleep(for: Self.pace)
            silence += Self.pace
            sincePicture += Self.pace
        }
    }

    /// The newest picture as an event; nil if there is none after a number.
    private func picture(after number: Int) -> (number: Int, event: [UInt8])? {
        let (newest, encoded) = state.withLock { ($0.newest, $0.encoded) }
        guard let newest, newest.number > number else { return nil }
        if let encoded, encoded.number == newest.number { return encoded }
        guard let bytes = newest.encode() else { return nil }
        let event = ServerEvent.named(
            "picture",
            LatestFrame(
                frame: newest.moment.frame, name: newest.name, results: newest.moment.results,
                image: Data(bytes).base64EncodedString()))
        state.withLock { $0.encoded = (newest.number, event) }
        return (newest.number, event)
    }
}
