import HearthSystem

/// Writes a report to a file atomically.
enum ReportFile {
    static func write(_ text: String, to path: String) throws {
        do {
            try WholeFile.replace(path, with: Array(text.utf8))
        } catch {
            throw CommandFailure(
                .failure, "cannot write the file: \(error.reason)", at: path,
                todo: "Check the folder, its permissions and the free space.")
        }
        Output.error.writeLine("hearth: wrote \(path.withVisibleControls)")
    }
}
