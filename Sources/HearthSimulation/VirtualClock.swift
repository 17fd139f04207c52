internal import Synchronization

/// A clock that advances only when the simulation says so.
final class VirtualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        /// The time since the simulation started.
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct Sleeper {
        var id: UInt64
        var deadline: Instant
        var continuation: CheckedContinuation<Void, Never>
    }
    private struct Storage {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        /// In order of insertion; few, so that a linear search is fast.
        var sleepers: [Sleeper] = []

        /// The index of the next to wake; among equal deadlines, the one that was inserted first.
        var first: Int? {
            sleepers.indices.min { (sleepers[$0].deadline, sleepers[$0].id) < (sleepers[$1].deadline, sleepers[$1].id) }
        }
    }
    private let storage = Mutex(Storage())

    var now: Instant { storage.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// The number of sleepers.
    var sleepers: Int { storage.withLock { $0.sleepers.count } }
    /// The earliest deadline of a sleeper.
    var nextDeadline: Instant? { storage.withLock { storage in storage.first.map { storage.sleepers[$0].deadline } } }

    /// Advances the time, and wakes all due sleepers in order.
    func advance(to end: Instant) {
        while let continuation = takeDue(by: end) { continuation.resume() }
        storage.withLock { $0.now = max($0.now, end) }
    }

    private func takeDue(by end: Instant) -> CheckedContinuation<Void, Never>? {
        storage.withLock { storage in
            guard let index = storage.first, storage.sleepers[index].deadline <= end else { return nil }
            let sleeper = storage.sleepers.remove(at: index)
            storage.now = max(storage.now, sleeper.deadline)
            return sleeper.continuation
        }
    }

    func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = newID()
        await withTaskCancellationHandler {
            await lieDown(id, until: deadline, endsOnCancellation: true)
        } onCancel: {
            wake(id)
        }
        try Task.checkCancellation()
    }

    /// Sleeps without reacting to cancellation, to simulate a slow reaction.
    func sleepThrough(_ duration: Duration) async {
        await lieDown(newID(), until: now.advanced(by: duration), endsOnCancellation: false)
    }

    private func newID() -> UInt64 {
        storage.withLock {
            $0.nextID += 1
            return $0.nextID
        }
    }

    private func lieDown(_ id: UInt64, until deadline: Instant, endsOnCancellation: Bool) async {
        await withCheckedContinuation { continuation in
            let isDue = storage.withLock { storage in
                // A later cancellation finds the sleeper, because it has to wait for the lock.
                if deadline <= storage.now || endsOnCancellation && Task.isCancelled { return true }
                storage.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                return false
            }
            if isDue { continuation.resume() }
        }
    }

    private func wake(_ id: UInt64) {
        let continuation = storage.withLock { storage in
            storage.sleepers.firstIndex { $0.id == id }.map { storage.sleepers.remove(at: $0).continuation }
        }
        continuation?.resume()
    }
}
