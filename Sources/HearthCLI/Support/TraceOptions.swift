import Foundation
import HearthSystem

/// `--trace`: records a trace of the program's work to a file.
struct TraceOptions: ParsableArguments {
    @Option(valueName: "FILE", help: "Writes a trace of the run, for ui.perfetto.dev or chrome://tracing.")
    var trace: String?

    /// Starts recording if requested; the file is written when the process ends, interrupted or not.
    /// - Parameters:
    ///   - model: that the command runs.
    ///   - files: what the command reads and writes.
    /// - Throws: `CommandFailure` if the file could not be written, before any work is done; `UsageError` if it would replace a
    ///   model or one of the files.
    func begin(command: String, model: String, files: [(option: String, path: String?)] = []) throws {
        guard let path = trace else { return }
        try OutputPlace.check(
            path, option: "--trace", command: command, apartFrom: OutputPlace.models([model]), files: files)
        if let obstacle = Self.obstacle(path) { throw Self.failure(path, String(cString: strerror(obstacle))) }
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

    /// Why no file can be written there, as an error number; nil if one can.
    private static func obstacle(_ path: String) -> Int32? {
        if path.isEmpty { return ENOENT }
        if FileAccess.isFolder(path) { return EISDIR }
        // A part of the path that is no folder, for example, or a name that is too long.
        if access(path, F_OK) != 0, errno != ENOENT { return errno }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return access(folder, W_OK | X_OK) == 0 ? nil : errno
    }

    private static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .failure, "cannot write the trace: \(reason)", at: path,
            todo: "Check the folder, its permissions and the free space.")
    }
}
