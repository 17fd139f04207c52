public import Foundation

/// Why a start was not logged, or the log not read. A command goes on without it.
public enum StartupLogError: LocalizedError, Equatable {
    /// The folder cannot be written to: a read-only home. Not worth a word on each run.
    case unwritable(path: String, reason: String)
    /// A later version of Hearth has written the log; it is left alone.
    case newer(path: String, version: Int)
    /// Other processes wrote for the whole time.
    case busy(path: String)
    /// The disk is full, or failed, or the path is taken by something else.
    case failed(path: String, reason: String)
    /// A value of the sample is longer than any real one, or no number.
    case notLoggable(field: String)

    /// What happened, where, and what to do.
    public var errorDescription: String? {
        switch self {
        case .unwritable(let path, let reason):
            "the startup log cannot be written: \(reason) (\(path)). Set HEARTH_HOME to a folder that can."
        case .newer(let path, let version):
            "the startup log was written by a later version of Hearth (\(path): format \(version), "
                + "this version knows \(StartupSchema.version)). It is left as it is; update Hearth to use it."
        case .busy(let path):
            "other processes kept the startup log busy (\(path)). This start was not logged; nothing has to be done."
        case .failed(let path, let reason):
            "the startup log cannot be used: \(reason) (\(path)). Move the file away, or check the disk."
        case .notLoggable(let field):
            "this start cannot be logged: its value is out of range (\(field)). Report this."
        }
    }
}
