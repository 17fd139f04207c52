internal import Foundation

/// One client's connection: requests in sequence, each with one response. Used by the transport's thread only.
final class HTTPConnection {
    private enum Phase {
        case head
        /// The body is being read; the request will be answered.
        case body(HTTPExchange, Endpoint, BodyFraming, ChunkedBody)
        /// A task is preparing the response.
        case answering(HTTPExchange)
        /// The response is known, and its last bytes are in `output`, or will be.
        case replying(HTTPExchange, isStream: Bool)
        /// The last response is sent; further input is read and dropped until the client has closed its end: unread bytes would
        /// reset the connection, and the client would lose the response (RFC 9112, section 9.6).
        case lingering
        case closed
    }
    /// The events that the transport polls for.
    struct Interest {
        var reads = false
        var writes = false
        /// The peer has closed its end.
        var leaves = false
    }

    let socket: Int32
    let serial: UInt64
    let address: String
    /// Whether it is over the limit: it gets an error and is closed.
    let isSpare: Bool
    private let service: HTTPService
    private let wake: @Sendable () -> Void

    private var phase = Phase.head
    private var input: [UInt8] = []
    private var body: [UInt8] = []
    private var output: [UInt8] = []
    private var sent = 0
    private var parser: HTTPHeadParser
    private var closesAfter = false
    private var dropped = 0
    private var isChunked = false
    private var isHalfClosed = false
    private var hasBeenAnswered = false
    private var since = ContinuousClock.now
    private(set) var deadline: ContinuousClock.Instant
    /// Whether no new request is accepted; the connection ends after the current response.
    var isDraining = false

    private static let readSize = 16 << 10
    /// Maximum number of bytes that are read and dropped.
    private static let mostDropped = 16 << 20
    private static let lingerTime = Duration.seconds(2)

    init(
        _ socket: Int32, serial: UInt64, address: String, isSpare: Bool, _ service: HTTPService,
        wake: @escaping @Sendable () -> Void
    ) {
        (self.socket, self.serial, self.address, self.isSpare) = (socket, serial, address, isSpare)
        (self.service, self.wake) = (service, wake)
        parser = HTTPHeadParser(limit: service.limits.headerBytes)
        deadline = .now + (isSpare ? service.limits.spareTime : service.limits.headerTime)
    }

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// How it is used, for choosing a connection to close.
    var holder: ConnectionPlaces.Holder {
        let use: ConnectionPlaces.Use =
            switch phase {
            case .head: !input.isEmpty ? .head : hasBeenAnswered ? .idle : .silent
            case .lingering: .idle
            default: .busy
            }
        return .init(serial: serial, use: use, address: address, since: since)
    }

    var interest: Interest {
        let hasOutput = sent < output.count
        return switch phase {
        case .head, .body: Interest(reads: true, writes: hasOutput)
        case .answering, .replying: Interest(writes: hasOutput, leaves: !isHalfClosed)
        case .lingering: Interest(reads: true)
        case .closed: Interest()
        }
    }

    // MARK: - Events

