package import HearthSystem

/// A compiled artifact that is safe to map: record, names and lengths were checked. While this object lives, nobody
/// removes the artifact, in this process or any other.
package final class Artifact<Content: Codable & Sendable>: Sendable {
    /// The folder.
    package let path: String
    /// What its `artifact.json` says.
    package let record: ArtifactRecord<Content>
    private let lease: Lease
    /// When each file of the record was written, as far as it was looked at.
    private let times: [Double?]
    private let fileOperations: any FileOperations

    init(
        path: String, record: ArtifactRecord<Content>, lease: Lease, times: [Double?],
        fileOperations: any FileOperations
    ) {
        self.path = path
        self.record = record
        self.lease = lease
        self.times = times
        self.fileOperations = fileOperations
    }

    /// Whether its files are the ones that were checked, to be asked once they are mapped: from then on a map knows by itself
    /// (`MappedFile.checkIntact()`).
    package var isAsChecked: Bool {
        // By length as well: a file that was cut right after it was written may have the same time.
        zip(record.files, times).allSatisfy { file, time in
            guard let there = try? fileOperations.status("\(path)/\(file.name)"), there.kind == .file else {
                return false
            }
            return there.size == file.bytes && there.modified == time
        }
    }

    /// Digest of the profile that it was made for.
    package var digest: String { record.digest }

    /// Bytes on disk, the record not counted.
    package var bytes: Int { record.files.reduce(0) { $0 + $1.bytes } }

    /// The path of one of its files; nil for a name that it does not have.
    package func path(of name: String) -> String? {
        record.files.contains { $0.name == name } ? "\(path)/\(name)" : nil
    }
}

extension FileOperations {
    /// Seconds since 1970; nil if there is no such file.
    func timeOfModification(_ path: String) -> Double? {
        guard let there = try? status(path), there.kind == .file else { return nil }
        return there.modified
    }
}

/// A lock on an open file, given back at the end of its life.
package final class Lease: Sendable {
    private let files: any FileOperations
    private let file: OpenFile

    /// nil if another lock excludes this one; the file is closed then.
    package init?(_ file: OpenFile, shared: Bool, files: any FileOperations) {
        guard (try? files.lock(file, shared: shared)) == true else {
            files.close(file)
            return nil
        }
        self.files = files
        self.file = file
    }

    deinit { files.close(file) }
}
