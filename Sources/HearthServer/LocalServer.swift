internal import Foundation
internal import HearthRuntime
internal import HearthSpeech
internal import Synchronization

/// A server for this machine: the page that tells stories, and language models over OpenAI's API.
///
/// It is closed by default: it listens on the loopback addresses, accepts only its own host names, answers only
/// programs and its own page, and limits the size and duration of requests. Texts are generated concurrently as far as
/// memory allows; further requests wait in a bounded queue.
///
///     let server = try await LocalServer(configuration)
///     print(server.url)
///     await server.stop()
public final class LocalServer: Sendable {
    /// The address of the page, such as `http://127.0.0.1:8080`.
    public let url: String
    /// The port that the server listens on.
    public let port: Int
    /// Whether other machines can reach it.
    package let isOpenToOthers: Bool

    private let transport: HTTPTransport
    private let app: ServerApp
    private let lastWords: Duration

    /// Starts listening, and starts loading the first model. A model that cannot be loaded is no error: it is reported to
    /// ``ServerConfiguration/onNotice``, and requests for it are answered with 500.
    /// - Throws: ``ServerError``.
    public init(_ configuration: ServerConfiguration) async throws {
        guard !configuration.models.isEmpty || configuration.awaited != nil else { throw ServerError.noModel }
        let token = try configuration.token.map { try BearerToken($0) }
        func checkAccess(_ address: String) throws {
            guard token != nil || ServerNames.isLoopback(address) else {
                throw ServerError.tokenMissing(address: address)
            }
        }
        let sockets: [ListeningSocket]
        if configuration.sockets.isEmpty {
            if let host = configuration.host {
                guard ServerNames.isAddress(host) else { throw ServerError.badAddress(host) }
                try checkAccess(host)
            }
            sockets = try ListeningSocket.open(configuration.host, port: configuration.port)
        } else {
            sockets = try configuration.sockets.map { try ListeningSocket(inherited: $0) }
            for socket in sockets { try checkAccess(socket.address) }
        }
        port = sockets[0].port
        isOpenToOthers = sockets.contains { !ServerNames.isLoopback($0.address) }
        url = "http://\(ServerNames.bracketed(sockets[0].address)):\(port)"

        let own = ServerNames.interfaces()
        let hosts = sockets.map { ServerNames.all(host: $0.address, port: $0.port, own: own) }
        let rules = RequestRules(
            hosts: hosts.reduce(into: []) { $0.formUnion($1) }, token: token, limits: configuration.limits)
        let app = await ServerApp(configuration)
        let service = HTTPService(
            limits: configuration.limits, judge: { rules.judge($0) }, answer: { await app.answer($0, $1) },
            ended: { app.ended($0) }, commonHeaders: Self.headers)
        self.app = app
        lastWords = configuration.limits.lastWords
        transport = try HTTPTransport(sockets, service)
        await app.begin()
    }

    deinit { transport.abandon() }

    /// Accepts no new connections and lets work in progress finish. Idempotent; call ``stop()`` afterwards.
    /// - Parameter limit: maximum time until all connections are closed. Texts still being generated one second before it are
    ///   ended with `finish_reason` `length`; requests that have not begun are refused with 503.
    public func drain(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        app.closing.begin()
        transport.drain()
        await transport.becomeEmpty(until: end - min(limit, lastWords))
        await app.cut()
        await transport.becomeEmpty(until: end)
        await transport.stop(within: Self.flush)
    }
    /// Time for clients to receive what is already written.
    private static let flush = Duration.milliseconds(50)

    /// Stops listening, ends work in progress, and frees the model.
    public func stop() async {
        await drain(within: .milliseconds(250))
        await app.close()
    }

    /// Headers of every response.
    static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", PageFile.policy), ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
    ]
}
