import Foundation
import Synchronization

/// A progress bar on standard error; only on a terminal.
package final class ProgressMeter: Sendable {
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
        let percent = Self.percent(done, of: total)
        shown.withLock { shown in
            guard percent > shown else { return }
            shown = percent
            let filled = percent * 30 / 100
            Output.error.write(
                "\r\(label) [\(String(repeating: "#", count: filled))\(String(repeating: " ", count: 30 - filled))] \(percent) %"
            )
        }
    }

    /// Progress in full percent, 0 to 100; 100 only when everything is done.
    /// - Parameter total: above 0.
    package static func percent(_ done: Int, of total: Int) -> Int {
        // At full width, since a hundred times a number of bytes may overflow.
        total.dividingFullWidth(min(max(done, 0), total).multipliedFullWidth(by: 100)).quotient
    }

    /// Removes the line.
    func clear() {
        shown.withLock { if $0 >= 0 { Output.error.write("\r\u{1B}[2K") } }
    }
}
