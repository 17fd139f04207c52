internal import Synchronization

/// The shutdown of the server in two stages: first endless streams end, then every text ends where it is.
final class ServerClosing: Sendable {
    private struct State {
        var hasBegun = false
        var isCut = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var serial: UInt64 = 0
    }
    private let state = Mutex(State())

    /// Whether endless streams have to end.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }
    /// Whether everything has to end.
    var isCut: Bool { state.withLock { $0.isCut } }

    func begin() { state.withLock { $0.hasBegun = true } }

    /// Ends every text.
    func cut() {
        let waiters = state.withLock { state in
            (state.hasBegun, state.isCut) = (true, true)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when everything has to end, or the task is cancelled.
    func wait() async {
        let serial = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancellation may have come before, when its handler found no waiter.
                    if state.isCut || Task.isCancelled { return true }
                    state.waiters[serial] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: serial) }?.resume()
        }
    }
}
