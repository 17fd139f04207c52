#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that appears under its name complete, or not at all.
///
/// Bytes go to a temporary file beside the target; `publish` forces them to disk, renames, and forces the folder, so
/// that after a crash or a power loss the name holds the old content or the new. Without `publish` the temporary file
/// is removed. A link stays a link; a device or a pipe is not replaced.
package struct AtomicFile: ~Copyable {
    /// Where the bytes go until they are published.
    package let temporaryPath: String
    /// As it was given, for messages.
    private let path: String
    private let target: String
    private let descriptor: Int32
    private var isPublished = false

    /// - Parameter willCreate: receives the path of the temporary file before that exists.
    /// - Throws: `FileError.unwritable`, also if the path is that of a folder or a device: before any work is done.
    package init(path: String, willCreate: (String) -> Void = { _ in }) throws(FileError) {
        if let reason = WholeFile.obstacle(at: path) {
            throw .unwritable(.init(file: path, field: ""), reason: reason)
        }
        let target = RealPath.of(path) ?? path
        let temporary = "\(target).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        willCreate(temporary)
        // Exclusive: never through a link, or into a file that another process has created.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path) }
        (self.path, self.target) = (path, target)
        self.descriptor = descriptor
        temporaryPath = temporary
    }

    deinit {
        _ = close(descriptor)
        if !isPublished { _ = unlink(temporaryPath) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try bytes.withUnsafeBytes { buffer in Result { () throws(FileError) in try write(buffer) } }.get()
    }

    /// Appends bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = systemWrite(descriptor, start, rest.count)
            if written < 0, errno == EINTR { continue }
            // Without this check, a write of zero bytes would be repeated forever.
            guard written > 0 else { throw Self.failure(path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Flushes the bytes to the disk, so that a check of the file sees what will be published.
    package func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw Self.failure(path) }
    }

    /// Gives the file its name.
    package mutating func publish() throws(FileError) {
        try synchronize()
        guard rename(temporaryPath, target) == 0 else { throw Self.failure(path) }
        isPublished = true
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { throw Self.failure(path) }
        // Some file systems cannot synchronise a folder; the file itself is safe.
        _ = fsync(handle)
        _ = close(handle)
    }

    private static func failure(_ path: String) -> FileError {
        .unwritable(.init(file: path, field: ""), reason: String(cString: strerror(errno)))
    }
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, start, count)
}
