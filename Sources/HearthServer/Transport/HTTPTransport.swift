internal import Foundation
internal import Synchronization

/// The server's sockets: one thread accepts, reads and writes for all connections of all addresses, and blocks only in
/// `poll`. Responses come from tasks, which wake the thread.
final class HTTPTransport: Sendable {
    private struct Orders {
        var woken: Set<UInt64> = []
        var isRung = false
        var isDraining = false
        var stopsAt: ContinuousClock.Instant?
        var isOver = false
        var open = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var waiterSerial: UInt64 = 0
    }
    private let orders = Mutex(Orders())
    private let bell: (read: Int32, write: Int32)
    private let limits: ServerLimits

    /// Takes ownership of the sockets.
    /// - Throws: `ServerError.system`.
    init(_ sockets: [ListeningSocket], _ service: HTTPService) throws(ServerError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            for socket in sockets { close(socket.descriptor) }
            throw .system(call: "pipe", reason: String(cString: strerror(errno)))
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = (ends[0], ends[1])
        limits = service.limits
        let thread = Thread { [self] in
            var loop = Loop(listeners: sockets, service: service, transport: self)
            loop.run()
        }
        thread.name = "hearth.connections"
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit {
        close(bell.read)
        close(bell.write)
    }

    // MARK: - For other threads

    /// Accepts no new connections or requests; work in progress continues. Idle connections are closed.
    func drain() { order { $0.isDraining = true } }

    /// Returns when no connection is left, or at the deadline.
    func becomeEmpty(until deadline: ContinuousClock.Instant) async {
        let serial = orders.withLock { orders in
            orders.waiterSerial += 1
            return orders.waiterSerial
        }
        let timer = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            orders.withLock { $0.waiters.removeValue(forKey: serial) }?.resume()
        }
        await withCheckedContinuation { continuation in
            let isEmpty = orders.withLock { orders in
                if orders.isOver || orders.open == 0 || deadline <= .now { return true }
                orders.waiters[serial] = continuation
                return false
            }
            if isEmpty { continuation.resume() }
        }
        timer.cancel()
    }

    /// Closes all connections: pending requests are answered with 503, streams end where they are, and buffered output
    /// is sent as far as the time limit allows.
    func stop(within limit: Duration) async {
        order { orders in
            orders.isDraining = true
            orders.stopsAt = orders.stopsAt ?? .now + limit
        }
        // The thread observes the limit; this adds some time for a busy machine.
        await becomeEmpty(until: .now + limit + .seconds(5))
    }

    /// Closes all connections at once, without waiting.
    func abandon() {
        order { orders in
            orders.isDraining = true
            orders.stopsAt = .now
        }
    }

    private func order(_ change: (inout Orders) -> Void) {
        let rings = orders.withLock { orders in
            change(&orders)
            defer { orders.isRung = true }
            return !orders.isRung && !orders.isOver
        }
        if rings { ring() }
    }

    private func ring() {
        var byte: UInt8 = 1
        _ = write(bell.write, &byte, 1)
    }

    // MARK: - For the thread

    fileprivate func wake(_ serial: UInt64) { order { $0.woken.insert(serial) } }

    fileprivate var bellSocket: Int32 { bell.read }

