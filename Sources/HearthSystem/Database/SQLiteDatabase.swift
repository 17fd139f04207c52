#if canImport(SQLite3)
internal import SQLite3
#else
internal import CSQLite
#endif

/// One connection to an SQLite database: statements in, rows out. Not for use by two threads at once.
///
/// What a file holds is not trusted: values have a largest length, and schemas cannot call functions with side effects.
package final class SQLiteDatabase {
    /// How a file is opened.
    package enum Access: Sendable {
        /// Creates the database if it is missing.
        case readWrite
        case readOnly
        /// Reads it as it is, without locks and without a log beside it: for folders that are read-only.
        case immutable
    }

    /// The database's file.
    package let path: String
    private let handle: OpaquePointer
    /// Largest text or row that is read or written, in bytes.
    private static let longestValue: Int32 = 1 << 20

    /// - Parameter timeoutMS: how long a statement waits for another process's lock.
    /// - Throws: `SQLiteError`.
    package init(path: String, access: Access = .readWrite, timeoutMS: Int = 5000) throws {
        self.path = path
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // A relative path must not be taken for one of SQLite's special names.
        var name = path.hasPrefix("/") ? path : "./" + path
        switch access {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = "file:" + Self.percentEncoded(name) + "?immutable=1"
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let reason = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, path: path, reason: reason)
        }
        handle = opened
        sqlite3_busy_timeout(handle, Int32(clamping: timeoutMS))
        _ = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs one statement to its end and drops its rows.
    /// - Throws: `SQLiteError`.
    package func execute(_ sql: String, _ values: SQLiteValue...) throws {
        try run(sql, values) { _ in true }
    }

    /// All rows of one statement.
    /// - Throws: `SQLiteError`.
    package func rows(_ sql: String, _ values: SQLiteValue...) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try run(sql, values) { row in
            rows.append(row)
            return true
        }
        return rows
    }

    /// The first column of the first row, as a whole number; nil without one.
    /// - Throws: `SQLiteError`.
    package func integer(_ sql: String, _ values: SQLiteValue...) throws -> Int? {
        var result: Int?
        try run(sql, values) { row in
            result = row.first?.integer
            return false
        }
        return result
    }

    /// Runs `body` in a transaction that holds the write lock from its beginning, so that it never has to give up halfway
    /// because another process wrote first; rolled back if `body` throws.
    /// - Throws: `SQLiteError`, and what `body` throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try between("BEGIN IMMEDIATE", body)
    }

    /// Runs `body`, which only reads, on one state of the database, whatever others write meanwhile.
    /// - Throws: `SQLiteError`, and what `body` throws.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try between("BEGIN", body)
    }

    private func between<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // Some errors have ended the transaction already; then there is nothing to undo.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    private func run(_ sql: String, _ values: [SQLiteValue], _ row: ([SQLiteValue]) throws -> Bool) throws {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
        defer { sqlite3_finalize(prepared) }
        guard code == SQLITE_OK, let statement = prepared else { throw error(code) }
        for (index, value) in values.enumerated() {
            let code = Self.bind(value, to: statement, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw error(code) }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return
            case SQLITE_ROW: if try !row(Self.row(of: statement)) { return }
            case let code: throw error(code)
            }
        }
    }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, path: path, reason: String(cString: sqlite3_errmsg(handle)))
    }

    private static func bind(_ value: SQLiteValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, Int64(number))
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .text(let text):
            // SQLITE_TRANSIENT: SQLite keeps a copy of its own.
            let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            return sqlite3_bind_text(statement, index, text, Int32(clamping: text.utf8.count), copies)
        }
    }

    private static func row(of statement: OpaquePointer) -> [SQLiteValue] {
        (0..<sqlite3_column_count(statement)).map { column in
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: return .integer(Int(sqlite3_column_int64(statement, column)))
            case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
            case SQLITE_TEXT:
                guard let start = sqlite3_column_text(statement, column) else { return .null }
                let count = Int(sqlite3_column_bytes(statement, column))
                return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
            default: return .null
            }
        }
    }

    /// A path inside a URI (RFC 3986).
    private static func percentEncoded(_ path: String) -> String {
        path.utf8.reduce(into: "") { result, byte in
            let isPlain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || byte >= 0x2D && byte <= 0x39)
            if isPlain {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }
}

/// A value of a column or a parameter. Blobs are not read.
package enum SQLiteValue: Sendable, Equatable {
    case null
    case integer(Int)
    case real(Double)
    case text(String)

    /// nil if it is not a whole number.
    package var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    /// Any number; SQLite stores a real without a fraction as an integer if that is smaller.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
    /// nil if it is not text.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}
