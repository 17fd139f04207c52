internal import HearthCompute
internal import HearthSystem
internal import Synchronization

/// Whose inference runs. Cancelling one stops the threads in the middle of its step, and touches no other: those that wait
/// look at their own flag when their turn comes.
final class SessionTurns: Sendable {
    private struct State {
        var current: CancellationFlag?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let compute: Compute

    init(_ compute: Compute) { self.compute = compute }

    /// What is waited for by the owner of `flag` begins.
    func begin(_ flag: CancellationFlag) {
        state.withLock { state in
            state.current = flag
            if flag.isSet { compute.cancel() }
        }
    }

    /// It is over; what comes next may compute.
    func end() {
        state.withLock { state in
            state.current = nil
            if !state.isClosed { compute.resume() }
        }
    }

    /// Its owner has gone. Any thread may call it, before the turn and after it too.
    func cancel(_ flag: CancellationFlag) {
        flag.set()
        state.withLock { if $0.current === flag { compute.cancel() } }
    }

    /// Nothing computes any more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            compute.cancel()
        }
    }
}
