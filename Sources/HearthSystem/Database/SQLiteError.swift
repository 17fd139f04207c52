internal import Foundation

#if canImport(SQLite3)
internal import SQLite3
#else
internal import CSQLite
#endif

/// Errors of a database, by what a caller can do about them.
package enum SQLiteError: LocalizedError, Equatable {
    /// Another process holds it; trying again helps.
    case busy(path: String)
    /// The file is no database, or a damaged one.
    case damaged(path: String, reason: String)
    /// The file, or its folder, cannot be opened or written to.
    case unwritable(path: String, reason: String)
    /// The disk is full, or failed.
    case storage(path: String, reason: String)
    /// Anything else.
    case failed(path: String, reason: String)

    /// Sorts a result code of SQLite (https://sqlite.org/rescode.html).
    init(code: Int32, path: String, reason: String) {
        // Some extended codes mean something else than their primary code.
        switch code {
        case SQLITE_IOERR | (33 << 8):  // SQLITE_IOERR_CORRUPTFS
            self = .damaged(path: path, reason: reason)
            return
        case SQLITE_READONLY | (4 << 8), SQLITE_CANTOPEN | (5 << 8):  // …_DBMOVED, …_DIRTYWAL
            self = .busy(path: path)
            return
        default: break
        }
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: self = .damaged(path: path, reason: reason)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH: self = .unwritable(path: path, reason: reason)
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM: self = .storage(path: path, reason: reason)
        default: self = .failed(path: path, reason: reason)
        }
    }

    /// What happened, where, and what to do.
    package var errorDescription: String? {
        switch self {
        case .busy(let path):
            "another process keeps the database busy (\(path)). Try again."
        case .damaged(let path, let reason):
            "the database is damaged: \(reason) (\(path)). Move it away; a new one is created."
        case .unwritable(let path, let reason):
            "the database cannot be opened for writing: \(reason) (\(path)). Check the folder's permissions."
        case .storage(let path, let reason):
            "the database cannot be written to disk: \(reason) (\(path)). Free some space."
        case .failed(let path, let reason):
            "the database refused a statement: \(reason) (\(path)). Move it away; a new one is created."
        }
    }
}
