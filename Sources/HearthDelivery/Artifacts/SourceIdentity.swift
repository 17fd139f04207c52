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

    /// The file that is at `path` now, links followed; nil where there is none.
    package init?(path: String, files: any FileOperations = SystemFiles()) {
        guard let real = RealPath.of(path), let status = try? files.status(real), status.kind == .file else {
            return nil
        }
        self.init(path: real, bytes: status.size, modified: status.modified, inode: status.inode)
    }
}
