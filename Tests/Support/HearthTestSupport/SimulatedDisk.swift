internal import Foundation
package import HearthSystem

/// A file system in memory that knows what would survive a loss of power.
///
/// A write is safe after `synchronize` of its file; a name (made, moved, removed) after `synchronizeFolder` of its
/// folder. `losePower` drops everything else, or any part of it in any order, as real disks do: a sector of a write
/// without the sector before it, a rename without the bytes of the file.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package final class SimulatedDisk: FileOperations, @unchecked Sendable {
    /// A write that the disk may or may not have done yet.
    private enum Change {
        case write(position: Int, bytes: [UInt8])
        case truncate(Int)
    }

    private struct Inode {
        var kind: FileStatus.Kind
        var permissions: UInt16
        var modified = 0.0
        var bytes: [UInt8] = []
        var safeBytes: [UInt8] = []
        var pending: [Change] = []
        var names: [String: Int] = [:]
        var safeNames: [String: Int] = [:]

        mutating func write(_ new: [UInt8], at position: Int) {
            SimulatedDisk.put(new, in: &bytes, at: position)
            pending.append(.write(position: position, bytes: new))
        }

        mutating func synchronize() {
            safeBytes = bytes
            pending = []
        }

        mutating func truncate(to size: Int) {
            SimulatedDisk.resize(&bytes, size)
            pending.append(.truncate(size))
        }
    }

    /// Changes to names that belong together: both happen or neither.
    private struct NameChange {
        var sets: [(folder: Int, name: String, inode: Int?)]
    }

    private let guarding = NSLock()
    private var inodes: [Int: Inode] = [
        0: Inode(kind: .folder, permissions: 0o755)
    ]
    private var nameChanges: [NameChange] = []
    private var openFiles: [Int32: Int] = [:]
    private var locks: [Int: [(descriptor: Int32, shared: Bool)]] = [:]
    private var nextInode = 1
    private var nextDescriptor: Int32 = 1000
    private var clock = 1_700_000_000.0

    package init() {}

    // MARK: Losing power

    /// Power goes and comes back: open files and locks are gone, and of what was not synchronised only a random part
    /// is there.
    package func losePower(using generator: inout some RandomNumberGenerator) {
        guarding.withLock {
            for change in nameChanges where Bool.random(using: &generator) { applySafely(change) }
            for id in inodes.keys.sorted() {
                guard var inode = inodes[id] else { continue }
                for change in inode.pending { Self.keepSome(of: change, in: &inode.safeBytes, using: &generator) }
                inode.bytes = inode.safeBytes
                inode.names = inode.safeNames
                inode.pending = []
                inodes[id] = inode
            }
            nameChanges = []
            forgetProcess()
        }
    }

    /// The process is gone; the disk is as it was.
    package func killProcess() { guarding.withLock { forgetProcess() } }

    private func forgetProcess() {
        openFiles = [:]
        locks = [:]
    }

    /// A write reaches the disk sector by sector, in any order.
    private static func keepSome(
        of change: Change, in bytes: inout [UInt8], using generator: inout some RandomNumberGenerator
    ) {
        switch change {
        case .truncate(let size):
            if Bool.random(using: &generator) { resize(&bytes, size) }
        case .write(let position, let new):
            for start in stride(from: 0, to: new.count, by: 512) where Bool.random(using: &generator) {
                put(Array(new[start..<min(start + 512, new.count)]), in: &bytes, at: position + start)
            }
        }
    }

    private func applySafely(_ change: NameChange) {
        for set in change.sets { inodes[set.folder]?.safeNames[set.name] = set.inode }
    }

    private static func put(_ new: [UInt8], in bytes: inout [UInt8], at position: Int) {
        if bytes.count < position + new.count { resize(&bytes, position + new.count) }
        bytes.replaceSubrange(position..<position + new.count, with: new)
    }

    private static func resize(_ bytes: inout [UInt8], _ size: Int) {
        if bytes.count > size {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }

    // MARK: Paths

    /// The inode of a path; nil where there is nothing.
    private func find(_ path: String) -> Int? {
        var id = 0
        for part in path.split(separator: "/") {
            guard let next = inodes[id]?.names[String(part)] else { return nil }
            id = next
        }
        return id
    }

    private func parent(_ path: String, _ operation: String) throws(FileFailure) -> (folder: Int, name: String) {
        let parts = path.split(separator: "/")
        guard let name = parts.last, let folder = find(parts.dropLast().joined(separator: "/")),
            inodes[folder]?.kind == .folder
        else { throw FileFailure(operation: operation, path: path, code: ENOENT) }
        return (folder, String(name))
    }

    private func change(_ sets: [(folder: Int, name: String, inode: Int?)]) {
        for set in sets { inodes[set.folder]?.names[set.name] = set.inode }
        nameChanges.append(NameChange(sets: sets))
    }

    private func inode(_ file: OpenFile, _ operation: String) throws(FileFailure) -> Int {
        guard let id = openFiles[file.descriptor], inodes[id] != nil else {
            throw FileFailure(operation: operation, path: file.path, code: EBADF)
        }
        return id
    }

    private func locked<Result>(_ body: () throws(FileFailure) -> Result) throws(FileFailure) -> Result {
        guarding.lock()
        defer { guarding.unlock() }
        return try body()
    }

    // MARK: Operations

    package func open(_ path: String, _ mode: OpenMode, permissions: UInt16) throws(FileFailure) -> OpenFile {
        try locked { () throws(FileFailure) in
            let place = try parent(path, "open")
            var id = inodes[place.folder]?.names[place.name]
            if id != nil, mode == .createNew { throw FileFailure(operation: "open", path: path, code: EEXIST) }
            if id == nil, mode == .create || mode == .createNew {
                id = nextInode
                inodes[nextInode] = Inode(kind: .file, permissions: permissions, modified: clock)
                change([(place.folder, place.name, nextInode)])
                nextInode += 1
            }
            guard let id else { throw FileFailure(operation: "open", path: path, code: ENOENT) }
            guard inodes[id]?.kind == .file else { throw FileFailure(operation: "open", path: path, code: EISDIR) }
            nextDescriptor += 1
            openFiles[nextDescriptor] = id
            return OpenFile(descriptor: nextDescriptor, path: path)
        }
    }

    package func close(_ file: OpenFile) {
        guarding.withLock {
            if let id = openFiles.removeValue(forKey: file.descriptor) {
                locks[id]?.removeAll { $0.descriptor == file.descriptor }
            }
        }
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        try locked { () throws(FileFailure) in
            let id = try inode(file, "write")
            clock += 0.001
            inodes[id]?.modified = clock
            inodes[id]?.write(Array(bytes), at: position)
            return bytes.count
        }
    }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        try locked { () throws(FileFailure) in
            let bytes = inodes[try inode(file, "read")]?.bytes ?? []
            guard position < bytes.count else { return 0 }
            let end = min(bytes.count, position + buffer.count)
            buffer.copyBytes(from: bytes[position..<end])
            return end - position
        }
    }

    package func truncate(_ file: OpenFile, to size: Int) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let id = try inode(file, "truncate")
            inodes[id]?.truncate(to: size)
        }
    }

    package func synchronize(_ file: OpenFile) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let id = try inode(file, "fsync")
            inodes[id]?.synchronize()
        }
    }

    package func synchronizeFolder(_ path: String) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            guard let folder = find(path) else { throw FileFailure(operation: "fsync", path: path, code: ENOENT) }
            // In order: a later change to the same name must win.
            var rest: [NameChange] = []
            for change in nameChanges {
                if change.sets.contains(where: { $0.folder == folder }) {
                    applySafely(change)
                } else {
                    rest.append(change)
                }
            }
            nameChanges = rest
        }
    }

    package func rename(_ path: String, to target: String) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let from = try parent(path, "rename")
            let to = try parent(target, "rename")
            guard let id = inodes[from.folder]?.names[from.name] else {
                throw FileFailure(operation: "rename", path: path, code: ENOENT)
            }
            if let replaced = inodes[to.folder]?.names[to.name], replaced != id {
                let isFolder = inodes[id]?.kind == .folder
                guard let old = inodes[replaced], (old.kind == .folder) == isFolder else {
                    throw FileFailure(operation: "rename", path: target, code: isFolder ? ENOTDIR : EISDIR)
                }
                guard old.names.isEmpty else {
                    throw FileFailure(operation: "rename", path: target, code: ENOTEMPTY)
                }
            }
            guard path != target else { return }
            change([(to.folder, to.name, id), (from.folder, from.name, nil)])
        }
    }

    package func link(_ path: String, to target: String) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let to = try parent(target, "link")
            guard let id = find(path) else { throw FileFailure(operation: "link", path: path, code: ENOENT) }
            guard inodes[to.folder]?.names[to.name] == nil else {
                throw FileFailure(operation: "link", path: target, code: EEXIST)
            }
            change([(to.folder, to.name, id)])
        }
    }

    package func unlink(_ path: String) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let place = try parent(path, "unlink")
            guard let id = inodes[place.folder]?.names[place.name] else {
                throw FileFailure(operation: "unlink", path: path, code: ENOENT)
            }
            guard inodes[id]?.kind != .folder else {
                throw FileFailure(operation: "unlink", path: path, code: EISDIR)
            }
            change([(place.folder, place.name, nil)])
        }
    }

    package func makeFolder(_ path: String, permissions: UInt16) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let place = try parent(path, "mkdir")
            guard inodes[place.folder]?.names[place.name] == nil else {
                throw FileFailure(operation: "mkdir", path: path, code: EEXIST)
            }
            inodes[nextInode] = Inode(kind: .folder, permissions: permissions, modified: clock)
            change([(place.folder, place.name, nextInode)])
            nextInode += 1
        }
    }

    package func removeFolder(_ path: String) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            let place = try parent(path, "rmdir")
            guard let id = inodes[place.folder]?.names[place.name], inodes[id]?.kind == .folder else {
                throw FileFailure(operation: "rmdir", path: path, code: ENOENT)
            }
            guard inodes[id]?.names.isEmpty == true else {
                throw FileFailure(operation: "rmdir", path: path, code: ENOTEMPTY)
            }
            change([(place.folder, place.name, nil)])
        }
    }

    package func status(_ path: String) throws(FileFailure) -> FileStatus? {
        guarding.withLock { find(path).flatMap(describe) }
    }

    package func status(of file: OpenFile) throws(FileFailure) -> FileStatus {
        try locked { () throws(FileFailure) in
            guard let status = describe(try inode(file, "stat")) else {
                throw FileFailure(operation: "stat", path: file.path, code: EBADF)
            }
            return status
        }
    }

    private func describe(_ id: Int) -> FileStatus? {
        inodes[id].map {
            FileStatus(
                kind: $0.kind, size: $0.bytes.count, modified: $0.modified, inode: UInt64(id),
                permissions: $0.permissions)
        }
    }

    package func list(_ path: String) throws(FileFailure) -> [String] {
        try locked { () throws(FileFailure) in
            guard let id = find(path), let inode = inodes[id] else {
                throw FileFailure(operation: "list", path: path, code: ENOENT)
            }
            guard inode.kind == .folder else { throw FileFailure(operation: "list", path: path, code: ENOTDIR) }
            return inode.names.keys.sorted()
        }
    }

    package func setPermissions(_ path: String, _ permissions: UInt16) throws(FileFailure) {
        try locked { () throws(FileFailure) in
            guard let id = find(path) else { throw FileFailure(operation: "chmod", path: path, code: ENOENT) }
            inodes[id]?.permissions = permissions
        }
    }

    package func lock(_ file: OpenFile, shared: Bool) throws(FileFailure) -> Bool {
        try locked { () throws(FileFailure) in
            let id = try inode(file, "flock")
            let others = (locks[id] ?? []).filter { $0.descriptor != file.descriptor }
            guard others.allSatisfy({ shared && $0.shared }) else { return false }
            locks[id] = others + [(file.descriptor, shared)]
            return true
        }
    }

    package func unlock(_ file: OpenFile) {
        guarding.withLock {
            if let id = openFiles[file.descriptor] { locks[id]?.removeAll { $0.descriptor == file.descriptor } }
        }
    }

    package func freeSpace(_ path: String) throws(FileFailure) -> Int { 1 << 50 }
}
