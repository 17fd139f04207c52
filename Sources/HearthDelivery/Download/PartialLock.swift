internal import Foundation
internal import HearthSystem

/// Keeps a second process from downloading the same file, where the file system honours locks.
///
/// Processes that wait for the lock share its owner's download: the owner writes the file's digest into the lock file, then
/// unlinks it; the waiting processes have it open and read the digest, and nothing remains on the disk.
///
/// Some network disks grant every lock. This is detected by locking twice; the holder of such a lock knows that there may be
/// others.
struct PartialLock {
    /// The result of waiting for a lock.
    enum Outcome {
        case held(PartialLock)
        /// Another process has installed the file, with this digest, while this one waited.
        case finished(sha256: String)
    }

    private let files: any FileOperations
    private let file: OpenFile
    /// Whether the file system honours locks.
    let isHonoured: Bool

    /// Takes the lock, waiting while another process holds it.
    /// - Parameter pause: called between attempts; throws to end the wait.
    static func take(_ path: String, files: any FileOperations, pause: () throws -> Void) throws -> Outcome {
        var file = try files.open(path, .create, permissions: 0o644)
        do {
            while true {
                guard try files.lock(file, shared: false) else {
                    // Kept open: the name may be removed, with a message for the waiting processes.
                    try pause()
                    continue
                }
                let status = try files.status(of: file)
                if try files.status(path)?.inode == status.inode {
                    // Left by a process that was killed before it removed the file.
                    if status.size > 0 { try files.truncate(file, to: 0) }
                    return .held(Self(files: files, file: file, isHonoured: try !canLockTwice(path, files)))
                }
                // A lock on a removed file excludes nobody.
                let sha256 = try lastWord(file, files)
                if let sha256 {
                    files.close(file)
                    return .finished(sha256: sha256)
                }
                let next = try files.open(path, .create, permissions: 0o644)
                files.close(file)
                file = next
            }
        } catch let failure as FileFailure where failure.code == ENOTSUP || failure.code == ENOLCK {
            return .held(Self(files: files, file: file, isHonoured: false))
        } catch {
            files.close(file)
            throw error
        }
    }

    private static func canLockTwice(_ path: String, _ files: any FileOperations) throws -> Bool {
        let second = try files.open(path, .create, permissions: 0o644)
        defer { files.close(second) }
        return try files.lock(second, shared: false)
    }

    private static func lastWord(_ file: OpenFile, _ files: any FileOperations) throws -> String? {
        var bytes = [UInt8](repeating: 0, count: 65)
        let count = try bytes.withUnsafeMutableBytes { try files.readFully(into: $0, from: file, at: 0) }
        let sha256 = String(decoding: bytes.prefix(64), as: UTF8.self)
        return count == 65 && bytes[64] == UInt8(ascii: "\n") && ManifestFile.isDigest(sha256) ? sha256 : nil
    }

    /// - Parameter sha256: of the installed file, for the waiting processes; nil if none was installed.
    func release(sharing sha256: String? = nil) {
        if isHonoured {
            // If the digest cannot be shared, the others download the file again.
            if let sha256 { try? files.writeAll(Array((sha256 + "\n").utf8), to: file) }
            try? files.unlink(file.path)
        }
        files.close(file)
    }
}
