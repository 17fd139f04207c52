import Foundation
import HearthSystem

/// `--trace`: records a trace of the program's work to a file.
struct TraceOptions: ParsableArguments {
    @Option(valueName: "FILE", help: "Writes a trace of the run, for ui.perfetto.dev or chrome://tracing.")
    var trace: String?

    /// Starts recording if requested; the file is written when the process ends, interrupted or not.
    /// - Throws: `CommandFailure` if the file could not be written, before any work is done.
    func begin() throws {
        guard let path = trace else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let code = path.isEmpty ? ENOENT : FileAccess.isFolder(path) ? EISDIR : 0
        guard code == 0, access(folder, W_OK | X_OK) == 0 else {
            throw Self.failure(path, String(cString: strerror(code == 0 ? errno : code)))
        }
        Trace.shared.start()
        Interruption.shared.setClosing {
            do throws(FileFailure) {
                try Trace.shared.stop().write(to: path)
                return nil
            } catch {
                Output.error.writeLine(Self.failure(path, error.reason).line)
                return .failure
            }
        }
    }

    private static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .failure, "cannot write the trace: \(reason)", at: path,
            todo: "Check the folder, its permissions and the free space.")
    }
}
