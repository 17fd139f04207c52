import HearthSystem

/// Writes a report to a file atomically, or to standard output for "-".
enum ReportFile {
    static func write(_ text: String, to path: String) throws {
        // A pipe that is closed ends the program silently under this name too.
        guard !isStandardOutput(path), path != "/dev/stdout" else { return Output.standard.write(text) }
        do {
            try WholeFile.replace(path, with: Array(text.utf8))
        } catch {
            throw CommandFailure(
                .failure, "cannot write the file: \(error.reason)", at: path,
                todo: "Check the folder, its permissions and the free space.")
        }
        Output.error.writeLine("hearth: wrote \(path.withVisibleControls)")
    }

    static func isStandardOutput(_ path: String?) -> Bool { path == "-" }

    /// Checks the files of a command's reports.
    /// - Throws: `UsageError` for one without a name, and for two reports on standard output.
    static func check(_ reports: [(option: String, path: String?)], json: Bool) throws {
        for (option, path) in reports where path?.isEmpty == true { throw UsageError("'\(option)' has no name") }
        if json, let other = reports.first(where: { isStandardOutput($0.path) }) {
            throw UsageError(
                "'--json' and '\(other.option) -' both write to standard output", suggestion: "Leave one of them out.")
        }
    }
}
