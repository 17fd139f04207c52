import Foundation
import Synchronization

/// Where something is being made under a name of its own; removed where the process is told to end before it is done.
final class TemporaryPlace: Sendable {
    private let path = Mutex<String?>(nil)

    /// Something is made at `path`, a file or a folder.
    func begin(_ path: String) { self.path.withLock { $0 = path } }
    /// It has its name now, or is gone.
    func end() { path.withLock { $0 = nil } }

    /// Removes what is there; may be called again, for what was made meanwhile.
    func remove() {
        path.withLock { path in
            if let path { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
