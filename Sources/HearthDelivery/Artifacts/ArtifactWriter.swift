internal import HearthSystem

/// Writes the files of an artifact that has no name yet.
package final class ArtifactWriter {
    private let folder: String
    private let files: any FileOperations
    private(set) var written: [ArtifactFile] = []

    init(folder: String, files: any FileOperations) {
        self.folder = folder
        self.files = files
    }

    /// How much is written before the next look for cancellation: some milliseconds of any disk.
    private static let piece = 1 << 20

    /// Writes one file and waits until it is on the disk.
    ///
    /// - Parameter progress: called with the bytes done so far; what it throws ends the writing.
    /// - Throws: `DeliveryError.storage` or `diskFull`, or what `progress` throws.
    package func write(
        _ name: String, _ bytes: UnsafeRawBufferPointer, progress: (Int) throws -> Void = { _ in }
    ) throws {
        let path = "\(folder)/\(name)"
        var hash = SHA256()
        do {
            try makeFolders(for: name)
            let file = try files.open(path, .createNew, permissions: 0o444)
            defer { files.close(file) }
            var done = 0
            while done < bytes.count {
                let part = UnsafeRawBufferPointer(
                    rebasing: bytes[done..<min(done + Self.piece, bytes.count)])
                try files.writeAll(part, to: file, at: done)
                hash.update(part)
                done += part.count
                try progress(done)
            }
            try files.synchronize(file)
            if name.contains("/") { try files.synchronizeFolder(LibraryStore.parent(of: path)) }
        } catch let failure as FileFailure {
            throw DeliveryError(failure)
        }
        written.append(ArtifactFile(name: name, bytes: bytes.count, sha256: hash.finalize()))
    }

    /// Creates the folders of a name with slashes, and makes them durable.
    private func makeFolders(for name: String) throws(FileFailure) {
        var parent = folder
        for part in name.split(separator: "/").dropLast() {
            let made = "\(parent)/\(part)"
            if try files.status(made) == nil {
                try files.makeFolder(made, permissions: 0o755)
                try files.synchronizeFolder(parent)
            }
            parent = made
        }
    }

    /// Takes over a file of another artifact: as a hard link if the file system has them, otherwise as a copy.
    ///
    /// - Throws: `DeliveryError.storage` or `diskFull`.
    package func adopt(_ file: ArtifactFile, from other: String) throws {
        let path = "\(folder)/\(file.name)"
        do throws(FileFailure) {
            try makeFolders(for: file.name)
            try files.link("\(other)/\(file.name)", to: path)
        } catch {
            throw DeliveryError(error)
        }
        written.append(file)
    }
}
