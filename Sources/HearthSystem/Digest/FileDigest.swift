#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// SHA-256 of files of any size: they stream through one buffer, so that memory stays as it was.
package enum FileDigest {
    /// - Parameter progress: called with the bytes done, every megabyte; an error that it throws ends the work.
    /// - Throws: `FileFailure`, or an error of `progress`.
    package static func sha256(_ path: String, progress: (Int) throws -> Void = { _ in }) throws -> String {
        func failure(_ operation: String) -> FileFailure {
            FileFailure(operation: operation, path: path, code: errno)
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        #if os(Linux)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        #endif
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var done = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read") }
            if count == 0 { return hash.finalize() }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            done += count
            try progress(done)
        }
    }
}
