internal import Foundation
public import HearthSystem

/// The times of all starts, in an SQLite file that any number of processes may write to at once.
///
/// Each call opens the file, does its work in one transaction and closes it. A process may be killed at any instant; a start is
/// then logged completely or not at all. A file that is damaged, or not a startup log, is renamed to end in `.damaged`, and a
/// new one is created. When the log is full, the oldest starts are removed.
public struct StartupLog: Sendable {
    /// How much is kept.
    package struct Limits: Sendable, Equatable {
        /// Most starts.
        package var rows: Int
        /// Of the database's file; the write-ahead log beside it may add a few hundred kilobytes.
        package var bytes: Int

        /// The limits, at least one row and 64 KiB.
        package init(rows: Int = 20_000, bytes: Int = 8 << 20) {
            self.rows = max(1, rows)
            self.bytes = max(64 << 10, bytes)
        }
    }

    /// The result of logging a start.
    package struct Entry: Sendable, Equatable {
        /// Fields of the profile that changed against the last start of the same model; nil for its first start.
        package var driftedFields: [String]?
        /// A notice for the user, once: an unusable file was moved aside.
        package var notice: String?

        package init(driftedFields: [String]? = nil, notice: String? = nil) {
            self.driftedFields = driftedFields
            self.notice = notice
        }
    }

    private let file: StartupLogFile
    private let limits: Limits

    /// Path of the database file.
    package var path: String { file.path }

    /// - Parameter timeout: how long a call may wait for other processes.
    package init(path: String, limits: Limits = Limits(), timeout: Duration = .seconds(5)) {
        file = StartupLogFile(path: path, timeout: timeout)
        self.limits = limits
    }

    /// The log in these folders; nil without folders.
    public init?(folders: HearthFolders?) {
        guard let folders else { return nil }
        self.init(path: folders.startupLog)
    }

    /// Logs one start. May block for as long as other processes write, at most the timeout.
    /// - Throws: `StartupLogError`; nothing was logged then.
    @discardableResult
    package func append(_ sample: StartupSample) throws -> Entry {
        try StartupRows.check(sample)
        let (drift, notice) = try file.use(reading: false) { database in
            let drift = try database.transaction {
                let earlier = try StartupRows.lastProfile(of: sample.profile.model, database)
                try StartupRows.insert(sample, into: database)
                try StartupRows.trim(database, to: limits)
                return earlier.map { sample.profile.drift(from: $0) }
            }
            // Returns space to the file system, a little at each start.
            _ = try? database.rows("PRAGMA incremental_vacuum(64)")
            return drift
        }
        return Entry(driftedFields: drift, notice: notice)
    }

    /// Logs one start on a thread of its own, and never fails.
    /// - Returns: a one-line message for the user if something went wrong; nil otherwise, and if the folder is read-only or other
    ///   processes keep the log busy. Of a measured start, whose user wants all of them in the log, the latter is told.
    public func record(_ sample: StartupSample) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                do {
                    continuation.resume(returning: try append(sample).notice)
                } catch StartupLogError.unwritable {
                    continuation.resume(returning: nil)
                } catch StartupLogError.busy where !sample.isMeasured {
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error.localizedDescription)
                }
            }
        }
    }

    /// All logged starts, oldest first, and a message for the user if the log was damaged. Without a log, there are no starts.
    /// Rows that cannot be read are skipped.
    /// - Throws: ``StartupLogError``.
    public func samples() throws -> (samples: [StartupSample], notice: String?) {
        guard exists else { return ([], nil) }
        let (samples, notice) = try file.use(reading: true) { try StartupRows.all($0) }
        return (samples, notice)
    }

    /// The profile of the last start of a model; nil if there was none.
    /// - Throws: `StartupLogError`.
    package func lastProfile(of model: String) throws -> RuntimeProfile? {
        guard exists else { return nil }
        return try file.use(reading: true) { try StartupRows.lastProfile(of: model, $0) }.result
    }

    private var exists: Bool {
        var status = stat()
        return stat(path, &status) == 0
    }
}
