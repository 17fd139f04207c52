import Foundation
import HearthDelivery
import HearthSystem
import Synchronization

/// A progress line on standard error: phase, progress, speed and remaining time; only on a terminal.
final class PullBar: Sendable {
    private struct State {
        var last: ContinuousClock.Instant?
        var phase: PullProgress.Phase?
        var isShown = false
        var isOver = false
    }
    private let terminal: Terminal
    private let state = Mutex(State())

    /// nil if standard error is not a terminal.
    init?() {
        guard let terminal = Terminal(Output.error) else { return nil }
        self.terminal = terminal
    }

    func show(_ progress: PullProgress) {
        let now = ContinuousClock.now
        state.withLock { state in
            // Redrawn at most ten times a second; a new phase is shown at once.
            if let last = state.last, state.phase == progress.phase, now - last < .milliseconds(100) { return }
            guard !state.isOver else { return }
            state.last = now
            state.phase = progress.phase
            state.isShown = true
            let line = Self.line(progress, columns: terminal.columns)
            let rest = String(repeating: " ", count: max(0, terminal.columns - 1 - line.count))
            Output.error.write("\r" + line + rest)
        }
    }

    /// Removes the line permanently.
    func end() {
        state.withLock { state in
            state.isOver = true
            guard state.isShown else { return }
            state.isShown = false
            Output.error.write("\r" + String(repeating: " ", count: max(0, terminal.columns - 1)) + "\r")
        }
    }

    /// The line, no wider than the terminal. Pure.
    static func line(_ progress: PullProgress, columns: Int) -> String {
        var parts = [progress.phase.rawValue]
        var fraction: Double?
        if let total = progress.total, total > 0 {
            let done = min(1, max(0, Double(progress.bytes) / Double(total)))
            fraction = done
            parts.append("\(Int(done * 100)) %")
            parts.append("\(ByteSize.text(progress.bytes)) of \(ByteSize.text(total))")
        } else if progress.bytes > 0 {
            parts.append(ByteSize.text(progress.bytes))
        }
        if progress.bytesPerSecond >= 1 { parts.append("\(ByteSize.text(Int(progress.bytesPerSecond)))/s") }
        if let seconds = progress.secondsLeft, seconds.isFinite { parts.append("\(duration(seconds)) left") }
        let room = columns - 1
        var text = parts.joined(separator: "  ")
        while text.count > room, parts.count > 1 {
            parts.removeLast()
            text = parts.joined(separator: "  ")
        }
        if let fraction {
            let width = min(30, room - text.count - 4)
            if width >= 8 {
                let filled = Int(fraction * Double(width))
                let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
                text = parts[0] + "  [" + bar + "]  " + parts.dropFirst().joined(separator: "  ")
            }
        }
        return String(text.prefix(max(0, room)))
    }

    /// `42 s`, `3 min 5 s`, `2 h 10 min`.
    static func duration(_ seconds: Double) -> String {
        let seconds = Int(min(max(seconds, 0), 359_999).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}
