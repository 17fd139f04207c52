internal import Synchronization

/// A fixed number of slots, without a queue.
final class TurnCounter: Sendable {
    private let most: Int
    private let taken = Mutex(0)

    init(_ most: Int) { self.most = most }

    /// - Returns: false if no slot is free.
    func take() -> Bool {
        taken.withLock { taken in
            guard taken < most else { return false }
            taken += 1
            return true
        }
    }

    func give() { taken.withLock { $0 -= 1 } }
}
