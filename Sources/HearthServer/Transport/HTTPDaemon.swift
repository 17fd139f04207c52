internal import CMicroHTTPD
internal import Foundation
internal import Synchronization

/// libmicrohttpd behind a Swift type: sockets that listen, and requests that are answered by tasks.
///
/// The library has one thread a socket. It parses heads, hands bodies on and sends; it never waits for an answer: the
/// connection rests meanwhile. Nothing here decides what is allowed or what is answered.
final class HTTPDaemon: Sendable {
    /// What becomes of requests.
    struct Service: Sendable {
        var limits: ServerLimits
        /// Judges a head before its body is read; runs on the library's thread.
        var judge: @Sendable (RequestHead) -> (Endpoint?, HTTPFailure?)
        /// Answers a request; runs in a task that is cancelled when the client leaves.
        var answer: @Sendable (HTTPRequest, HTTPExchange) async -> Void
        /// Told of each request that is over.
        var ended: @Sendable (HTTPExchange) -> Void
        /// Headers of every answer.
        var commonHeaders: [(name: String, value: String)]
    }

    /// A pointer of the library's, only used while it lives.
    private struct Handle: @unchecked Sendable { var pointer: OpaquePointer }
    private let daemon: Handle
    private let context: Context
    private let isRunning = Mutex(true)

    /// Takes the socket over.
    /// - Throws: `ServerError.libraryMissing`, `.system`.
    init(_ socket: ListeningSocket, _ service: Service, _ watch: ConnectionWatch) throws(ServerError) {
        guard let library else {
            close(socket.descriptor)
            throw .libraryMissing
        }
        context = Context(service, watch)
        let callbacks = hearth_http_callbacks(
            handle: handleRequest, completed: requestCompleted, connection: connectionChanged,
            context: Unmanaged.passUnretained(context).toOpaque())
        guard
            let pointer = hearth_http_start(
                library, socket.descriptor,
                UInt32(service.limits.connections + service.limits.spareConnections),
                UInt32(service.limits.idleTime.components.seconds),
                service.limits.connectionMemory, callbacks)
        else {
            close(socket.descriptor)
            throw .system(call: "MHD_start_daemon", reason: String(cString: strerror(errno)))
        }
        daemon = Handle(pointer: pointer)
    }

    /// Ends all connections; returns when the library's thread is gone. Blocks for as long.
    func stop() {
        let wasRunning = isRunning.withLock { isRunning in
            defer { isRunning = false }
            return isRunning
        }
        guard wasRunning, let library else { return }
        let listener = hearth_http_quiesce(library, daemon.pointer)
        // A connection that rests must not be there when the library ends.
        context.endAll()
        hearth_http_stop(library, daemon.pointer)
        if listener >= 0 { close(listener) }
    }

    deinit { stop() }
}

/// The library, loaded when the first server starts: no other command pays for it. Functions only, which never change.
nonisolated(unsafe) private let library: hearth_http_library? = {
    var library = hearth_http_library()
    return hearth_http_load(&library) ? library : nil
}()

/// What the library's callbacks work with.
private final class Context: Sendable {
    let service: HTTPDaemon.Service
    let watch: ConnectionWatch
    private let open = Mutex<(isClosing: Bool, exchanges: [ObjectIdentifier: HTTPExchange])>((false, [:]))

    init(_ service: HTTPDaemon.Service, _ watch: ConnectionWatch) {
        self.service = service
        self.watch = watch
    }

    func add(_ exchange: HTTPExchange) {
        let isClosing = open.withLock { open in
            open.exchanges[ObjectIdentifier(exchange)] = exchange
            return open.isClosing
        }
        if isClosing { exchange.end() }
    }

