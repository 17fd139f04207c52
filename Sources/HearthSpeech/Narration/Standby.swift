internal import HearthSystem
internal import Synchronization

/// Holds the process that waits for the next piece; it is ended when the synthesizer is released.
final class Standby: Sendable {
    private let waiting = Mutex<(arguments: [String], process: ChildProcess)?>(nil)

    func take(_ arguments: [String]) -> ChildProcess? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting?.arguments == arguments ? waiting?.process : nil
        }
    }

    func keep(_ arguments: [String], _ start: () -> ChildProcess?) {
        waiting.withLock { waiting in
            guard waiting?.arguments != arguments else { return }
            waiting = start().map { (arguments, $0) }
        }
    }
}
