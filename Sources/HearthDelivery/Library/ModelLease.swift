internal import HearthSystem

/// While this object exists, no process evicts, prunes or removes its version of a model. The system releases the lease when
/// the process ends, however it ends.
package final class ModelLease: Sendable {
    private let files: any FileOperations
    private let file: OpenFile

    init(_ file: OpenFile, files: any FileOperations) {
        self.file = file
        self.files = files
    }

    deinit { files.close(file) }
}

extension LibraryStore {
    /// Leases a version.
    /// - Returns: nil if no lease can be had, because the version has been or is being removed.
    func lease(_ name: String, _ version: String) -> ModelLease? {
        let path = root.lease(name, version)
        for _ in 0..<8 {
            guard let file = openLease(path) else { return nil }
            guard (try? files.lock(file, shared: true)) == true else {
                files.close(file)
                return nil
            }
            // If the version was removed between opening and locking, this file was removed as well.
            if let named = try? files.status(path), named.inode == (try? files.status(of: file))?.inode {
                let lease = ModelLease(file, files: files)
                return files.exists(root.record(name, version)) ? lease : nil
            }
            files.close(file)
        }
        return nil
    }

    private func openLease(_ path: String) -> OpenFile? {
        if let file = try? files.open(path, .create, permissions: 0o644) { return file }
        try? files.makeFolders(root.leases)
        if let file = try? files.open(path, .create, permissions: 0o644) { return file }
        // A read-only library of another user can be used without a lease.
        return try? files.open(path, .read, permissions: 0)
    }
}

extension FileOperations {
    package func exists(_ path: String) -> Bool { ((try? status(path)) ?? nil) != nil }

    /// False if the check fails.
    func isCertainlyGone(_ path: String) -> Bool {
        do throws(FileFailure) { return try status(path) == nil } catch { return false }
    }
}
