internal import Foundation
internal import HearthSystem

/// Core ML models as their engine reads them: a folder of files under the paths that the package gives them.
///
/// A package has no data of its own. Each of its files is a hard link to a blob (a copy where the file system has no hard
/// links), so it can be rebuilt at any time, and two models with the same content share one package.
extension LibraryStore {
    private static let building = ".building-"
    private static let removing = ".removing-"

    /// Whether a model's package exists, or is not needed.
    func isLaidOut(_ record: ModelRecord) throws(FileFailure) -> Bool {
        guard let package = root.package(record) else { return true }
        for file in record.files {
            guard let status = try files.status(Self.place(of: file, in: package, record)), status.kind == .file,
                status.size == file.bytes
            else { return false }
        }
        return true
    }

    /// Builds a model's package from the blobs, unless it exists already. It appears complete or not at all.
    func layOut(_ record: ModelRecord) throws(FileFailure) {
        guard let package = root.package(record), try !isCurrent(package, record) else { return }
        if try files.status(root.packages) == nil {
            try files.makeFolders(root.packages)
            try files.synchronizeFolder(root.path)
        }
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let temporary = "\(root.packages)/\(Self.building)\(token)"
        do throws(FileFailure) {
            try build(record, at: temporary)
            if try files.status(package) != nil {
                let old = "\(root.packages)/\(Self.removing)\(token)"
                try files.rename(package, to: old)
                files.removeTree(old)
            }
            try files.rename(temporary, to: package)
            try files.synchronizeFolder(root.packages)
        } catch {
            files.removeTree(temporary)
            throw error
        }
    }

    private func build(_ record: ModelRecord, at temporary: String) throws(FileFailure) {
        var folders: Set<String> = []
        for file in record.files {
            let target = Self.place(of: file, in: temporary, record)
            let folder = Self.parent(of: target)
            if folder != root.packages, folders.insert(folder).inserted { try files.makeFolders(folder) }
            try give(root.blob(file.sha256), to: target)
        }
        // Also intermediate folders, which contain only folders.
        for folder in folders {
            var folder = folder
            while folder.utf8.count >= temporary.utf8.count {
                try files.synchronizeFolder(folder)
                folder = Self.parent(of: folder)
            }
        }
    }

    private static func place(of file: ModelRecord.File, in package: String, _ record: ModelRecord) -> String {
        record.layout == .file ? package : "\(package)/\(file.path)"
    }

    /// Whether the package contains the same files as the blobs; a blob that was repaired is another file.
    private func isCurrent(_ package: String, _ record: ModelRecord) throws(FileFailure) -> Bool {
        for file in record.files {
            guard let there = try files.status(Self.place(of: file, in: package, record)), there.kind == .file,
                let blob = try files.status(root.blob(file.sha256)), there.size == blob.size,
                there.inode == blob.inode || there.modified > blob.modified
            else { return false }
        }
        return true
    }

    /// Makes a hard link, or a copy if the file system has none.
    private func give(_ path: String, to target: String) throws(FileFailure) {
        do throws(FileFailure) {
            return try files.link(path, to: target)
        } catch  where [EPERM, EMLINK, ENOTSUP, EXDEV, ENOSYS].contains(error.code) {
            // Some file systems have no hard links.
        }
        let source = try files.open(path, .read, permissions: 0)
        defer { files.close(source) }
        let copy = try files.open(target, .createNew, permissions: 0o444)
        defer { files.close(copy) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        var position = 0
        while true {
            let count = try files.read(into: buffer, from: source, at: position)
            if count == 0 { break }
            try files.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: copy, at: position)
            position += count
        }
        try files.synchronize(copy)
    }

    /// Removes unfinished packages, and those of models that are gone.
    /// - Parameter names: packages of installed versions.
    func removePackages(except names: Set<String>) throws(FileFailure) {
        let orphans = ((try? files.list(root.packages)) ?? []).filter { !names.contains($0) }
        if !orphans.isEmpty { try settleRemovals() }
        for name in orphans {
            let path = "\(root.packages)/\(name)"
            let isOurs = name.hasPrefix(Self.building) || name.hasPrefix(Self.removing)
            if isOurs || !isHeld(path) { files.removeTree(path) }
        }
    }

    /// Whether a running process is about to install the model, under any name: it has locked the files.
    private func isHeld(_ package: String) -> Bool {
        var path = package
        while files.isFolder(path) {
            guard let first = ((try? files.list(path)) ?? []).first else { return false }
            path += "/" + first
        }
        guard let file = try? files.open(path, .read, permissions: 0) else { return false }
        defer { files.close(file) }
        return (try? files.lock(file, shared: false)) != true
    }

    /// The name of the model whose package is at `path`; nil for every other path. Where models of one content share a package,
    /// the first of their names.
    static func modelName(ofPackage path: String, files: any FileOperations) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard path.hasPrefix("/"), parts.count > 2, parts[parts.count - 2] == "packages" else { return nil }
        let root = LibraryRoot(path: "/" + parts.dropLast(2).joined(separator: "/"), storage: .kept)
        let records = LibraryStore(root: root, files: files).scan().versions.map(\.record)
        return records.filter { LibraryRoot.packageName($0) == String(parts[parts.count - 1]) }.map(\.name).min()
    }
}
