import Foundation
import Synchronization

/// A progress bar on standard error; only on a terminal.
final class ProgressMeter: Sendable {
    private let total: Int
    private let label: String
    private let shown = Mutex<Int>(-1)

    /// nil if standard error is not a terminal.
    init?(total: Int, label: String) {
        guard Output.error.isTerminal, total > 0 else { return nil }
        self.total = total
        self.label = label
    }

    /// - Parameter done: progress towards the total; redrawn for each full percent.
    func show(_ done: Int) {
        let percent = min(100, max(0, done) / max(total / 100, 1))
        shown.withLock { shown in
            guard percent > shown else { return }
            shown = percent
            let filled = percent * 30 / 100
            Output.error.write(
                "\r\(label) [\(String(repeating: "#", count: filled))\(String(repeating: " ", count: 30 - filled))] \(percent) %"
            )
        }
    }

    /// Removes the line.
    func clear() {
        shown.withLock { if $0 >= 0 { Output.error.write("\r\u{1B}[2K") } }
    }
}
