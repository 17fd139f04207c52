import Synchronization

/// A bar of steps on standard error, removed at the end; only on a terminal.
final class StepMeter: Sendable {
    private static let width = 24
    private let total: Int
    private let terminal: Terminal?
    private let isShown = Mutex(false)

    init(total: Int) {
        self.total = max(1, total)
        terminal = Terminal(.error)
    }

    /// - Parameters:
    ///   - done: number of completed steps.
    ///   - label: the current step.
    func show(_ done: Int, _ label: String) {
        guard let terminal else { return }
        isShown.withLock { $0 = true }
        let filled = min(Self.width, done * Self.width / total)
        let bar =
            String(repeating: "━", count: filled) + terminal.dim(String(repeating: "─", count: Self.width - filled))
        Output.error.write("\r\u{1B}[K\(bar) \(done)/\(total) \(terminal.dim(label))")
    }

    /// Removes the line.
    func clear() {
        isShown.withLock { shown in
            if shown { Output.error.write("\r\u{1B}[K") }
            shown = false
        }
    }
}