    func remove(_ exchange: HTTPExchange) {
        open.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Nothing rests any more, and nothing will.
    func endAll() {
        let exchanges = open.withLock { open in
            open.isClosing = true
            return Array(open.exchanges.values)
        }
        for exchange in exchanges { exchange.end() }
    }

    /// The request is whole: a task answers it.
    func start(_ exchange: HTTPExchange, _ endpoint: Endpoint, _ body: [UInt8]) {
        let request = HTTPRequest(head: exchange.head, endpoint: endpoint, body: body)
        exchange.run(
            Task { [answer = service.answer] in
                await answer(request, exchange)
                exchange.answer(HTTPResponse(HTTPFailure(500, "no_answer", "The server has no answer. Try again.")))
                exchange.finish()
            })
    }
}

private func context(_ pointer: UnsafeMutableRawPointer?) -> Context? {
    pointer.map { Unmanaged<Context>.fromOpaque($0).takeUnretainedValue() }
}

private func exchange(_ pointer: UnsafeMutableRawPointer?) -> HTTPExchange? {
    pointer.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
}

/// Puts a connection to rest, and says how to wake it.
private func rest(_ connection: OpaquePointer) -> HTTPExchange.Waker {
    if let library { hearth_http_suspend(library, connection) }
    let address = UInt(bitPattern: connection)
    return { wake(address) }
}

private func wake(_ address: UInt) {
    guard let library, let connection = OpaquePointer(bitPattern: address) else { return }
    hearth_http_resume(library, connection)
}

/// The library calls this when a head is read, for each piece of a body, at its end, and after a rest.
private func handleRequest(
    _ cls: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let library, let context = context(cls), let connection, let url, let method, let uploadSize, let slot else {
        return hearth_http_no
    }
    let limits = context.service.limits
    guard let exchange = exchange(slot.pointee) else {
        let head = requestHead(library, connection, method: String(cString: method), path: String(cString: url))
        var (endpoint, refusal) = context.service.judge(head)
        let socket = hearth_http_socket(library, connection)
        let isSpare = context.watch.isSpare(socket)
        if isSpare { refusal = HTTPFailure.tooManyConnections }
        let exchange = HTTPExchange(
            head: head, endpoint: endpoint, refusal: refusal, bodyLimit: limits.bodyBytes)
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        context.add(exchange)
        context.watch.expect(socket, within: isSpare ? limits.spareTime : limits.bodyTime)
        return hearth_http_yes
    }
    if uploadSize.pointee > 0 {
        guard let upload, exchange.receive(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)) else {
            return hearth_http_no
        }
        uploadSize.pointee = 0
        return hearth_http_yes
    }
    let step = exchange.next { rest(connection) }
    let socket = hearth_http_socket(library, connection)
    switch step {
    case .abort: return hearth_http_no
    case .begin(let body):
        guard let endpoint = exchange.endpoint else { return hearth_http_no }
        context.watch.attend(socket, within: limits.requestTime) { exchange.end() }
        context.start(exchange, endpoint, body)
        return hearth_http_yes
    case .reply(let response):
        context.watch.expect(socket, within: limits.replyTime)
        let made = response.body.withUnsafeBytes { bytes in
            hearth_http_whole(library, bytes.baseAddress, bytes.count)
        }
        return send(library, made, response, on: connection, context)
    case .stream(let response):
        let reader = Unmanaged.passRetained(StreamReader(exchange, UInt(bitPattern: connection)))
        let made = hearth_http_stream(
            library, 16 << 10, readStream, reader.toOpaque(),
            { pointer in
                if let pointer { Unmanaged<StreamReader>.fromOpaque(pointer).release() }
            })
        if made == nil { reader.release() }
        return send(library, made, response, on: connection, context)
    }
}

private func send(
    _ library: hearth_http_library, _ made: OpaquePointer?, _ response: HTTPResponse, on connection: OpaquePointer,
    _ context: Context
) -> MHD_Result {
    guard let made else { return hearth_http_no }
    for (name, value) in response.headers + context.service.commonHeaders {
        hearth_http_add_header(library, made, name, value)
    }
    return hearth_http_send(library, connection, UInt32(response.status), made)
}

/// What a streamed answer reads from.
private final class StreamReader: Sendable {
    let exchange: HTTPExchange
    let connection: UInt

    init(_ exchange: HTTPExchange, _ connection: UInt) {
        self.exchange = exchange
        self.connection = connection
    }
}

private func readStream(
    _ cls: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let cls, let buffer else { return hearth_http_end_with_error }
    let reader = Unmanaged<StreamReader>.fromOpaque(cls).takeUnretainedValue()
    guard let connection = OpaquePointer(bitPattern: reader.connection) else { return hearth_http_end_with_error }
    let target = UnsafeMutableRawBufferPointer(start: buffer, count: size)
    return switch reader.exchange.read(into: target, rest: { rest(connection) }) {
    case .bytes(let count): count
    case .rest: 0
    case .end: hearth_http_end_of_stream
    case .failed: hearth_http_end_with_error
    }
}

/// The library calls this when a request is over, answered or not; the connection is not used for it any more.
private func requestCompleted(
    _ cls: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
    guard let library, let context = context(cls), let slot, let pointer = slot.pointee else { return }
    slot.pointee = nil
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue()
    if let connection {
        context.watch.expect(hearth_http_socket(library, connection), within: context.service.limits.idleTime)
    }
    exchange.end()
    context.remove(exchange)
    context.service.ended(exchange)
}

private func connectionChanged(
    _ cls: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
    guard let library, let context = context(cls), let connection else { return }
    let socket = hearth_http_socket(library, connection)
    if what == hearth_http_started {
        context.watch.opened(socket, context.service.limits)
    } else {
        context.watch.closed(socket)
    }
}

private func requestHead(_ library: hearth_http_library, _ connection: OpaquePointer, method: String, path: String)
    -> RequestHead
{
    RequestHead(
        method: method, path: path, query: values(library, connection, hearth_http_arguments),
        headers: values(library, connection, hearth_http_headers).map { ($0.name.lowercased(), $0.value) },
        headerBytes: hearth_http_header_size(library, connection))
}

private func values(
    _ library: hearth_http_library, _ connection: OpaquePointer, _ kind: MHD_ValueKind
) -> [(name: String, value: String)] {
    final class List { var values: [(name: String, value: String)] = [] }
    let list = List()
    hearth_http_values(
        library, connection, kind,
        { cls, _, name, value in
            guard let cls, let name else { return hearth_http_yes }
            Unmanaged<List>.fromOpaque(cls).takeUnretainedValue().values.append(
                (String(cString: name), value.map { String(cString: $0) } ?? ""))
            return hearth_http_yes
        }, Unmanaged.passUnretained(list).toOpaque())
    return list.values
}
