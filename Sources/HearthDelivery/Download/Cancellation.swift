internal import Synchronization

/// A request to stop, from any thread to the one that works.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var wakeUp: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    func cancel() {
        // Under the lock, so that the object to wake still exists.
        state.withLock { state in
            state.isCancelled = true
            state.wakeUp?()
        }
    }

    /// How to end the worker's waiting; nil before it goes away.
    func setWakeUp(_ wakeUp: (@Sendable () -> Void)?) { state.withLock { $0.wakeUp = wakeUp } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
