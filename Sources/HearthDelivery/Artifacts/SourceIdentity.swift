package import HearthSystem

/// Which file an artifact was made from, as far as one call to the system can tell.
package struct SourceIdentity: Codable, Sendable, Equatable {
    /// Absolute, links resolved.
    package var path: String
    /// Its length.
    package var bytes: Int
    /// Seconds since 1970.
    package var modified: Double
    /// Its number in the file system: a file that replaced it has another.
    package var inode: UInt64

    /// An identity noted earlier.
    package init(path: String, bytes: Int, modified: Double, inode: UInt64) {
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.inode = inode
    }

    /// The file that is at `path` now, links followed; nil if there is none. Of a model in several files it is all of them,
    /// under the name of the first.
    package init?(path: String, files: any FileOperations = SystemFiles()) {
        let shards = FileShards.paths(of: path)
        guard shards.count == 1 else {
            self.init(shards: shards, files)
            return
        }
        self.init(file: path, files)
    }

    private init?(file path: String, _ files: any FileOperations) {
        guard let real = RealPath.of(path), let status = try? files.status(real), status.kind == .file else {
            return nil
        }
        self.init(path: real, bytes: status.size, modified: status.modified, inode: status.inode)
    }

    private init?(shards: [String], _ files: any FileOperations) {
        var bytes = 0
        var modified = 0.0
        // Any file that was replaced or changed gives another number.
        var mixed: UInt64 = 0xcbf2_9ce4_8422_2325
        for path in shards {
            guard let one = SourceIdentity(file: path, files) else { return nil }
            bytes += one.bytes
            modified = max(modified, one.modified)
            for word in [one.inode, UInt64(clamping: one.bytes), one.modified.bitPattern] {
                mixed = (mixed ^ word) &* 0x100_0000_01b3
            }
        }
        // Links of the folder are resolved, and not those of the file: its name says where the others are.
        let parts = shards[0].split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        guard let name = parts.last, let real = RealPath.of(parts.count == 1 ? "." : folder.isEmpty ? "/" : folder)
        else {
            return nil
        }
        self.init(path: (real == "/" ? "" : real) + "/" + name, bytes: bytes, modified: modified, inode: mixed)
    }
}
