import Foundation
import Synchronization

/// A child process that is killed when this one is interrupted.
final class RunningProcess: Sendable {
    private struct State {
        var process: pid_t?
        var isEnding = false
    }
    private let state = Mutex(State())

    /// Sets the running process; nil when it has ended. After `end()`, it is killed at once.
    func set(_ process: pid_t?) {
        state.withLock { state in
            state.process = process
            if state.isEnding, let process { _ = kill(process, SIGKILL) }
        }
    }

    /// Kills the process, and any set later.
    func end() {
        state.withLock { state in
            state.isEnding = true
            if let process = state.process { _ = kill(process, SIGKILL) }
        }
    }
}
