import Foundation
import Synchronization

/// A process that is ended when this one is interrupted.
final class RunningProcess: Sendable {
    private struct State {
        var process: pid_t?
        var isEnding = false
    }
    private let state = Mutex(State())

    /// Which process runs now; nil after its end. After `end()`, it is ended at once.
    func set(_ process: pid_t?) {
        state.withLock { state in
            state.process = process
            if state.isEnding, let process { _ = kill(process, SIGKILL) }
        }
    }

    /// Ends it, and whatever would come after it.
    func end() {
        state.withLock { state in
            state.isEnding = true
            if let process = state.process { _ = kill(process, SIGKILL) }
        }
    }
}
