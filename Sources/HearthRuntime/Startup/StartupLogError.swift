public import Foundation
package import HearthSystem

/// Why a start was not logged, or the log could not be read. The program continues without it.
public enum StartupLogError: LocalizedError, Equatable {
    /// The folder is not writable.
    case unwritable(path: String, reason: String)
    /// The log was written by a later version of Hearth; it is left unchanged.
    case newer(path: String, version: Int)
    /// Other processes kept the log busy until the timeout.
    case busy(path: String)
    /// The disk is full or failed, or the path is something else than a log.
    case failed(path: String, reason: String)
    /// A value of the sample is too long, or not finite.
    case notLoggable(field: String)

    /// What happened, where, and what to do.
    public var errorDescription: String? {
        switch self {
        case .unwritable(let path, let reason):
            "the startup log cannot be written: \(reason) (\(path)). Set HEARTH_HOME to a writable folder."
        case .newer(let path, let version):
            "the startup log was written by a later version of Hearth (\(path): format \(version), "
                + "this version knows \(StartupSchema.version)). It was left unchanged; update Hearth to use it."
        case .busy(let path):
            "other processes kept the startup log busy (\(path)). This start was not logged; no action is needed."
        case .failed(let path, let reason):
            "the startup log cannot be used: \(reason) (\(path)). Check the disk and its free space, or move the file away."
        case .notLoggable(let field):
            "this start cannot be logged: its value is out of range (\(field)). Report this."
        }
    }
}

extension StartupLogError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .newer, .busy: .unavailable
        case .unwritable, .failed, .notLoggable: .failed
        }
    }
}
