import Foundation
import Synchronization

/// Properties of the terminal that a stream writes to.
struct Terminal {
    var columns: Int
    var hasStyles: Bool

    /// nil if the stream is not a terminal.
    init?(_ output: Output, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard output.isTerminal else { return nil }
        var size = winsize()
        let known =
            ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 || ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        columns = known && size.ws_col > 0 ? Int(size.ws_col) : 80
        hasStyles = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    func dim(_ text: String) -> String { hasStyles ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// A line on standard error that shows what the program is waiting for; only on a terminal, and removed afterwards.
final class Spinner: Sendable {
    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private let isRunning = Mutex(false)

    /// Shows `text` until `stop()`.
    func start(_ text: String, on terminal: Terminal?) {
        guard let terminal, terminal.hasStyles else { return }
        isRunning.withLock { $0 = true }
        let line = terminal.dim(text)
        Task.detached { [self] in
            var frame = 0
            while draw("\r\(Self.frames[frame % Self.frames.count]) \(line)") {
                frame += 1
                try? await Task.sleep(for: .milliseconds(80))
            }
        }
    }

    /// Clears the line.
    func stop() {
        isRunning.withLock { running in
            if running { Output.error.write("\r\u{1B}[K") }
            running = false
        }
    }

    private func draw(_ text: String) -> Bool {
        isRunning.withLock { running in
            if running { Output.error.write(text) }
            return running
        }
    }
}
