internal import Synchronization

/// A request to stop, from any thread to the working one.
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

    /// Wakes the worker while it waits; nil once the worker ends.
    func setWakeUp(_ wakeUp: (@Sendable () -> Void)?) { state.withLock { $0.wakeUp = wakeUp } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
