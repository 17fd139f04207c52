internal import Synchronization

/// The server's end, as those who answer hear of it: first nothing endless goes on, then every text ends where it is.
final class ServerClosing: Sendable {
    private struct State {
        var hasBegun = false
        var isCut = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var serial: UInt64 = 0
    }
    private let state = Mutex(State())

    /// Whether what has no end of its own is to end.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }
    /// Whether everything is to end.
    var isCut: Bool { state.withLock { $0.isCut } }

    func begin() { state.withLock { $0.hasBegun = true } }

    /// Every text ends now.
    func cut() {
        let waiters = state.withLock { state in
            (state.hasBegun, state.isCut) = (true, true)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when everything is to end, or its task is cancelled.
    func wait() async {
        let serial = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // The cancellation may have come before; its handler finds nobody then.
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
