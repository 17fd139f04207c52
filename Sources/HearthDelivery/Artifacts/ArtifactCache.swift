internal import Foundation
package import HearthSystem

/// Compiled artifacts on disk, a folder each, named by the digest of the profile that they were made for.
///
/// An artifact appears whole or not at all: it is written into a folder without a name, forced to disk, and renamed.
/// Of two processes that make the same one, the first to rename wins and the other uses its result. What is damaged or of
/// foreign make is set aside and rebuilt; it is never believed. What a living process uses is never removed.
///
/// An artifact that an earlier run of the system wrote is read once in full and compared with its digests: only then is
/// it certain that its bytes reached the disk. After that a start looks at the record, the lengths, and whether anything was
/// written since.
package struct ArtifactCache: Sendable {
    /// Where the artifacts are.
    package let folder: String
    let files: any FileOperations
    let boot: String
    /// Whether what cannot be trusted is moved out of the way. Not where a user named the folder: it may hold anything.
    private var setsAside = true

    /// - Parameters:
    ///   - folder: made when something is published; see `HearthFolders.artifacts`.
    ///   - boot: which run of the system this is.
    package init(folder: String, files: any FileOperations = SystemFiles(), boot: String = BootIdentity.current) {
        self.folder = folder
        self.files = files
        self.boot = boot
    }

    // MARK: - Using

    /// The artifact of a profile; nil if there is none, or if it cannot be trusted (it is set aside then).
    package func open<Content>(_ digest: String, kind: String, _ content: Content.Type) -> Artifact<Content>? {
        guard ArtifactLayout.isDigest(digest) else { return nil }
        let path = "\(folder)/\(digest)"
        let recordPath = "\(path)/\(ArtifactLayout.record)"
        guard let file = try? files.open(recordPath, .read, permissions: 0) else {
            // A folder without a record is not an artifact of ours and is set aside. A file belongs to somebody else, and stays.
            if let there = try? files.status(path), there.kind == .folder { setAside(digest) }
            return nil
        }
        guard let lease = Lease(file, shared: true, files: files) else { return nil }
        // Between opening and locking it may have been removed.
        guard let there = try? files.status(recordPath), there.inode == (try? files.status(of: file))?.inode else {
            return nil
        }
        guard let bytes = try? files.readFile(recordPath, limit: ArtifactRecord<Content>.limit),
            let record = ArtifactRecord<Content>.decoded(bytes), record.format == ArtifactRecord<Content>.format,
            record.digest == digest, record.kind == kind, hasAllFiles(record.files, path),
            let times = settledTimes(path, boot: record.boot, record.files)
        else {
            setAside(digest)
            return nil
        }
        noteUse(path)
        return Artifact(path: path, record: record, lease: lease, times: times, fileOperations: files)
    }

    /// The artifact in a folder that a user named; nil if there is none, or if it cannot be trusted. Nothing is moved.
    package static func open<Content>(
        folder path: String, kind: String, _ content: Content.Type
    ) -> Artifact<Content>? {
        guard let (cache, digest) = place(of: path, setsAside: false) else { return nil }
        return cache.open(digest, kind: kind, content)
    }

    /// The folder around an artifact's folder, and its name.
    private static func place(of path: String, setsAside: Bool) -> (cache: ArtifactCache, digest: String)? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let digest = parts.last else { return nil }
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        var cache = ArtifactCache(folder: parent.isEmpty ? "." : parent)
        cache.setsAside = setsAside
        return (cache, String(digest))
    }

    /// Verifies all files against their digests. A damaged artifact is set aside.
    ///
    /// - Returns: whether all is well; nil if there is no such artifact.
    package func verify(_ digest: String) -> Bool? {
        guard ArtifactLayout.isDigest(digest), let there = try? files.status("\(folder)/\(digest)"),
            there.kind == .folder
        else { return nil }
        let path = "\(folder)/\(digest)"
        guard let record = record(at: path), record.digest == digest, hasAllFiles(record.files, path),
            areIntact(record.files, path)
        else {
            setAside(digest)
            return false
        }
        settle(path)
        return true
    }

    /// The same for an artifact by its folder.
    @discardableResult
    package static func verify(folder path: String) -> Bool? {
        guard let (cache, digest) = place(of: path, setsAside: true) else { return nil }
        return cache.verify(digest)
    }

    private func hasAllFiles(_ list: [ArtifactFile], _ path: String) -> Bool {
        list.count <= 64
            && list.allSatisfy { file in
                guard file.isNamedWell, let there = try? files.status("\(path)/\(file.name)") else { return false }
                return there.kind == .file && there.size == file.bytes
            }
    }

    /// When the files were last written, where they can be trusted; nil if they are not what the record says.
    private func settledTimes(_ path: String, boot: String, _ list: [ArtifactFile]) -> [Double?]? {
        func modified(_ name: String) -> Double? { files.timeOfModification("\(path)/\(name)") }
        let before = list.map { modified($0.name) }
        // Where the system does not tell its runs apart, any start may be the first after one.
        guard !boot.isEmpty, !self.boot.isEmpty else { return areIntact(list, path) ? before : nil }
        // Files that were written since the last verification are verified again, even if their length is the same. File systems
        // count time in steps of several milliseconds: a file that was written in the same step may have been written afterwards.
        let looks = [modified(ArtifactLayout.settled), boot == self.boot ? modified(ArtifactLayout.record) : nil]
        let lastLook = looks.compactMap(\.self).max() ?? -.infinity
        if before.allSatisfy({ $0.map { $0 < lastLook } ?? false }) { return before }
        guard areIntact(list, path) else { return nil }
        if before == list.map({ modified($0.name) }) { settle(path) }
        return before
    }

    /// Losing the mark costs one more verification, so it need not be forced to disk.
    private func settle(_ path: String) {
        guard let file = try? files.open("\(path)/\(ArtifactLayout.settled)", .create, permissions: 0o644) else {
            return
        }
        // Writing gives an earlier mark today's time.
        try? files.writeAll([0x0A], to: file)
        files.close(file)
    }

    private func areIntact(_ list: [ArtifactFile], _ path: String) -> Bool {
        list.allSatisfy { (try? digest(of: "\(path)/\($0.name)")) == $0.sha256 }
    }

    private func digest(of path: String) throws(FileFailure) -> String {
        let file = try files.open(path, .read, permissions: 0)
        defer { files.close(file) }
        var hash = SHA256()
        var position = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            var failure: FileFailure?
            let count = buffer.withUnsafeMutableBytes { bytes in
                do throws(FileFailure) {
                    return try files.readFully(into: bytes, from: file, at: position)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            hash.update(buffer[..<count])
            position += count
            if count < buffer.count { return hash.finalize() }
        }
    }

    /// Only now and then: a start must not wait for a disk to write.
    private func noteUse(_ path: String) {
        let mark = "\(path)/\(ArtifactLayout.used)"
        let now = Date().timeIntervalSince1970
        // A mark from the future was made before the clock was set back.
        if let there = try? files.status(mark), abs(now - there.modified) < 3600 { return }
        guard let file = try? files.open(mark, .create, permissions: 0o644) else { return }
        try? files.writeAll([UInt8(ascii: "\n")], to: file)
        files.close(file)
    }

    /// Moves an artifact that cannot be trusted out of the way. The latest one is kept for diagnosis.
    func setAside(_ digest: String) {
        guard setsAside else { return }
        let path = "\(folder)/\(digest)"
        let target = path + ArtifactLayout.damaged
        files.removeTree(target)
        if (try? files.rename(path, to: target)) == nil { files.removeTree(path) }
    }

    func record(at path: String) -> ArtifactRecord<NoContent>? {
        guard
            let bytes = try? files.readFile("\(path)/\(ArtifactLayout.record)", limit: ArtifactRecord<NoContent>.limit)
        else { return nil }
        return ArtifactRecord<NoContent>.decoded(bytes)
    }
}

/// Stands for content that is not needed.
struct NoContent: Codable, Sendable {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
}
