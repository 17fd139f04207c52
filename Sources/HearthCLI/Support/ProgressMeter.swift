import Foundation
import Synchronization

/// A line on a terminal's standard error that grows; nothing anywhere else.
final class ProgressMeter: Sendable {
    private let total: Int
    private let label: String
    private let shown = Mutex<Int>(-1)

    /// nil if standard error is no terminal.
    init?(total: Int, label: String) {
        guard Output.error.isTerminal, total > 0 else { return nil }
        self.total = total
        self.label = label
    }

    /// - Parameter done: of the total; shown whenever it makes one percent more.
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
