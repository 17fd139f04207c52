internal import Foundation
internal import HearthSystem

/// Unfinished downloads, kept until the next cleanup so that they can be resumed.
///
/// The names of a download's files begin with its key; `KEY.lock` is locked by the process that downloads it.
enum PartialDownloads {
    /// For how long an unfinished download is kept when something else is installed, in seconds.
    static let patience = 7.0 * 86400

    /// Removes those that no running process is downloading.
    /// - Parameter seconds: removes only those that were not modified for this long.
    static func removeAbandoned(
        in folder: String, files: any FileOperations, olderThan seconds: Double = 0,
        now: Double = Date().timeIntervalSince1970
    ) {
        let names = (try? files.list(folder)) ?? []
        for (key, names) in Dictionary(grouping: names, by: { String($0.prefix { $0 != "." }) }) {
            let paths = names.map { "\(folder)/\($0)" }
            let youngest = paths.compactMap { ((try? files.status($0)) ?? nil)?.modified }.max() ?? 0
            if seconds > 0, now - youngest < seconds { continue }
            guard let lock = try? files.open("\(folder)/\(key).lock", .create, permissions: 0o644) else { continue }
            if (try? files.lock(lock, shared: false)) == true {
                for path in paths + [lock.path] { try? files.unlink(path) }
            }
            files.close(lock)
        }
    }
}
