internal import Foundation
internal import HearthSystem

/// The file of a startup log: opens it, waits for other processes, moves an unusable one aside.
///
/// Whoever has the file open holds a shared lock on the file beside it; whoever renames it holds the lock alone. So no
/// connection to a file that was set aside ever meets the write-ahead log of the new one.
struct StartupLogFile {
    let path: String
    let timeout: Duration

    private var lock: String { path + ".lock" }
    private var setAsidePath: String { path + ".damaged" }

    /// Runs `body` on today's tables, made or brought up to date where needed.
    /// - Parameter reading: do with a file that cannot be written to; only ever true if a file exists.
    /// - Returns: the result of `body`, and a notice for the user.
    /// - Throws: `StartupLogError`.
    func use<Result>(
        reading: Bool, _ body: (SQLiteDatabase) throws -> Result
    ) throws -> (result: Result, notice: String?) {
        let deadline = ContinuousClock.now + timeout
        var notice: String?
        while true {
            var opened: UInt64?
            var reason = ""
            do {
                return (try attempt(reading: reading, until: deadline, opened: &opened, body), notice)
            } catch StartupSchema.Finding.newer(let version) {
                throw StartupLogError.newer(path: path, version: version)
            } catch StartupSchema.Finding.foreign {
                reason = "it is another program's database"
            } catch SQLiteError.damaged(_, let what) {
                reason = what
            } catch SQLiteError.busy {
                guard ContinuousClock.now < deadline else { throw StartupLogError.busy(path: path) }
                // At random, so that waiting processes do not retry in step.
                usleep(.random(in: 1000...10_000))
                continue
            } catch SQLiteError.unwritable(_, let what) {
                throw StartupLogError.unwritable(path: path, reason: what)
            } catch SQLiteError.storage(_, let what) {
                throw StartupLogError.failed(path: path, reason: what)
            } catch SQLiteError.failed(_, let what) {
                throw StartupLogError.failed(path: path, reason: what)
            }
            // Twice in one call: something else is wrong than the file.
            guard notice == nil, let opened else { throw StartupLogError.failed(path: path, reason: reason) }
            notice = try setAside(opened, reason: reason, until: deadline)
        }
    }

    private func attempt<Result>(
        reading: Bool, until deadline: ContinuousClock.Instant, opened: inout UInt64?,
        _ body: (SQLiteDatabase) throws -> Result
    ) throws -> Result {
        do {
            if !reading { try makeFolder() }
            return try locked(.shared, until: deadline) {
                opened = try identity()
                let database = try SQLiteDatabase(path: path, timeoutMS: timeoutMS)
                try StartupSchema.prepare(database)
                return try body(database)
            }
        } catch StartupLogError.unwritable where reading {
            return try readOnly(.readOnly, body)
        } catch SQLiteError.unwritable where reading {
            return try readOnly(.readOnly, body)
        }
    }

    /// A database with a write-ahead log needs a file beside it even for reading; where none can be made, what is in the
    /// main file is read as it is.
    private func readOnly<Result>(
        _ access: SQLiteDatabase.Access, _ body: (SQLiteDatabase) throws -> Result
    ) throws -> Result {
        do {
            let database = try SQLiteDatabase(path: path, access: access, timeoutMS: timeoutMS)
            let version = try database.snapshot { try StartupSchema.identify(database) }
            guard version == StartupSchema.version else {
                throw StartupLogError.failed(
                    path: path, reason: "its format \(version) is old, and it cannot be brought up to date here")
            }
            return try body(database)
        } catch SQLiteError.unwritable where access == .readOnly {
            return try readOnly(.immutable, body)
        }
    }

    private var timeoutMS: Int {
        Int(timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000)
    }

    private func makeFolder() throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StartupLogError.unwritable(path: path, reason: "its folder cannot be made")
        }
    }

    /// The number of the file at the path; nil if there is none.
    private func identity() throws -> UInt64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        // Opening a pipe or a device would wait, or worse.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StartupLogError.failed(path: path, reason: "it is not a file")
        }
        return UInt64(status.st_ino)
    }

    private func locked<Result>(
        _ mode: FileLock.Mode, until deadline: ContinuousClock.Instant, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try FileLock.whileHolding(lock, mode, until: deadline, body)
        } catch FileLock.Failure.timedOut {
            throw StartupLogError.busy(path: path)
        } catch FileLock.Failure.system(let number) {
            throw StartupLogError.unwritable(path: path, reason: String(cString: strerror(number)))
        }
    }

    /// Moves the file away, unless another process has done so already; one earlier file of this kind is overwritten.
    private func setAside(_ opened: UInt64, reason: String, until deadline: ContinuousClock.Instant) throws -> String? {
        try locked(.exclusive, until: deadline) {
            guard try identity() == opened else { return nil }
            // The log first: a new database must not find it, whenever this process dies.
            if rename(path + "-wal", setAsidePath + "-wal") != 0 { unlink(setAsidePath + "-wal") }
            unlink(path + "-shm")
            guard rename(path, setAsidePath) == 0 else {
                throw StartupLogError.failed(
                    path: path, reason: "it is damaged and cannot be renamed: \(String(cString: strerror(errno)))")
            }
            return "the startup log could not be read: \(reason) (\(path)). "
                + "It was set aside as \(setAsidePath), and a new one was started."
        }
    }
}
