internal import Foundation
internal import Synchronization

/// Files and folders that are being written under temporary names. A process that is asked to end removes them.
package final class UnfinishedFiles: Sendable {
    private let paths = Mutex<Set<String>>([])

    package init() {}

    /// Something is about to be made at `path`, a file or a folder.
    package func begin(_ path: String) { paths.withLock { _ = $0.insert(path) } }
    /// It has its final name now, or is gone.
    package func end(_ path: String) { paths.withLock { _ = $0.remove(path) } }
    /// Nothing is unfinished any more.
    package func endAll() { paths.withLock { $0.removeAll() } }

    /// Removes them. May be called again, for those that were created in the meantime.
    package func removeAll() {
        paths.withLock { paths in
            for path in paths { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
