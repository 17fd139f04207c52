internal import Foundation
internal import HearthRuntime
internal import HearthSpeech
internal import Synchronization

/// A server for the people at one machine: the page that tells stories, and models under OpenAI's interface.
///
/// Closed by default: it listens on this machine's own addresses, goes by their names only, answers its own page and programs,
/// and takes bounded requests in bounded time. One text is written at a time, and others wait in a line of bounded length.
///
///     let server = try await LocalServer(configuration)
///     print(server.url)
///     await server.stop()
public final class LocalServer: Sendable {
    /// Such as `http://127.0.0.1:8080`.
    public let url: String
    /// The port that it listens on.
    public let port: Int
    /// Whether other machines can reach it.
    package let isOpenToOthers: Bool

    private let transport: HTTPTransport
    private let app: ServerApp

    /// Begins to listen, and to load the first model.
    /// - Throws: `ServerError`.
    public init(_ configuration: ServerConfiguration) async throws {
        guard !configuration.models.isEmpty || configuration.awaited != nil else { throw ServerError.noModel }
        let token = try configuration.token.map { try BearerToken($0) }
        let host = configuration.host
        if let host {
            guard ServerNames.isAddress(host) else { throw ServerError.badAddress(host) }
            guard token != nil || ServerNames.isLoopback(host) else { throw ServerError.tokenMissing(address: host) }
        }
        let sockets = try Self.listen(host, configuration.port)
        let port = sockets[0].port
        self.port = port
        isOpenToOthers = host.map { !ServerNames.isLoopback($0) } ?? false
        url = "http://\(ServerNames.bracketed(host ?? "127.0.0.1")):\(port)"

        let rules = RequestRules(
            hosts: ServerNames.all(host: host, port: port, own: ServerNames.interfaces()), token: token,
            limits: configuration.limits)
        let app = await ServerApp(configuration)
        let service = HTTPService(
            limits: configuration.limits, judge: { rules.judge($0) }, answer: { await app.answer($0, $1) },
            ended: { app.ended($0) }, commonHeaders: Self.headers)
        self.app = app
        transport = try HTTPTransport(sockets, service)
        await app.begin()
    }

    deinit { transport.abandon() }

    /// This machine's addresses of both families on the same port; a machine that lacks the newer one does without.
    private static func listen(_ host: String?, _ port: Int) throws -> [ListeningSocket] {
        if let host { return [try ListeningSocket(address: host, port: port)] }
        var last: (any Error)?
        // A free port of one family may be taken in the other.
        for _ in 0..<8 {
            let four = try ListeningSocket(address: "127.0.0.1", port: port)
            guard hasSixth else { return [four] }
            do {
                return [four, try ListeningSocket(address: "::1", port: four.port)]
            } catch {
                close(four.descriptor)
                last = error
                if port != 0 { break }
            }
        }
        throw last ?? ServerError.cannotListen(address: "::1", port: port, reason: "no port is free")
    }

    /// Whether this machine has `::1`.
    private static var hasSixth: Bool {
        guard let probe = try? ListeningSocket(address: "::1", port: 0) else { return false }
        close(probe.descriptor)
        return true
    }

    /// Takes no new connections and lets what is under way come to its end: answers for which there is time are made whole,
    /// longer ones end with their last event. Idempotent; ``stop()`` is still to be called by who goes on living.
    /// - Parameter limit: until all connections are closed, at most. Texts that are still written when a second of it is left
    ///   are ended there, with `finish_reason` `length`; what could not begin is refused with 503.
    public func drain(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        app.closing.begin()
        transport.drain()
        await transport.becomeEmpty(until: end - min(limit, Self.lastWords))
        await app.cut()
        await transport.becomeEmpty(until: end)
        await transport.stop(within: Self.flush)
    }
    /// For texts to be ended in order, and their ends to be sent.
    private static let lastWords = Duration.seconds(1)
    /// For what is written already to be taken by its clients.
    private static let flush = Duration.milliseconds(50)

    /// Stops listening, ends what is under way, and gives the model's memory back.
    public func stop() async {
        await drain(within: .milliseconds(250))
        await app.close()
    }

    /// On every answer.
    private static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", PageFile.policy), ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
    ]
}
