internal import Synchronization

/// Places of which there are only so many, and for which nobody waits.
final class TurnCounter: Sendable {
    private let most: Int
    private let taken = Mutex(0)

    init(_ most: Int) { self.most = most }

    /// - Returns: false where all are taken.
    func take() -> Bool {
        taken.withLock { taken in
            guard taken < most else { return false }
            taken += 1
            return true
        }
    }

    func give() { taken.withLock { $0 -= 1 } }
}
