internal import Foundation
package import HearthSystem

/// Passes everything on to another file system, and makes chosen calls go wrong.
///
/// Count the calls of a run without faults first (`calls`), then make each of them fail in turn.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package final class FaultyFiles: FileOperations, @unchecked Sendable {
    /// What goes wrong.
    package enum Fault: Sendable {
        /// The call with this number (the first is 0) fails once with `errno` = code.
        case failsOnce(call: Int, code: Int32)
        /// Each call of this name fails.
        case failsAlways(operation: String, code: Int32)
        /// From this call on nothing happens any more: the process was killed.
        case dies(call: Int)
        /// No write takes more than this many bytes.
        case shortWrites(Int)
        /// The disk is full after so many more bytes.
        case fills(afterBytes: Int)
        /// Locks succeed and mean nothing.
        case ignoresLocks
        /// What the disk says is free.
        case freeSpace(Int)
    }

    private let base: any FileOperations
    private let faults: [Fault]
    private let guarding = NSLock()
    private var names: [String] = []
    private var written = 0

    package init(_ base: any FileOperations = SystemFiles(), _ faults: Fault...) {
        self.base = base
        self.faults = faults
    }

    /// The names of all calls so far, in order.
    package var calls: [String] { guarding.withLock { names } }

    private func count(_ operation: String, _ path: String) throws(FileFailure) {
        let number = guarding.withLock {
            names.append(operation)
            return names.count - 1
        }
        for fault in faults {
            switch fault {
            case .failsOnce(number, let code): throw FileFailure(operation: operation, path: path, code: code)
            case .failsAlways(operation, let code): throw FileFailure(operation: operation, path: path, code: code)
            case .dies(let last) where number >= last: throw FileFailure(operation: operation, path: path, code: EIO)
            default: break
            }
        }
    }

    package func open(_ path: String, _ mode: OpenMode, permissions: UInt16) throws(FileFailure) -> OpenFile {
        try count("open", path)
        return try base.open(path, mode, permissions: permissions)
    }

    package func close(_ file: OpenFile) { base.close(file) }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        try count("write", file.path)
        var taken = bytes.count
        for fault in faults {
            if case .shortWrites(let most) = fault { taken = min(taken, most) }
            if case .fills(let most) = fault {
                taken = min(taken, most - guarding.withLock { written })
                if taken <= 0 { throw FileFailure(operation: "write", path: file.path, code: ENOSPC) }
            }
        }
        let done = try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<taken]), to: file, at: position)
        guarding.withLock { written += done }
        return done
    }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        try count("read", file.path)
        return try base.read(into: buffer, from: file, at: position)
    }

    package func truncate(_ file: OpenFile, to size: Int) throws(FileFailure) {
        try count("truncate", file.path)
        try base.truncate(file, to: size)
    }

    package func synchronize(_ file: OpenFile) throws(FileFailure) {
        try count("fsync", file.path)
        try base.synchronize(file)
    }

    package func synchronizeFolder(_ path: String) throws(FileFailure) {
        try count("fsync folder", path)
        try base.synchronizeFolder(path)
    }

    package func rename(_ path: String, to target: String) throws(FileFailure) {
        try count("rename", path)
        try base.rename(path, to: target)
    }

    package func link(_ path: String, to target: String) throws(FileFailure) {
        try count("link", path)
        try base.link(path, to: target)
    }

    package func unlink(_ path: String) throws(FileFailure) {
        try count("unlink", path)
        try base.unlink(path)
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(FileFailure) {
        try count("mkdir", path)
        try base.makeFolder(path, permissions: permissions)
    }

    package func removeFolder(_ path: String) throws(FileFailure) {
        try count("rmdir", path)
        try base.removeFolder(path)
    }

    package func status(_ path: String) throws(FileFailure) -> FileStatus? {
        try count("stat", path)
        return try base.status(path)
    }

    package func status(of file: OpenFile) throws(FileFailure) -> FileStatus {
        try count("stat", file.path)
        return try base.status(of: file)
    }

    package func list(_ path: String) throws(FileFailure) -> [String] {
        try count("list", path)
        return try base.list(path)
    }

    package func setPermissions(_ path: String, _ permissions: UInt16) throws(FileFailure) {
        try count("chmod", path)
        try base.setPermissions(path, permissions)
    }

    package func lock(_ file: OpenFile, shared: Bool) throws(FileFailure) -> Bool {
        try count("flock", file.path)
        if faults.contains(where: { if case .ignoresLocks = $0 { true } else { false } }) { return true }
        return try base.lock(file, shared: shared)
    }

    package func unlock(_ file: OpenFile) { base.unlock(file) }

    package func freeSpace(_ path: String) throws(FileFailure) -> Int {
        try count("statvfs", path)
        for case .freeSpace(let bytes) in faults { return bytes }
        return try base.freeSpace(path)
    }
}
