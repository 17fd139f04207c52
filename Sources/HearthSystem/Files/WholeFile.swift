#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Reads and writes files that users name: links are followed, and other kinds of files are not replaced or read as regular ones.
package enum WholeFile {
    /// All bytes of a file.
    /// - Parameter limit: maximum size in bytes.
    /// - Throws: a failure with `EFBIG` if it is longer, `EISDIR` or `EINVAL` if it is not a regular file.
    package static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let (descriptor, size) = try open(path)
        defer { close(descriptor) }
        func failure(_ code: Int32) -> FileFailure { FileFailure(operation: "read", path: path, code: code) }
        guard size <= limit else { throw failure(EFBIG) }
        // The standard library would set the count of the empty array that all threads share: the thread sanitizer reports it.
        guard size > 0 else { return [] }
        var problem: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            while initialized < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...])
                let count = systemRead(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { problem = errno }
                // It may have become shorter meanwhile.
                guard count > 0 else { break }
                initialized += count
            }
        }
        guard problem == 0 else { throw failure(problem) }
        return bytes
    }

    /// Gives a file new content; after a crash the name holds the old bytes or the new. If the path is not a regular
    /// file, such as a pipe or a terminal, or stands for an open descriptor, as `/dev/stdout` does, it is written to directly.
    /// - Throws: `FileFailure`.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        // Where standard output is a file, it continues there: a new file in its place would lose what else is written to it.
        if let descriptor = descriptor(named: path) { return try write(bytes, to: descriptor, path) }
        // A link stays a link: its target is replaced.
        let target = RealPath.of(path) ?? path
        let files = SystemFiles()
        guard let there = try files.status(target), there.kind != .file else {
            return try files.replaceFile(target, with: bytes)
        }
        let descriptor = systemOpen(target, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileFailure(operation: "open", path: path, code: errno) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(FileFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                systemWrite(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFailure(operation: "write", path: path, code: count < 0 ? errno : EIO) }
            done += count
        }
    }

    /// The descriptor that a path stands for; nil if it is the name of a file.
    private static func descriptor(named path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let folder = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix)
            return folder.flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    /// Whether a file could be read.
    /// - Throws: why not, as `read`.
    package static func check(_ path: String) throws(FileFailure) { close(try open(path).descriptor) }

    /// Why no file can be written to a path by a rename: it is empty, or the name of a folder, or of a device or pipe, which
    /// the file would replace, or of an open descriptor. nil if nothing is in the way.
    package static func obstacle(at path: String) -> String? {
        if path.isEmpty { return SystemFiles.words(ENOENT) }
        if descriptor(named: path) != nil { return FileFailure.notAFile }
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return SystemFiles.words(EISDIR)
        default: return FileFailure.notAFile
        }
    }

    private static func open(_ path: String) throws(FileFailure) -> (descriptor: Int32, size: Int) {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(operation: "open", path: path, code: errno) }
        var status = stat()
        var code: Int32 = 0
        if fstat(descriptor, &status) != 0 {
            code = errno
        } else if status.st_mode & S_IFMT != S_IFREG {
            code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
        }
        if code != 0 {
            close(descriptor)
            throw FileFailure(operation: FileFailure.looking, path: path, code: code)
        }
        return (descriptor, Int(status.st_size))
    }
}

// The system calls, which have the same names as the functions above.

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, start, count)
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
