import Foundation
import Synchronization

/// A process that is ended when this one is interrupted.
final class RunningProcess: Sendable {
    private let process = Mutex<pid_t?>(nil)

    func set(_ id: pid_t?) { process.withLock { $0 = id } }

    func kill() {
        process.withLock { process in
            if let process { _ = Foundation.kill(process, SIGKILL) }
            process = nil
        }
    }
}
