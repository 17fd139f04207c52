#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The system's own files.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package struct SystemFiles: FileOperations {
    package init() {}

    package func open(_ path: String, _ mode: OpenMode, permissions: UInt16) throws(FileFailure) -> OpenFile {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .update: O_RDWR
            case .create: O_RDWR | O_CREAT
            case .createNew: O_RDWR | O_CREAT | O_EXCL
            }
        let descriptor = try retried("open", path) { systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW, permissions) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    package func close(_ file: OpenFile) { _ = systemClose(file.descriptor) }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let count = try retried("write", file.path) {
            pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(position))
        }
        // Without this check, a write of zero bytes would be repeated forever.
        guard count > 0 else { throw FileFailure(operation: "write", path: file.path, code: EIO) }
        return count
    }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        guard !buffer.isEmpty else { return 0 }
        return try retried("read", file.path) {
            pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(position))
        }
    }

    package func truncate(_ file: OpenFile, to size: Int) throws(FileFailure) {
        _ = try retried("truncate", file.path) { ftruncate(file.descriptor, off_t(size)) }
    }

    package func synchronize(_ file: OpenFile) throws(FileFailure) {
        #if canImport(Darwin)
        // fsync leaves the bytes in the drive's own cache there. Not every file system knows the stronger call.
        if fcntl(file.descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try retried("fsync", file.path) { fsync(file.descriptor) }
    }

    package func synchronizeFolder(_ path: String) throws(FileFailure) {
        let descriptor = try retried("open", path) { systemOpen(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0) }
        defer { _ = systemClose(descriptor) }
        do throws(FileFailure) {
            _ = try retried("fsync", path) { fsync(descriptor) }
        } catch  where [EINVAL, ENOTSUP, EROFS].contains(error.code) {
            // Some file systems cannot synchronise a folder.
        }
    }

    package func rename(_ path: String, to target: String) throws(FileFailure) {
        _ = try retried("rename", path) { systemRename(path, target) }
    }

    package func link(_ path: String, to target: String) throws(FileFailure) {
        _ = try retried("link", path) { systemLink(path, target) }
    }

    package func unlink(_ path: String) throws(FileFailure) {
        _ = try retried("unlink", path) { systemUnlink(path) }
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(FileFailure) {
        _ = try retried("mkdir", path) { mkdir(path, mode_t(permissions)) }
    }

    package func removeFolder(_ path: String) throws(FileFailure) {
        _ = try retried("rmdir", path) { rmdir(path) }
    }

    package func status(_ path: String) throws(FileFailure) -> FileStatus? {
        var info = stat()
        do throws(FileFailure) {
            _ = try retried("stat", path) { lstat(path, &info) }
        } catch  where error.code == ENOENT {
            return nil
        }
        return Self.status(info)
    }

    package func status(of file: OpenFile) throws(FileFailure) -> FileStatus {
        var info = stat()
        _ = try retried("stat", file.path) { fstat(file.descriptor, &info) }
        return Self.status(info)
    }

    package func list(_ path: String) throws(FileFailure) -> [String] {
        guard let folder = opendir(path) else { throw FileFailure(operation: "list", path: path, code: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            // The name runs to its NUL inside the record, which may be shorter than the declared array.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = String(
                cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw FileFailure(operation: "list", path: path, code: errno) }
        return names.sorted()
    }

    package func setPermissions(_ path: String, _ permissions: UInt16) throws(FileFailure) {
        _ = try retried("chmod", path) { chmod(path, mode_t(permissions)) }
    }

    package func lock(_ file: OpenFile, shared: Bool) throws(FileFailure) -> Bool {
        do throws(FileFailure) {
            _ = try retried("flock", file.path) {
                flock(file.descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB)
            }
            return true
        } catch  where error.code == EWOULDBLOCK {
            return false
        }
    }

    package func unlock(_ file: OpenFile) { _ = flock(file.descriptor, LOCK_UN) }

    package func freeSpace(_ path: String) throws(FileFailure) -> Int {
        var info = statvfs()
        _ = try retried("statvfs", path) { statvfs(path, &info) }
        let blocks = UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
        return blocks.overflow ? .max : Int(clamping: blocks.partialValue)
    }

    static let alreadyExists = EEXIST
    package static let tooLarge = EFBIG
    /// `EINVAL`: not a regular file.
    static let notAFile = EINVAL

    static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func status(_ info: stat) -> FileStatus {
        let kind: FileStatus.Kind =
            switch info.st_mode & mode_t(S_IFMT) {
            case mode_t(S_IFREG): .file
            case mode_t(S_IFDIR): .folder
            case mode_t(S_IFLNK): .link
            default: .other
            }
        #if canImport(Darwin)
        let time = info.st_mtimespec
        #else
        let time = info.st_mtim
        #endif
        return FileStatus(
            kind: kind, size: Int(info.st_size), modified: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            inode: UInt64(info.st_ino), permissions: UInt16(truncatingIfNeeded: info.st_mode & 0o7777))
    }

    /// Calls until no signal gets in between.
    private func retried<Result: SignedInteger>(
        _ operation: String, _ path: String, _ call: () -> Result
    ) throws(FileFailure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw FileFailure(operation: operation, path: path, code: code) }
        }
    }
}

// The system's calls under names that the methods above do not hide.
private func systemOpen(_ path: String, _ flags: Int32, _ permissions: UInt16) -> Int32 {
    open(path, flags, mode_t(permissions))
}
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }
private func systemLink(_ path: String, _ target: String) -> Int32 { link(path, target) }
private func systemUnlink(_ path: String) -> Int32 { unlink(path) }
