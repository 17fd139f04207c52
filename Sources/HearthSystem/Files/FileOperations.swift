/// Everything that Hearth's store asks of a file system, one method a system call.
///
/// The store never calls the system directly, so tests can make each step fail in turn, and simulate a loss of power. `SystemFiles` is the real one.
///
/// Paths are absolute. Positions and sizes are bytes. Every failure is a ``FileFailure`` that carries `errno`.
package protocol FileOperations: Sendable {
    /// Opens a file; never follows a link in the last place.
    func open(_ path: String, _ mode: OpenMode, permissions: UInt16) throws(FileFailure) -> OpenFile
    /// Closes; the file must not be used again.
    func close(_ file: OpenFile)
    /// Writes at a position, and may write less than it was given.
    /// - Returns: how many bytes were written, at least one.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at position: Int) throws(FileFailure) -> Int
    /// Reads at a position, and may read less than fits.
    /// - Returns: how many bytes were read; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at position: Int)
        throws(FileFailure)
        -> Int
    /// Cuts a file, or lengthens it with zeros.
    func truncate(_ file: OpenFile, to size: Int) throws(FileFailure)
    /// Returns when the file's bytes and size are on the disk (`F_FULLFSYNC` on Apple systems).
    func synchronize(_ file: OpenFile) throws(FileFailure)
    /// Returns when the names in a folder are on the disk. A file system that cannot do that is no failure.
    func synchronizeFolder(_ path: String) throws(FileFailure)
    /// Moves atomically, replacing a file of that name.
    func rename(_ path: String, to target: String) throws(FileFailure)
    /// Makes a hard link; fails with `EEXIST` if the name is taken.
    func link(_ path: String, to target: String) throws(FileFailure)
    /// Removes a name of a file.
    func unlink(_ path: String) throws(FileFailure)
    /// Creates one folder; fails with `EEXIST` if the name is taken.
    func makeFolder(_ path: String, permissions: UInt16) throws(FileFailure)
    /// Removes an empty folder.
    func removeFolder(_ path: String) throws(FileFailure)
    /// The file of that name, without following links; nil if there is none.
    func status(_ path: String) throws(FileFailure) -> FileStatus?
    /// What an open file is.
    func status(of file: OpenFile) throws(FileFailure) -> FileStatus
    /// The names in a folder, sorted, `.` and `..` left out.
    func list(_ path: String) throws(FileFailure) -> [String]
    /// Sets the permission bits.
    func setPermissions(_ path: String, _ permissions: UInt16) throws(FileFailure)
    /// Locks an open file against every other opening of it, in this process and others, without waiting (`flock`).
    /// - Returns: false if another holder has it.
    func lock(_ file: OpenFile, shared: Bool) throws(FileFailure) -> Bool
    /// Gives the lock back; closing does so too.
    func unlock(_ file: OpenFile)
    /// Bytes that may still be written to the file system of a folder.
    func freeSpace(_ path: String) throws(FileFailure) -> Int
}

/// How a file is opened.
package enum OpenMode: Sendable, Equatable {
    /// For reading.
    case read
    /// For reading and writing; must exist.
    case update
    /// For reading and writing; created if missing.
    case create
    /// For reading and writing; fails with `EEXIST` if the name is taken, also by a link.
    case createNew
}

