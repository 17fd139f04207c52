internal import Foundation
internal import HearthSystem

/// Changes to the folders of one storage class, each in an order that leaves the library in its old or new state wherever it is
/// interrupted.
/// Callers hold the library's lock, which avoids duplicate work; the files stay consistent without it.
extension LibraryStore {
    /// Creates the folders and makes their names durable: a file in a folder whose name is lost is lost as well.
    func prepare() throws(FileFailure) {
        try files.makeFolders(root.path)
        for folder in [root.blobs, root.manifests, root.selections, root.leases, root.uses] {
            try files.makeFolders(folder)
        }
        // The parent folders may be new: created by this process, or by one that was killed before it got here.
        var folder = root.path
        try files.synchronizeFolder(folder)
        while folder != "/" {
            folder = Self.parent(of: folder)
            do throws(FileFailure) {
                try files.synchronizeFolder(folder)
            } catch  where [EACCES, EPERM].contains(error.code) {
                // A folder that cannot be read was not created here.
            }
        }
    }

    /// Moves verified files to the paths of their digests, then writes the record.
    /// - Parameter staged: the current paths of the files, by digest; they are moved. The others must be in the library already.
    /// - Throws: a failure with `ENOENT` if a file is neither staged nor in the library.
    func publish(_ record: ModelRecord, staged: [String: String]) throws(FileFailure) {
        try prepare()
        for (sha256, path) in staged.sorted(by: { $0.key < $1.key }) {
            guard let file = record.files.first(where: { $0.sha256 == sha256 }) else { continue }
            // Moved by an earlier attempt that was interrupted.
            if try files.status(path) == nil, try isThere(file) { continue }
            try publishBlob(file, from: path)
        }
        try files.synchronizeFolder(root.blobs)
        try checkBlobs(of: record)
        try layOut(record)
        try files.makeFolders(root.folder(record.name))
        try files.synchronizeFolder(root.manifests)
        try replace(root.record(record.name, record.version), with: record)
        // If locks do not work, another process may have cleaned up in the meantime.
        do throws(FileFailure) {
            try checkBlobs(of: record)
        } catch  where error.code == ENOENT {
            try? files.unlink(root.record(record.name, record.version))
            throw error
        }
    }

    /// Flushes a file and moves it to the path of its digest; the folder is not flushed yet.
    func publishBlob(_ file: ModelRecord.File, from path: String) throws(FileFailure) {
        try synchronize(path)
        try files.setPermissions(path, 0o444)
        try files.rename(path, to: root.blob(file.sha256))
    }

    /// Locks a file, so that it is not removed as a leftover before a record names it.
    func hold(_ sha256: String) throws(FileFailure) -> ModelLease {
        let file = try files.open(root.blob(sha256), .read, permissions: 0)
        _ = try? files.lock(file, shared: true)
        return ModelLease(file, files: files)
    }

    private func synchronize(_ path: String) throws(FileFailure) {
        let file = try files.open(path, .read, permissions: 0)
        defer { files.close(file) }
        try files.synchronize(file)
    }

    private func checkBlobs(of record: ModelRecord) throws(FileFailure) {
        for file in record.files where try !isThere(file) {
            throw FileFailure(operation: "stat", path: root.blob(file.sha256), code: ENOENT)
        }
    }

    /// Replaces a model's selection.
    func select(_ name: String, _ selection: VersionSelection) throws(FileFailure) {
        try replace(root.selection(name), with: selection)
    }

    private func replace(_ path: String, with value: some Encodable) throws(FileFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(value) else {
            throw FileFailure(operation: "encode", path: path, code: EINVAL)
        }
        try files.replaceFile(path, with: Array(data) + [UInt8(ascii: "\n")], permissions: 0o644)
    }

    /// Removes a version's record, and with it the version; its bytes are removed with the leftovers.
    func withdraw(_ name: String, _ version: String) throws(FileFailure) {
        try removeIfThere(root.record(name, version))
        do throws(FileFailure) {
            try files.synchronizeFolder(root.folder(name))
        } catch  where error.isGone {
            // Another process has removed the folder together with its last version.
        }
        try? files.unlink(root.use(name, version))
    }

