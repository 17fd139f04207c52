internal import Foundation
internal import HearthSystem

extension ArtifactCache {
    /// Makes an artifact and gives it its name.
    ///
    /// Nothing of it is visible before all of it is on the disk. When another process was faster, its artifact is used and
    /// this one thrown away.
    ///
    /// - Parameters:
    ///   - profile: field by field, for telling later what drifted.
    ///   - write: writes the files and returns what `artifact.json` keeps for the engine.
    /// - Returns: the artifact, and whether it is another process's.
    /// - Throws: `DeliveryError.storage` or `diskFull`, or what `write` throws; nothing is left behind then.
    package func publish<Content>(
        _ digest: String, kind: String, profile: [String: String], source: SourceIdentity,
        write: (ArtifactWriter) throws -> Content
    ) throws -> (artifact: Artifact<Content>, reused: Bool) {
        guard ArtifactLayout.isDigest(digest) else {
            throw DeliveryError.storage(path: digest, reason: "not the digest of a profile")
        }
        do {
            try makeFolder()
            sweep()
            return try publishing(digest) { temporary in
                let writer = ArtifactWriter(folder: temporary, files: files)
                let content = try write(writer)
                let record = ArtifactRecord(
                    format: ArtifactRecord<Content>.format, digest: digest, kind: kind, profile: profile,
                    source: source, boot: boot, files: writer.written, content: content)
                let path = "\(temporary)/\(ArtifactLayout.record)"
                let file = try files.open(path, .createNew, permissions: 0o444)
                defer { files.close(file) }
                try files.writeAll(try record.encoded(), to: file)
                try files.synchronize(file)
            } open: {
                open(digest, kind: kind, Content.self)
            }
        } catch let failure as FileFailure {
            throw DeliveryError(failure)
        }
    }

    private func publishing<Result>(
        _ digest: String, fill: (String) throws -> Void, open: () -> Result?
    ) throws -> (artifact: Result, reused: Bool) {
        let (temporary, lock) = try unfinishedFolder()
        defer {
            try? files.unlink(temporary + ArtifactLayout.lock)
            withExtendedLifetime(lock) {}
        }
        var isPublished = false
        defer { if !isPublished { files.removeTree(temporary) } }
        try files.makeFolder(temporary, permissions: 0o755)
        try fill(temporary)
        try files.synchronizeFolder(temporary)

        let path = "\(folder)/\(digest)"
        for attempt in 0..<2 {
            do {
                // Asked first: not every system refuses to put a folder in the place of another one.
                guard try files.status(path) == nil else {
                    throw FileFailure(operation: "rename", path: path, code: EEXIST)
                }
                try files.rename(temporary, to: path)
                isPublished = true
                try files.synchronizeFolder(folder)
                break
            } catch let failure as FileFailure where [EEXIST, ENOTEMPTY].contains(failure.code) && attempt == 0 {
                // Opening sets a damaged one aside, and then there is room.
                if let theirs = open() { return (theirs, true) }
            }
        }
        guard let artifact = open() else {
            throw DeliveryError.storage(path: path, reason: "it was removed or damaged right after it was made")
        }
        return (artifact, false)
    }

    /// Makes the folder of artifacts, and its name durable.
    private func makeFolder() throws {
        guard try files.status(folder) == nil else { return }
        try files.makeFolders(folder, permissions: 0o755)
        var path = folder
        for _ in 0..<2 {
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
            path = String(path[..<slash])
            try files.synchronizeFolder(path)
        }
    }

    /// A folder to work in, and the lock that says that its maker lives.
    private func unfinishedFolder() throws -> (path: String, lock: Lease) {
        for _ in 0..<4 {
            let path = "\(folder)/\(ArtifactLayout.building)\(String(UInt64.random(in: .min ... .max), radix: 36))"
            // The lock exists before the folder and is removed after it: a folder without a lock has no owner.
            let lockPath = path + ArtifactLayout.lock
            let file = try files.open(lockPath, .createNew, permissions: 0o644)
            let inode = (try? files.status(of: file))?.inode
            // A sweep may have taken it for a dead process's before it was locked.
            if let lock = Lease(file, shared: false, files: files),
                ((try? files.status(lockPath)) ?? nil)?.inode == inode
            {
                return (path, lock)
            }
        }
        throw DeliveryError.storage(path: folder, reason: "no folder to work in stays locked")
    }

    /// Removes what dead processes left: folders that were never finished, and such that were being removed.
    package func sweep() {
        let names = (try? files.list(folder)) ?? []
        for name in names where name.hasPrefix(ArtifactLayout.building) && name.hasSuffix(ArtifactLayout.lock) {
            guard let file = try? files.open("\(folder)/\(name)", .update, permissions: 0) else { continue }
            guard let lock = Lease(file, shared: false, files: files) else { continue }
            files.removeTree("\(folder)/\(name.dropLast(ArtifactLayout.lock.count))")
            try? files.unlink("\(folder)/\(name)")
            withExtendedLifetime(lock) {}
        }
        for name in names {
            let isOrphan =
                name.hasPrefix(ArtifactLayout.building) && !name.hasSuffix(ArtifactLayout.lock)
                && ((try? files.status("\(folder)/\(name)\(ArtifactLayout.lock)")) ?? nil) == nil
            if isOrphan || name.hasPrefix(ArtifactLayout.removing) { files.removeTree("\(folder)/\(name)") }
        }
    }
}