/// An open file of a ``FileOperations``.
package struct OpenFile: Hashable, Sendable {
    /// The descriptor, or its equivalent in tests.
    package let descriptor: Int32
    /// Under which name it was opened, for messages.
    package let path: String

    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// What the file system knows about a name.
package struct FileStatus: Hashable, Sendable {
    /// What a name can stand for.
    package enum Kind: Sendable, Hashable {
        case file, folder, link, other
    }

    /// What the name refers to.
    package var kind: Kind
    /// Bytes.
    package var size: Int
    /// Seconds since 1970.
    package var modified: Double
    /// Identity within the file system.
    package var inode: UInt64
    /// Permission bits.
    package var permissions: UInt16

    package init(kind: Kind, size: Int, modified: Double, inode: UInt64, permissions: UInt16) {
        self.kind = kind
        self.size = size
        self.modified = modified
        self.inode = inode
        self.permissions = permissions
    }
}

/// A file operation that the system refused.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call's name.
    package var operation: String
    /// The file or folder that it was about.
    package var path: String
    /// `errno`.
    package var code: Int32

    package init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The operation of failures about the kind of a file.
    static let looking = "stat"
    /// The reason if something is neither a file nor a folder, for which the system has no error.
    static let notAFile = "not a regular file"

    /// The system's words for the error: "No space left on device".
    package var reason: String {
        operation == Self.looking && code == SystemFiles.notAFile ? Self.notAFile : SystemFiles.words(code)
    }

    /// Call, reason and path.
    package var description: String { "\(operation): \(reason) (\(path))" }
}

extension FileOperations {
    /// Writes all of `bytes`, in as many calls as that takes.
    package func writeAll(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at position: Int) throws(FileFailure) {
        var done = 0
        while done < bytes.count {
            done += try write(
                UnsafeRawBufferPointer(rebasing: bytes[done...]), to: file, at: position + done)
        }
    }

    /// Reads until the buffer is full or the file ends.
    package func readFully(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), from: file, at: position + done)
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Makes a folder and those above it; one that is there already is fine.
    package func makeFolders(_ path: String, permissions: UInt16 = 0o755) throws(FileFailure) {
        if try status(path) != nil { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolders(String(path[..<slash]), permissions: permissions)
        }
        do {
            try makeFolder(path, permissions: permissions)
        } catch  where error.code == SystemFiles.alreadyExists {
            // Somebody was faster.
        }
    }

    /// Removes a file, or a folder with its contents; what cannot be removed stays.
    package func removeTree(_ path: String) {
        guard let there = try? status(path) else { return }
        guard there.kind == .folder else {
            try? unlink(path)
            return
        }
        for name in (try? list(path)) ?? [] { removeTree("\(path)/\(name)") }
        try? removeFolder(path)
    }

    /// The bytes of a small file.
    /// - Throws: a failure with `EFBIG` if the file is larger than `limit`.
    package func readFile(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let file = try open(path, .read, permissions: 0)
        defer { close(file) }
        let size = try status(of: file).size
        guard size <= limit else {
            throw FileFailure(operation: "read", path: path, code: SystemFiles.tooLarge)
        }
        // Room for one byte more than the size shows whether the file grew meanwhile.
        var bytes = [UInt8](repeating: 0, count: size + 1)
        var failure: FileFailure?
        let count = bytes.withUnsafeMutableBytes { buffer in
            do throws(FileFailure) {
                return try readFully(into: buffer, from: file, at: 0)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        guard count <= size else { throw FileFailure(operation: "read", path: path, code: SystemFiles.tooLarge) }
        return Array(bytes[..<count])
    }

    /// Gives a small file new content: after a crash the name holds the old bytes or the new, never a mixture.
    package func replaceFile(_ path: String, with bytes: [UInt8], permissions: UInt16 = 0o644) throws(FileFailure) {
        let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        let file = try open(temporary, .createNew, permissions: permissions)
        do throws(FileFailure) {
            defer { close(file) }
            try writeAll(bytes, to: file)
            try synchronize(file)
            try rename(temporary, to: path)
        } catch {
            try? unlink(temporary)
            throw error
        }
        if let slash = path.lastIndex(of: "/") { try synchronizeFolder(String(path[..<slash])) }
    }

    /// Writes an array at the start of a file.
    package func writeAll(_ bytes: [UInt8], to file: OpenFile, at position: Int = 0) throws(FileFailure) {
        var failure: FileFailure?
        bytes.withUnsafeBytes { buffer in
            do throws(FileFailure) { try writeAll(buffer, to: file, at: position) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
