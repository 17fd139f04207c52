internal import Foundation
internal import HearthSystem

/// Keeps a second process from downloading the same file, where the file system honours locks.
///
/// Some network disks say yes to every lock. That is noticed by asking twice; who holds such a lock knows that there
/// may be others.
struct PartialLock {
    private let files: any FileOperations
    private let file: OpenFile
    /// Locks mean something here.
    let isHonoured: Bool

    /// Takes the lock, waiting as long as somebody else is at it.
    /// - Parameter pause: called between attempts; throws where waiting has to end.
    init(_ path: String, files: any FileOperations, pause: () throws -> Void) throws {
        self.files = files
        while true {
            let file = try files.open(path, .create, permissions: 0o644)
            do {
                if try files.lock(file, shared: false) {
                    // Its last owner removes the file: a lock on a removed one keeps nobody out.
                    if let now = try files.status(path), now.inode == (try files.status(of: file)).inode {
                        isHonoured = try !Self.canLockTwice(path, files)
                        self.file = file
                        return
                    }
                    files.close(file)
                    continue
                }
            } catch let failure as FileFailure where failure.code == ENOTSUP || failure.code == ENOLCK {
                isHonoured = false
                self.file = file
                return
            } catch {
                files.close(file)
                throw error
            }
            files.close(file)
            try pause()
        }
    }

    private static func canLockTwice(_ path: String, _ files: any FileOperations) throws -> Bool {
        let second = try files.open(path, .create, permissions: 0o644)
        defer { files.close(second) }
        return try files.lock(second, shared: false)
    }

    func release() {
        if isHonoured { try? files.unlink(file.path) }
        files.close(file)
    }
}
