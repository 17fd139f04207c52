import Foundation
import HearthSystem

/// A separate home folder for measured starts, which leaves the user's artifacts untouched. On the same disk as those,
/// since a temporary folder may be in memory, where no start is cold.
struct MeasuringHome: Sendable {
    let path: String

    /// - Throws: `CommandFailure` if no folder can be created.
    init(beside folders: HearthFolders?) throws {
        let name = "\(Self.prefix)\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        let temporary = FileManager.default.temporaryDirectory.path
        for folder in [folders?.cache, temporary].compactMap({ $0 }) {
            Self.removeLeftovers(in: folder)
            let path = URL(fileURLWithPath: folder).appendingPathComponent(name).path
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                self.path = path
                return
            } catch { continue }
        }
        throw StartupProbe.unwritable(temporary)
    }

    private static let prefix = "hearth-measuring-"

    /// Removes folders left behind by killed processes.
    private static func removeLeftovers(in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).prefix { $0.isNumber }
            if let id = pid_t(process), kill(id, 0) != 0, errno == ESRCH {
                try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
    }

    /// All files in it, to drop them from the page cache.
    var files: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.map { "\(path)/\($0)" }.filter { file in
            var status = stat()
            return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        }
    }

    /// Empties it, as if nothing had ever been compiled.
    func clear() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// Removes it, even while a process that was just killed creates a last file in it. Returns within 100 ms.
    func remove() {
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: path)
            guard FileManager.default.fileExists(atPath: path) else { return }
            usleep(5000)
        }
    }
}