    /// Removes the leftovers of ended processes and removed versions.
    ///
    /// Nothing that a running process still needs is removed: publishing requires the lock that the caller holds, and only leases
    /// that can be locked are removed.
    /// - Parameter kept: digests of files that are about to be installed.
    /// - Returns: bytes that were freed.
    func removeLeftovers(except kept: Set<String> = []) throws(FileFailure) -> Int {
        let findings = scan()
        var freed = 0
        for name in list(root.manifests) where files.isFolder(root.folder(name)) {
            for file in list(root.folder(name)) where file.hasSuffix(".tmp") {
                freed += try removeFile("\(root.folder(name))/\(file)")
            }
            // Fails where the folder is not empty, as it should.
            try? files.removeFolder(root.folder(name))
        }
        let names = Set(findings.versions.map(\.record.name))
        for file in list(root.selections) {
            let isOrphan = LibraryRoot.stem(file).map { ModelName.isValid($0) && isForgettable($0, names) } ?? false
            if file.hasSuffix(".tmp") || (isOrphan && findings.isComplete) {
                freed += try removeFile("\(root.selections)/\(file)")
            }
        }
        guard findings.isComplete else { return freed }
        let versions = Set(findings.versions.map { "\($0.record.name)@\($0.record.version)" })
        for file in list(root.uses) where LibraryRoot.identity(file) != nil && !versions.contains(file) {
            freed += try removeFile("\(root.uses)/\(file)")
        }
        for file in list(root.leases) where !versions.contains(file) {
            guard let (name, version) = LibraryRoot.identity(file) else { continue }
            guard let lock = try lockForRemoval(name, version) else { continue }
            defer { files.close(lock) }
            freed += try removeFile(lock.path)
        }
        try removePackages(except: Set(findings.versions.compactMap { LibraryRoot.packageName($0.record) }))
        let referenced = findings.versions.flatMap { $0.record.files.map(\.sha256) }
        return try freed + removeBlobs(except: kept.union(referenced))
    }

    /// Whether a selection has nothing to select and nothing to remember. The newest revision is remembered after an eviction;
    /// otherwise evicting would make it possible to install an old revision.
    private func isForgettable(_ name: String, _ installed: Set<String>) -> Bool {
        guard !installed.contains(name) else { return false }
        if case .value(let selection) = selection(name) { return selection.newestRevision == nil }
        return false
    }

    /// The removal of records must be on the disk before the files that they name are removed: the process that removed the
    /// records may have been killed before it flushed the folder.
    func settleRemovals() throws(FileFailure) {
        if try files.status(root.manifests) != nil {
            for name in try files.list(root.manifests) where try files.status(root.folder(name))?.kind == .folder {
                do throws(FileFailure) {
                    try files.synchronizeFolder(root.folder(name))
                } catch  where error.isGone {
                    // The folder was removed with its content.
                }
            }
            try files.synchronizeFolder(root.manifests)
        }
    }

    private func removeBlobs(except referenced: Set<String>) throws(FileFailure) -> Int {
        let orphans = list(root.blobs).filter { ModelName.isDigest($0) && !referenced.contains($0) }
        guard !orphans.isEmpty else { return 0 }
        try settleRemovals()
        var freed = 0
        for file in orphans {
            // Locked by the process that is about to write the record.
            guard let held = try? files.open(root.blob(file), .read, permissions: 0) else { continue }
            defer { files.close(held) }
            if (try? files.lock(held, shared: false)) == true { freed += try removeFile(root.blob(file)) }
        }
        return freed
    }

    // MARK: - Leases

    /// Locks a version's lease, so that no other process can take it: an open file to close after the removal, or nil if a
    /// running process holds it.
    func lockForRemoval(_ name: String, _ version: String) throws(FileFailure) -> OpenFile? {
        try files.makeFolders(root.leases)
        let file = try files.open(root.lease(name, version), .create, permissions: 0o644)
        do throws(FileFailure) {
            if try files.lock(file, shared: false) { return file }
        } catch {
            files.close(file)
            throw error
        }
        files.close(file)
        return nil
    }

    // MARK: - Small steps

    /// Removes a file if it still exists.
    /// - Returns: its size.
    private func removeFile(_ path: String) throws(FileFailure) -> Int {
        guard let status = try files.status(path), status.kind == .file || status.kind == .link else { return 0 }
        try removeIfThere(path)
        return status.size
    }

    private func removeIfThere(_ path: String) throws(FileFailure) {
        do throws(FileFailure) {
            try files.unlink(path)
        } catch  where error.code == ENOENT {
            // Another process has removed it.
        }
    }

    private func list(_ folder: String) -> [String] { (try? files.list(folder)) ?? [] }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension FileFailure {
    /// Whether the file did not exist: if it did a moment ago, another process has removed it.
    var isGone: Bool { code == ENOENT }
}

extension FileOperations {
    package func isFolder(_ path: String) -> Bool { ((try? status(path)) ?? nil)?.kind == .folder }
}