    fileprivate func takeOrders() -> (woken: Set<UInt64>, isDraining: Bool, stopsAt: ContinuousClock.Instant?) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(bell.read, &bytes, bytes.count) > 0 {}
        return orders.withLock { orders in
            defer { (orders.woken, orders.isRung) = ([], false) }
            return (orders.woken, orders.isDraining, orders.stopsAt)
        }
    }

    fileprivate func report(open: Int, isOver: Bool) {
        let waiters = orders.withLock { orders in
            (orders.open, orders.isOver) = (open, isOver)
            guard open == 0 && (orders.isDraining || isOver) else { return [CheckedContinuation<Void, Never>]() }
            defer { orders.waiters = [:] }
            return Array(orders.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// The thread's event loop.
private struct Loop {
    var listeners: [ListeningSocket]
    let service: HTTPService
    let transport: HTTPTransport
    private var connections: [Int32: HTTPConnection] = [:]
    private var serial: UInt64 = 0
    private var isDraining = false
    private var isStopping = false
    /// The last call of `poll`. A deadline counts once it has passed before that: the thread may have stood still since, and
    /// what a client sent in time is read first.
    private var polledAt = ContinuousClock.now
    /// When accepting resumes, after running out of file descriptors.
    private var acceptsAgain: ContinuousClock.Instant?

    /// Longest time in `poll`; deadlines are kept exactly.
    private static let longest = Duration.seconds(60)

    init(listeners: [ListeningSocket], service: HTTPService, transport: HTTPTransport) {
        (self.listeners, self.service, self.transport) = (listeners, service, transport)
    }

    mutating func run() {
        while true {
            let (woken, drains, stopsAt) = transport.takeOrders()
            for connection in connections.values where woken.contains(connection.serial) { connection.advance() }
            if drains, !isDraining { drain() }
            let now = ContinuousClock.now
            if stopsAt != nil, !isStopping { beginStop() }
            for connection in connections.values where connection.deadline <= polledAt { connection.expire() }
            if isStopping {
                for connection in connections.values
                where connection.flush() || stopsAt.map({ $0 <= now }) ?? false { connection.close() }
            }
            connections = connections.filter { !$0.value.isClosed }
            let isOver = isStopping && connections.isEmpty
            transport.report(open: connections.count, isOver: isOver)
            if isOver { return }
            wait(now, stopsAt)
        }
    }

    private mutating func drain() {
        isDraining = true
        for listener in listeners {
            // Closing it resets connections that wait to be accepted; these get an answer. Not who comes meanwhile: a crowd that
            // connects faster than it is accepted would never end. Those of an inherited socket go on waiting, for the next
            // server.
            if !listener.isInherited { accept(from: listener.descriptor, atMost: ListeningSocket.mostWaiting) }
            close(listener.descriptor)
        }
        listeners = []
        for connection in connections.values {
            connection.isDraining = true
            // A request may have arrived that is not read yet; closing would lose it.
            if connection.holder.use <= .idle { connection.readable() }
            if connection.holder.use <= .idle { connection.close() }
        }
    }

    private mutating func beginStop() {
        isStopping = true
        for connection in connections.values { connection.settle(.stopping) }
    }

    // MARK: - Waiting

    private mutating func wait(_ now: ContinuousClock.Instant, _ stopsAt: ContinuousClock.Instant?) {
        var polled = [pollfd(fd: transport.bellSocket, events: Int16(POLLIN), revents: 0)]
        let accepts =
            connections.count < service.limits.connections + service.limits.spareConnections
            && acceptsAgain.map { $0 <= now } ?? true
        if accepts { polled += listeners.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) } }
        let first = polled.count
        var wakes = now + Self.longest
        for connection in connections.values {
            let interest = connection.interest
            var events: Int16 = 0
            if interest.reads { events |= Int16(POLLIN) }
            if interest.writes { events |= Int16(POLLOUT) }
            if interest.leaves { events |= Self.hangUp }
            polled.append(pollfd(fd: connection.socket, events: events, revents: 0))
            wakes = min(wakes, connection.deadline)
        }
        if let stopsAt { wakes = min(wakes, stopsAt) }
        if let acceptsAgain, acceptsAgain > now { wakes = min(wakes, acceptsAgain) }
        polledAt = .now
        let milliseconds = ((wakes - polledAt) / .milliseconds(1)).rounded(.up)
        guard poll(&polled, nfds_t(polled.count), Int32(max(0, milliseconds))) > 0 else { return }
        for entry in polled[first...] where entry.revents != 0 { happened(entry) }
        // After the others: closed connections free slots.
        for entry in polled[1..<first] where entry.revents != 0 { accept(from: entry.fd, atMost: Self.mostAtOnce) }
    }

    private func happened(_ entry: pollfd) {
        guard let connection = connections[entry.fd], !connection.isClosed else { return }
        let interest = connection.interest
        let isBroken = entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
        if interest.reads {
            if entry.revents & Int16(POLLIN) != 0 || isBroken { connection.readable() }
        } else if isBroken {
            return connection.left(isGone: true)
        } else if interest.leaves, entry.revents & Self.hangUp != 0, Self.hasLeft(entry.fd) {
            connection.left(isGone: false)
        }
        if !connection.isClosed, entry.revents & Int16(POLLOUT) != 0 { connection.advance() }
    }

    // MARK: - Accepting

    /// Maximum number of connections accepted before the existing ones have their turn.
    private static let mostAtOnce = 64

    private mutating func accept(from listener: Int32, atMost most: Int) {
        for _ in 0..<most {
            var name = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = withUnsafeMutableBytes(of: &name) { bytes -> Int32 in
                guard let start = bytes.baseAddress else { return -1 }
                return Foundation.accept(listener, start.assumingMemoryBound(to: sockaddr.self), &length)
            }
            guard socket >= 0 else {
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                    makeRoom()
                    acceptsAgain = .now + .milliseconds(100)
                }
                return
            }
            prepare(socket)
            connections = connections.filter { !$0.value.isClosed }
            if connections.count >= service.limits.connections { makeRoom() }
            guard connections.count < service.limits.connections + service.limits.spareConnections else {
                shutdown(socket, Int32(SHUT_RDWR))
                close(socket)
                return
            }
            serial += 1
            let isSpare = connections.count >= service.limits.connections
            connections[socket] = HTTPConnection(
                socket, serial: serial, address: Self.address(name, length), isSpare: isSpare, service,
                wake: { [transport, serial] in transport.wake(serial) })
        }
    }

    /// Closes an inactive connection; spare ones end by themselves.
    private mutating func makeRoom() {
        let holders = connections.values.filter { !$0.isSpare && !$0.isClosed }
        guard let victim = ConnectionPlaces.victim(among: holders.map(\.holder)),
            let connection = holders.first(where: { $0.serial == victim })
        else { return }
        connection.close()
        connections.removeValue(forKey: connection.socket)
    }

    private func prepare(_ socket: Int32) {
        var on: Int32 = 1
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        // Pieces of a text are sent without delay.
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// The peer's numeric address, without the port.
    private static func address(_ name: sockaddr_storage, _ length: socklen_t) -> String {
        withUnsafeBytes(of: name) { bytes in
            bytes.baseAddress.flatMap { ServerNames.numeric($0.assumingMemoryBound(to: sockaddr.self), length) } ?? ""
        }
    }

    #if canImport(Darwin)
    // The next request's data raises it too; `hasLeft` tells the two apart.
    private static let hangUp = Int16(POLLIN)
    private static func hasLeft(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }
    #else
    private static let hangUp = Int16(bitPattern: 0x2000)  // POLLRDHUP, which Glibc declares with _GNU_SOURCE only
    private static func hasLeft(_ socket: Int32) -> Bool { true }
    #endif
}
