internal import Synchronization

/// A value that changes, for any number of observers: each gets the current value first, then the newest whenever it
/// changes. A slow observer may miss intermediate values, never the last one, so nothing has to be buffered.
package final class LatestValue<Value: Sendable>: Sendable {
    private struct Storage {
        var value: Value
        var version: UInt64 = 1
        var isFinished = false
        var nextWaiter: UInt64 = 0
        /// In order of arrival: the observer that has waited longest wakes first.
        var waiters: [(id: UInt64, waiter: Waiter)] = []

        mutating func look(after seen: UInt64) -> Look {
            if version != seen { return .found(value, version) }
            if isFinished { return .ended }
            nextWaiter += 1
            return .wait(nextWaiter)
        }

        mutating func takeWaiters() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            defer { waiters.removeAll(keepingCapacity: true) }
            return waiters.map(\.waiter)
        }

        mutating func take(_ id: UInt64) -> Waiter? {
            waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
        }
    }
    private enum Look {
        case found(Value, UInt64)
        case ended
        case wait(UInt64)
    }
    private enum Waiter {
        case suspended(UnsafeContinuation<Void, Never>)
        /// Cancelled before it could suspend.
        case cancelled
    }
    private let storage: Mutex<Storage>

    package init(_ value: Value) { storage = Mutex(Storage(value: value)) }

    package var value: Value { storage.withLock { $0.value } }

    /// Changes the value; observers wake only if `change` says that it did.
    package func update(_ change: (inout Value) -> Bool) {
        let woken = storage.withLock { storage -> [Waiter] in
            guard change(&storage.value) else { return [] }
            storage.version += 1
            return storage.takeWaiters()
        }
        wake(woken)
    }

    /// No further changes.
    func finish() {
        wake(
            storage.withLock { storage in
                storage.isFinished = true
                return storage.takeWaiters()
            })
    }

    /// How many observers are waiting for a change.
    package var waiting: Int { storage.withLock { $0.waiters.count } }

    private func wake(_ waiters: [Waiter]) {
        for case .suspended(let continuation) in waiters { continuation.resume() }
    }

    /// The value, once its version is no longer `seen`; nil at the end and where the observer is cancelled.
    package func next(
        after seen: UInt64, isolation: isolated (any Actor)? = #isolation
    ) async -> (value: Value, version: UInt64)? {
        while !Task.isCancelled {
            let look = storage.withLock { $0.look(after: seen) }
            guard case .wait(let id) = look else {
                if case .found(let value, let version) = look { return (value, version) }
                return nil
            }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let resumeNow = storage.withLock { storage in
                        // It may have changed, ended, or been cancelled since the check above.
                        if storage.version != seen || storage.isFinished { return true }
                        if storage.take(id) != nil { return true }
                        storage.waiters.append((id, .suspended(continuation)))
                        return false
                    }
                    if resumeNow { continuation.resume() }
                }
            } onCancel: {
                let waiter = storage.withLock { storage -> Waiter? in
                    if let waiter = storage.take(id) { return waiter }
                    storage.waiters.append((id, .cancelled))
                    return nil
                }
                if let waiter { wake([waiter]) }
            }
            // A cancellation after the change has left its marker.
            storage.withLock { _ = $0.take(id) }
        }
        return nil
    }
}
