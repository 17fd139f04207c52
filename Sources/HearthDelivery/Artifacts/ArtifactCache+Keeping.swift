internal import Foundation
internal import HearthSystem

/// One artifact in a list.
package struct ArtifactSummary: Sendable, Equatable {
    /// Digest of its profile.
    package var digest: String
    /// Which engine made it.
    package var kind: String
    /// The profile it was made for.
    package var profile: [String: String]
    /// From what it was made.
    package var source: SourceIdentity
    /// Bytes on disk.
    package var bytes: Int
    /// Seconds since 1970, to the hour.
    package var lastUsed: Double
    /// Its folder.
    package var path: String
}

extension ArtifactCache {
    /// All artifacts whose record can be read, the last used one first.
    package func list() -> [ArtifactSummary] {
        let names = (try? files.list(folder)) ?? []
        return names.filter(ArtifactLayout.isDigest).compactMap { digest in
            let path = "\(folder)/\(digest)"
            guard let record = record(at: path), record.digest == digest else { return nil }
            return ArtifactSummary(
                digest: digest, kind: record.kind, profile: record.profile, source: record.source,
                bytes: treeBytes(path), lastUsed: lastUse(path), path: path)
        }.sorted { $0.lastUsed > $1.lastUsed }
    }

    /// Bytes of everything in the folder, set-aside and unfinished artifacts included.
    package func totalBytes() -> Int { treeBytes(folder) }

    /// Whether a living process has it open.
    package func isInUse(_ digest: String) -> Bool {
        guard ArtifactLayout.isDigest(digest),
            let file = try? files.open("\(folder)/\(digest)/\(ArtifactLayout.record)", .read, permissions: 0)
        else { return false }
        return Lease(file, shared: false, files: files) == nil
    }

    /// Removes an artifact.
    ///
    /// - Returns: false if a running process uses it, or it could not be removed.
    @discardableResult
    package func remove(_ digest: String) -> Bool {
        guard ArtifactLayout.isDigest(digest) else { return false }
        let path = "\(folder)/\(digest)"
        guard ((try? files.status(path)) ?? nil) != nil else { return true }
        var lease: Lease?
        if let file = try? files.open("\(path)/\(ArtifactLayout.record)", .read, permissions: 0) {
            lease = Lease(file, shared: false, files: files)
            if lease == nil { return false }
        }
        // One step takes it out of sight; a crash after it leaves work for the next sweep and nothing else.
        let target = "\(folder)/\(ArtifactLayout.removing)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        guard (try? files.rename(path, to: target)) != nil else { return false }
        withExtendedLifetime(lease) {}
        lease = nil
        files.removeTree(target)
        return true
    }

    /// Removes set-aside artifacts, then those used least lately, until at most `bytes` are left or only such that are in
    /// use.
    ///
    /// - Returns: digests of what was removed.
    @discardableResult
    package func prune(to bytes: Int) -> [String] {
        sweep()
        removeSetAside()
        var left = totalBytes()
        var removed: [String] = []
        for artifact in list().reversed() where left > bytes {
            guard remove(artifact.digest) else { continue }
            left -= artifact.bytes
            removed.append(artifact.digest)
        }
        return removed
    }

    /// Removes artifacts that were set aside because they were damaged.
    package func removeSetAside() {
        for name in (try? files.list(folder)) ?? [] where name.hasSuffix(ArtifactLayout.damaged) {
            files.removeTree("\(folder)/\(name)")
        }
    }

    private func lastUse(_ path: String) -> Double {
        for name in [ArtifactLayout.used, ArtifactLayout.record] {
            if let there = try? files.status("\(path)/\(name)") { return there.modified }
        }
        return 0
    }

    private func treeBytes(_ path: String) -> Int {
        guard let there = try? files.status(path) else { return 0 }
        guard there.kind == .folder else { return there.size }
        return ((try? files.list(path)) ?? []).reduce(0) { $0 + treeBytes("\(path)/\($1)") }
    }
}
