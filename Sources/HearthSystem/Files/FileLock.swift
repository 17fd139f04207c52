#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A lock that processes take on a file of its own (`flock`); the system frees it when its holder dies.
package enum FileLock {
    /// Who may hold it at the same time.
    package enum Mode: Sendable {
        case shared, exclusive
    }

    /// Why there is no lock.
    package enum Failure: Error, Equatable {
        /// Somebody else held it for the whole time.
        case timedOut
        /// The file cannot be made or locked; the system's error number.
        case system(Int32)
    }

    /// Runs `body` while holding the lock; creates the file if it is missing.
    /// - Parameter deadline: waiting blocks the thread, and ends then.
    /// - Throws: `Failure`, and errors of `body`.
    package static func whileHolding<Result>(
        _ path: String, _ mode: Mode, until deadline: ContinuousClock.Instant, _ body: () throws -> Result
    ) throws -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
        guard descriptor >= 0 else { throw Failure.system(errno) }
        defer { _ = close(descriptor) }
        var pause: UInt32 = 500
        while flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let error = errno
            guard error == EWOULDBLOCK || error == EINTR else { throw Failure.system(error) }
            guard ContinuousClock.now < deadline else { throw Failure.timedOut }
            _ = usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        return try body()
    }
}
