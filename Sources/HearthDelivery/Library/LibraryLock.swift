internal import Foundation
internal import HearthSystem

/// Lets one process at a time change a library. Held only while versions are published or removed, never during downloads.
enum LibraryLock {
    /// How long to wait for other processes.
    static let patience: Duration = .seconds(30)

    /// Runs `body` while the lock is held. If the file system has no locks, it runs anyway: all changes are correct without the lock,
    /// which only avoids conflicts.
    ///
    /// Blocks the thread: not for the threads of Swift's concurrency pool.
    static func withLock<Result>(
        _ root: LibraryRoot, files: any FileOperations, patience: Duration = patience,
        _ body: () throws(DeliveryError) -> Result
    ) throws(DeliveryError) -> Result {
        let file: OpenFile
        do throws(FileFailure) {
            try files.makeFolders(root.path)
            file = try files.open(root.lock, .create, permissions: 0o644)
        } catch {
            throw DeliveryError(error)
        }
        defer { files.close(file) }
        let end = ContinuousClock.now + patience
        while true {
            do throws(FileFailure) {
                if try files.lock(file, shared: false) { break }
            } catch  where [ENOLCK, ENOTSUP, EINVAL, ENOSYS].contains(error.code) {
                break
            } catch {
                throw DeliveryError(error)
            }
            guard ContinuousClock.now < end else { throw DeliveryError.libraryBusy(path: root.lock) }
            usleep(5000)
        }
        return try body()
    }
}
