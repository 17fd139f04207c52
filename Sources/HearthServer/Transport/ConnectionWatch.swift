internal import Foundation
internal import Synchronization

/// One thread that looks after what the library's does not: clients that leave while their answer is being made, and
/// clients that take their time on purpose.
///
/// Sockets are entered when they are accepted and taken out before they are closed, under one lock, so that a number that the
/// system has given to another socket is never mistaken for the old one.
final class ConnectionWatch: Sendable {
    private struct Entry {
        var serial: UInt64
        var isSpare: Bool
        var deadline: ContinuousClock.Instant?
        var onLeave: (@Sendable () -> Void)?
    }
    private struct State {
        var entries: [Int32: Entry] = [:]
        var serial: UInt64 = 0
        var isStopped = false
    }
    private let state = Mutex(State())
    private let bell: (read: Int32, write: Int32)

    /// Longest sleep in milliseconds while there are connections; deadlines are kept to within this.
    private static let beat: Int32 = 250

    init() throws(ServerError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(call: "pipe", reason: String(cString: strerror(errno))) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = (ends[0], ends[1])
        let thread = Thread { [self] in loop() }
        thread.name = "hearth.connections"
        thread.stackSize = 256 << 10
        thread.start()
    }

    /// A socket was accepted; it has so long to say what it wants. Where there are enough already, it is a spare one until its
    /// end, however many leave meanwhile.
    func opened(_ socket: Int32, _ limits: ServerLimits) {
        let wasAsleep = state.withLock { state in
            let isSpare = state.entries.count >= limits.connections
            defer {
                state.serial += 1
                state.entries[socket] = Entry(
                    serial: state.serial, isSpare: isSpare,
                    deadline: .now + (isSpare ? limits.spareTime : limits.headerTime))
            }
            return state.entries.isEmpty
        }
        if wasAsleep { ring() }
    }

    /// Whether a socket is one too many.
    func isSpare(_ socket: Int32) -> Bool { state.withLock { $0.entries[socket]?.isSpare ?? false } }

    /// The next thing has to have happened within so long; nobody is told when the client leaves.
    func expect(_ socket: Int32, within limit: Duration) {
        state.withLock { state in
            state.entries[socket]?.deadline = .now + limit
            state.entries[socket]?.onLeave = nil
        }
    }

    /// Somebody works for the client of this socket and wants to know when it leaves, or has had its time.
    func attend(_ socket: Int32, within limit: Duration, onLeave: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.entries[socket]?.deadline = .now + limit
            state.entries[socket]?.onLeave = onLeave
        }
        ring()
    }

    /// The socket is about to be closed.
    func closed(_ socket: Int32) { state.withLock { _ = $0.entries.removeValue(forKey: socket) } }

    /// Ends the thread.
    func stop() {
        state.withLock { $0.isStopped = true }
        ring()
    }

    private func ring() {
        var byte: UInt8 = 1
        _ = write(bell.write, &byte, 1)
    }

    private func loop() {
        while let (sockets, serials, isEmpty) = round() {
            var sockets = sockets
            let count = sockets.count
            guard poll(&sockets, nfds_t(count), isEmpty ? -1 : Self.beat) > 0 else { continue }
            if sockets[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                while read(bell.read, &bytes, bytes.count) > 0 {}
            }
            for (socket, serial) in zip(sockets.dropFirst(), serials) where socket.revents != 0 {
                left(socket.fd, serial)
            }
        }
        close(bell.read)
        close(bell.write)
    }

    /// Cuts off who is late, and lists whom to watch; nil at the end.
    private func round() -> (sockets: [pollfd], serials: [UInt64], isEmpty: Bool)? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            let now = ContinuousClock.now
            var sockets = [pollfd(fd: bell.read, events: Int16(POLLIN), revents: 0)]
            var serials: [UInt64] = []
            for (socket, entry) in state.entries {
                if let deadline = entry.deadline, deadline < now {
                    // The library notices, or the poll below does, and both end the connection in their usual way.
                    shutdown(socket, Int32(SHUT_RDWR))
                    state.entries[socket]?.deadline = nil
                }
                if entry.onLeave != nil {
                    sockets.append(pollfd(fd: socket, events: Self.hangUp, revents: 0))
                    serials.append(entry.serial)
                }
            }
            return (sockets, serials, state.entries.isEmpty)
        }
    }

    private func left(_ socket: Int32, _ serial: UInt64) {
        let onLeave = state.withLock { state -> (@Sendable () -> Void)? in
            guard let entry = state.entries[socket], entry.serial == serial, Self.isGone(socket) else { return nil }
            state.entries[socket]?.onLeave = nil
            return entry.onLeave
        }
        onLeave?()
    }

    #if canImport(Darwin)
    // Data of a next request also raises it; `isGone` tells them apart.
    private static let hangUp = Int16(POLLIN)
    private static func isGone(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }
    #else
    private static let hangUp = Int16(bitPattern: 0x2000)  // POLLRDHUP, which Glibc shows to GNU programs only
    private static func isGone(_ socket: Int32) -> Bool { true }
    #endif
}
