import Foundation

/// A clock that stands still until a test moves it on.
final class ManualClock: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let lock = NSLock()
    private var time = Instant(offset: .zero)
    private var sleepers: [(id: UUID, until: Instant, wake: CheckedContinuation<Void, any Error>)] = []
    private var cancelled: Set<UUID> = []

    var now: Instant { lock.withLock { time } }
    var minimumResolution: Duration { .zero }
    /// How many tasks wait.
    var waiting: Int { lock.withLock { sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = lock.withLock {
                    if cancelled.contains(id) { return .failure(CancellationError()) }
                    if deadline <= time { return .success(()) }
                    sleepers.append((id, deadline, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = lock.withLock {
                cancelled.insert(id)
                let found = sleepers.first { $0.id == id }
                sleepers.removeAll { $0.id == id }
                return found
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    /// Moves on once somebody waits, and wakes all whose time has come.
    func advance(by duration: Duration) async throws {
        while waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let due = lock.withLock {
            time = time.advanced(by: duration)
            let due = sleepers.filter { $0.until <= time }
            sleepers.removeAll { $0.until <= time }
            return due
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Moves on, whether anybody waits or not.
    func set(_ offset: Duration) { lock.withLock { time = Instant(offset: offset) } }
}