    /// The socket is readable, or the peer has closed its end.
    func readable() {
        var buffer = [UInt8](repeating: 0, count: Self.readSize)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return close() }
        if case .lingering = phase {
            dropped += count
            if dropped > Self.mostDropped { close() }
            return
        }
        if input.isEmpty, case .head = phase {
            since = .now
            // A head that has begun has the header timeout, however long the idle timeout is.
            deadline = min(deadline, since + service.limits.headerTime)
        }
        input += buffer[..<count]
        advance()
    }

    /// The peer has half-closed the connection, or is gone.
    func left(isGone: Bool) {
        if !isGone, let exchange, exchange.endpoint.map({ !$0.isLong }) ?? true {
            // The client may still read, and the response comes soon.
            isHalfClosed = true
            closesAfter = true
            return
        }
        close()
    }

    /// The socket is writable, or there is something to write.
    func advance() {
        var goesOn = true
        while goesOn {
            switch phase {
            case .head: goesOn = readHead()
            case .body(let exchange, let endpoint, let framing, let chunks):
                goesOn = readBody(exchange, endpoint, framing, chunks)
            case .answering(let exchange): goesOn = reply(exchange)
            case .replying(let exchange, let isStream): goesOn = write(exchange, isStream: isStream)
            case .lingering, .closed: goesOn = false
            }
        }
    }

    /// The deadline has passed.
    func expire() { close() }

    /// Closes the connection and cancels its work.
    func close() {
        if case .closed = phase { return }
        if let exchange { over(exchange) }
        phase = .closed
        // A child that was started just after `accept` may hold the socket as well: closing it here would then not end the
        // connection.
        shutdown(socket, Int32(SHUT_RDWR))
        Foundation.close(socket)
    }

    /// Answers with a failure if no response has begun.
    func settle(_ failure: HTTPFailure) {
        guard case .answering(let exchange) = phase else { return }
        exchange.refuse(failure)
        advance()
    }

    /// Writes pending output, without changing what is in progress.
    /// - Returns: whether all of it was written.
    func flush() -> Bool {
        advance()
        return isClosed || sent == output.count
    }

    // MARK: - Steps; each returns whether another one may follow at once

    private func readHead() -> Bool {
        guard !input.isEmpty else { return false }
        let parsed: (head: RequestHead, count: Int)
        do {
            guard let whole = try parser.parse(input) else { return false }
            parsed = whole
        } catch {
            // Not a request: it has no path, and nothing after it can be parsed.
            let nothing = RequestHead(method: "", path: "", headers: [], headerBytes: input.count)
            let exchange = HTTPExchange(head: nothing, endpoint: nil, onChange: wake)
            refuse(exchange, isSpare ? .tooManyConnections : error)
            return true
        }
        parser = HTTPHeadParser(limit: service.limits.headerBytes)
        input.removeFirst(parsed.count)
        let head = parsed.head
        let (endpoint, judged) = service.judge(head)
        let refusal = isSpare ? .tooManyConnections : isDraining ? .stopping : judged
        let exchange = HTTPExchange(head: head, endpoint: endpoint, client: address, onChange: wake)
        isHalfClosed = false
        closesAfter = !head.keepsAlive || isSpare || isDraining
        guard let framing = try? BodyFraming(head), framing == .none || refusal == nil else {
            refuse(exchange, refusal ?? judged ?? .stopping)
            return true
        }
        if let refusal {
            exchange.refuse(refusal)
            begin(.answering(exchange), within: service.limits.replyTime)
            return true
        }
        guard let endpoint else { return false }
        guard framing != .none else {
            start(exchange, endpoint, [])
            return true
        }
        // In HTTP/1.0 an expectation is ignored (RFC 9110, section 10.1.1).
        if head.has("expect"), head.minorVersion > 0 {
            guard head.values("expect").map({ $0.lowercased() }) == ["100-continue"] else {
                refuse(
                    exchange,
                    HTTPFailure(417, "bad_expectation", "This expectation is not supported. Send no Expect header."))
                return true
            }
            if input.isEmpty { output += ResponseHead.proceed }
        }
        body = []
        begin(.body(exchange, endpoint, framing, ChunkedBody()), within: service.limits.bodyTime)
        return true
    }

    private func readBody(
        _ exchange: HTTPExchange, _ endpoint: Endpoint, _ framing: BodyFraming, _ chunks: ChunkedBody
    ) -> Bool {
        guard pushOutput() else { return false }
        var rest = input[...]
        var isWhole = false
        switch framing {
        case .none: isWhole = true
        case .length(let length):
            let piece = rest.prefix(length - body.count)
            body += piece
            rest = rest.dropFirst(piece.count)
            isWhole = body.count == length
        case .chunked:
            var chunks = chunks
            do throws(HTTPFailure) {
                isWhole = try chunks.take(&rest) { body += $0 }
            } catch {
                refuse(exchange, error)
                return true
            }
            phase = .body(exchange, endpoint, framing, chunks)
        }
        input = Array(rest)
        guard body.count <= service.limits.bodyBytes else {
            refuse(exchange, RequestRules.tooLarge(service.limits.bodyBytes))
            return true
        }
        guard isWhole else { return false }
        defer { body = [] }
        start(exchange, endpoint, body)
        return true
    }

    private func start(_ exchange: HTTPExchange, _ endpoint: Endpoint, _ body: [UInt8]) {
        begin(.answering(exchange), within: service.limits.requestTime)
        let request = ServerRequest(head: exchange.head, endpoint: endpoint, body: body)
        exchange.run(
            Task { [answer = service.answer] in
                await answer(request, exchange)
                exchange.refuse(HTTPFailure(500, "no_answer", "The server has no answer. Try again."))
                exchange.finish()
            })
    }

    /// Responds and closes the connection: the following bytes cannot be told from the rest of this request.
    private func refuse(_ exchange: HTTPExchange, _ failure: HTTPFailure) {
        (input, body) = ([], [])
        closesAfter = true
        exchange.refuse(failure)
        begin(.answering(exchange), within: service.limits.replyTime)
    }

    private func reply(_ exchange: HTTPExchange) -> Bool {
        guard let answer = exchange.answer else { return false }
        if isDraining { closesAfter = true }
        let hasBody = exchange.head.method != "HEAD"
        func head(_ response: ServerResponse, _ length: ResponseHead.Length) {
            exchange.willSend(status: response.status)
            if response.headers.contains(where: { $0 == ("Connection", "close") }) { closesAfter = true }
            output += ResponseHead.bytes(response, length, common: service.commonHeaders, closes: closesAfter)
        }
        switch answer {
        case .whole(let response):
            head(response, .known(response.body.count))
            if hasBody { output += response.body }
            begin(.replying(exchange, isStream: false), within: service.limits.replyTime)
        case .stream(let response):
            isChunked = exchange.head.minorVersion > 0
            if !isChunked { closesAfter = true }
            head(response, isChunked ? .chunked : .untilTheEnd)
            // A stream's time limit runs from the end of the request.
            phase = .replying(exchange, isStream: hasBody)
        }
        return true
    }

    private func write(_ exchange: HTTPExchange, isStream: Bool) -> Bool {
        guard pushOutput() else { return false }
        guard isStream else {
            finish(exchange)
            return true
        }
        switch exchange.read() {
        case .bytes(let bytes):
            output += isChunked ? Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10] : bytes
            return true
        case .rest: return false
        case .end:
            if isChunked { output += Array("0\r\n\r\n".utf8) }
            phase = .replying(exchange, isStream: false)
            return true
        case .failed:
            close()
            return false
        }
    }

    /// - Returns: whether all of it was written; if not, the connection may have been closed.
    private func pushOutput() -> Bool {
        while sent < output.count {
            let count = output.withUnsafeBytes { bytes in
                send(socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Self.noSignal)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { close() }
                return false
            }
            sent += count
        }
        (output, sent) = ([], 0)
        return true
    }

    private func finish(_ exchange: HTTPExchange) {
        over(exchange)
        hasBeenAnswered = true
        guard closesAfter || isDraining else { return begin(.head, within: service.limits.idleTime) }
        shutdown(socket, Int32(SHUT_WR))
        begin(.lingering, within: Self.lingerTime)
    }

    private func over(_ exchange: HTTPExchange) {
        exchange.end()
        service.ended(exchange)
    }

    private func begin(_ next: Phase, within limit: Duration) {
        (phase, since) = (next, .now)
        deadline = since + (isSpare ? min(limit, service.limits.spareTime) : limit)
    }

    private var exchange: HTTPExchange? {
        switch phase {
        case .body(let exchange, _, _, _), .answering(let exchange), .replying(let exchange, _): exchange
        case .head, .lingering, .closed: nil
        }
    }

    #if canImport(Darwin)
    private static let noSignal: Int32 = 0  // SO_NOSIGPIPE is set on the socket
    #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
