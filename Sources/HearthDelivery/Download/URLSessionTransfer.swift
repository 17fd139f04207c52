#if canImport(Darwin)
package import Foundation

/// HTTP exchanges over URLSession; on Linux the same type uses libcurl.
///
/// The session's own queue only appends events to a list; `run` passes them to the handler on the caller's thread. A body that
/// arrives faster than it is consumed is paused. Proxies and certificate authorities are those of the system.
final class HTTPTransfers {
    private let inbox = Inbox()
    private let session: URLSession
    private var exchanges: [TransferID: Exchange] = [:]
    private var nextID = 0

    init(environment: [String: String], connectSeconds: Double) throws(DeliveryError) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = 16
        // The attempt detects stalls, because it knows what counts as progress.
        configuration.timeoutIntervalForRequest = 600
        configuration.waitsForConnectivity = false
        session = URLSession(
            configuration: configuration, delegate: SessionDelegate(inbox: inbox), delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Wakes `run` from another thread.
    var wakeUp: @Sendable () -> Void {
        let inbox = inbox
        return { inbox.wakeUp() }
    }

    func start(_ request: TransferRequest) throws(DeliveryError) -> TransferID {
        guard let url = URL(string: request.address.text) else {
            throw .invalidAddress(url: request.address.shown, reason: "it is not a URL")
        }
        var message = URLRequest(url: url)
        message.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        message.setValue("hearth", forHTTPHeaderField: "User-Agent")
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: message)
        nextID += 1
        exchanges[nextID] = Exchange(task: task, request: request)
        task.taskDescription = String(nextID)
        task.resume()
        return nextID
    }

    func cancel(_ id: TransferID) { exchanges.removeValue(forKey: id)?.task.cancel() }

    /// Waits for events, at most `seconds`, and passes them to the handler.
    func run(for seconds: Double, handler: any TransferHandler) {
        for event in inbox.take(waiting: seconds) {
            guard let exchange = exchanges[event.id] else { continue }
            deliver(event, of: exchange, to: handler)
        }
    }

    private func deliver(_ event: Event, of exchange: Exchange, to handler: any TransferHandler) {
        switch event.content {
        case .response(let response):
            guard let response = response as? HTTPURLResponse else { return stop(exchange) }
            let head = TransferResponse(response, peer: exchange.peer)
            if !handler.transfer(event.id, received: head) { stop(exchange) }
        case .peer(let peer):
            exchange.peer = peer
            // URLSession cannot be stopped before it connects, so the response of a forbidden address is discarded.
            if let peer, !exchange.request.rule.allows(peer) {
                exchange.refusal = "its name leads to an address in a private network"
                exchange.task.cancel()
            }
        case .bytes(let data):
            if !exchange.isStopped, exchange.refusal == nil {
                let isWanted = data.withUnsafeBytes { handler.transfer(event.id, received: $0) }
                if !isWanted { stop(exchange) }
            }
            inbox.release(data.count, exchange.task)
        case .end(let error):
            exchanges[event.id] = nil
            handler.transfer(event.id, ended: exchange.end(error))
        }
    }

    private func stop(_ exchange: Exchange) {
        exchange.isStopped = true
        exchange.task.cancel()
    }
}

extension TransferResponse {
    /// The head of a response as the system reports it.
    package init(_ response: HTTPURLResponse, peer: RemoteAddress.Kind? = nil) {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        let location = headers["location"].flatMap { URL(string: $0, relativeTo: response.url)?.absoluteString }
        self.init(status: response.statusCode, headers: headers, location: location, peer: peer)
    }
}

/// One request and the state of its response.
private final class Exchange {
    let task: URLSessionDataTask
    let request: TransferRequest
    var peer: RemoteAddress.Kind?
    var isStopped = false
    var refusal: String?

    init(task: URLSessionDataTask, request: TransferRequest) {
        self.task = task
        self.request = request
    }

    func end(_ error: (any Error)?) -> TransferEnd {
        if let refusal { return .refused(reason: refusal) }
        if isStopped { return .stopped }
        guard let error else { return .complete }
        let hopeless: [URLError.Code] = [
            .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .secureConnectionFailed, .unsupportedURL, .badURL,
            .appTransportSecurityRequiresSecureConnection,
        ]
        if let error = error as? URLError, hopeless.contains(error.code) {
            return .refused(reason: error.localizedDescription)
        }
        return .failed(reason: error.localizedDescription)
    }
}

private struct Event: Sendable {
    enum Content: Sendable {
        case peer(RemoteAddress.Kind?), response(URLResponse), bytes(Data), end((any Error)?)
    }
    var id: TransferID
    var content: Content
}

/// Bytes that have arrived but were not consumed yet. Holds a few megabytes, then pauses the sender.
private final class Inbox: @unchecked Sendable {
    private static let most = 8 << 20
    private let condition = NSCondition()
    private var events: [Event] = []
    private var bytes = 0
    private var isWoken = false

    func put(_ event: Event, from task: URLSessionTask) {
        condition.lock()
        defer { condition.unlock() }
        events.append(event)
        if case .bytes(let data) = event.content {
            bytes += data.count
            if bytes > Self.most { task.suspend() }
        }
        condition.signal()
    }

    func release(_ count: Int, _ task: URLSessionTask) {
        condition.lock()
        defer { condition.unlock() }
        bytes -= count
        if bytes <= Self.most / 2, task.state == .suspended { task.resume() }
    }

    func wakeUp() {
        condition.lock()
        defer { condition.unlock() }
        isWoken = true
        condition.signal()
    }

    func take(waiting seconds: Double) -> [Event] {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: seconds)
        while events.isEmpty, !isWoken, condition.wait(until: end) {}
        isWoken = false
        defer { events = [] }
        return events
    }
}

private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let inbox: Inbox

    init(inbox: Inbox) { self.inbox = inbox }

    private func put(_ content: Event.Content, _ task: URLSessionTask) {
        guard let id = task.taskDescription.flatMap({ Int($0) }) else { return }
        inbox.put(Event(id: id, content: content), from: task)
    }

    /// Redirects are not followed: the redirecting response is returned, and the policy decides.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        put(.response(response), dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        put(.bytes(data), dataTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        guard let last = metrics.transactionMetrics.last, !last.isProxyConnection else { return }
        put(.peer(last.remoteAddress.flatMap { RemoteAddress.Kind(literal: $0) }), task)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        put(.end(error), task)
    }
}
#endif
