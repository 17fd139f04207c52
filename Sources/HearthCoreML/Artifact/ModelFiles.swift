package import HearthDelivery
package import HearthSystem

/// The files of a model: all of a package's folder, or one file.
package struct ModelFiles {
    /// Absolute, links resolved; by path inside the package, in one order.
    package let paths: [(name: String, path: String)]
    /// What one look at the system tells of all of them together.
    package let identity: SourceIdentity

    /// A package has three or four files; more than this is no model.
    private static let most = 256
    private static let deepest = 8

    /// Nil where there is no model, or none that can be listed.
    package init?(path: String, files: any FileOperations = SystemFiles()) {
        guard let real = RealPath.of(path), let there = try? files.status(real) else { return nil }
        if there.kind == .file {
            guard let source = SourceIdentity(path: real, files: files) else { return nil }
            paths = [("", real)]
            identity = source
            return
        }
        var found: [(name: String, path: String)] = []
        guard Self.list(real, "", 0, &found, files), !found.isEmpty else { return nil }
        found.sort { $0.name < $1.name }
        var bytes = 0
        var modified = there.modified
        // Any file that was replaced or changed gives another number.
        var mixed: UInt64 = 0xcbf2_9ce4_8422_2325
        for (name, path) in found {
            guard let status = try? files.status(path) else { return nil }
            bytes += status.size
            modified = max(modified, status.modified)
            for word in [status.inode, UInt64(clamping: status.size), status.modified.bitPattern] {
                mixed = (mixed ^ word) &* 0x100_0000_01b3
            }
            for byte in name.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        paths = found
        identity = SourceIdentity(path: real, bytes: bytes, modified: modified, inode: mixed)
    }

    private static func list(
        _ folder: String, _ prefix: String, _ depth: Int, _ found: inout [(name: String, path: String)],
        _ files: any FileOperations
    ) -> Bool {
        guard depth <= deepest, let names = try? files.list(folder) else { return false }
        for name in names {
            let path = "\(folder)/\(name)"
            guard let status = try? files.status(path) else { continue }
            switch status.kind {
            case .file:
                guard found.count < most else { return false }
                found.append((prefix + name, path))
            case .folder:
                guard list(path, "\(prefix)\(name)/", depth + 1, &found, files) else { return false }
            default: continue
            }
        }
        return true
    }

    /// SHA-256 of the one file, or over names, lengths and digests of a package's files.
    /// - Parameter progress: called with the bytes done; what it throws ends the work.
    package func sha256(progress: (Int) throws -> Void) throws -> String {
        if paths.count == 1, paths[0].name.isEmpty { return try FileDigest.sha256(paths[0].path, progress: progress) }
        var digests: [(name: String, sha256: String)] = []
        var done = 0
        for (name, path) in paths {
            var size = 0
            let digest = try FileDigest.sha256(path) { bytes in
                size = bytes
                try progress(done + bytes)
            }
            done += size
            digests.append((name, digest))
        }
        return ContentDigest.sha256(of: digests)
    }
}
