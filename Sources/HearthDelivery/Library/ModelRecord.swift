/// One installed version as the library remembers it: which bytes, from where, since when.
///
/// The record is written last of all, when its files are verified, in their place and on the disk: a version exists
/// exactly when its record does.
package struct ModelRecord: Codable, Sendable, Equatable {
    /// Format of records that this build writes; it leaves those of later formats alone.
    static let currentFormat = 1
    /// Largest record that is read, in bytes.
    static let byteLimit = 1 << 20
    /// Most files of one version.
    static let fileLimit = 1024

    /// One file of a version; its bytes are stored under their digest.
    package struct File: Codable, Sendable, Equatable {
        /// Where the file belongs within the model, with `/`.
        package var path: String
        /// Its size.
        package var bytes: Int
        /// 64 lower-case hexadecimal digits.
        package var sha256: String

        /// A file by its content.
        package init(path: String, bytes: Int, sha256: String) {
            self.path = path
            self.bytes = bytes
            self.sha256 = sha256
        }
    }

    var format = Self.currentFormat
    /// The model's name.
    package var name: String
    /// Which version of it.
    package var version: String
    /// The first is the model itself.
    package var files: [File]
    /// The address or file that it came from.
    package var source: String
    /// What its publisher's manifest calls it; nil for a file that came without a manifest. Revisions have an order, see
    /// `VersionSelection.newestRevision`.
    package var revision: ModelVersion?
    /// Seconds since 1970, by the clock of then.
    package var installed: Double
    /// Place in the order of installations and uses; see `UsageClock`.
    package var sequence: Int

    /// A version from its parts.
    package init(
        name: String, version: String, files: [File], source: String, revision: ModelVersion? = nil, installed: Double,
        sequence: Int
    ) {
        self.name = name
        self.version = version
        self.files = files
        self.source = source
        self.revision = revision
        self.installed = installed
        self.sequence = sequence
    }

    /// The model itself; a record that was checked has one.
    package var main: File? { files.first }
    /// Of all its files.
    package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// What makes this no record of `name` and `version`, or nil. A record is read from a disk that anybody may have
    /// written to.
    func problem(name: String, version: String) -> String? {
        guard format == Self.currentFormat else { return "format \(format) is not known" }
        guard self.name == name, self.version == version else { return "it belongs to another model" }
        return Self.problem(of: files)
    }

    /// What is wrong with a list of files, or nil.
    static func problem(of files: [File]) -> String? {
        guard !files.isEmpty else { return "it lists no files" }
        guard files.count <= fileLimit else { return "it lists more than \(fileLimit) files" }
        var seen: Set<String> = []
        for file in files {
            if let objection = FilePathRule.objection(to: file.path) {
                return "files: '\(file.path.prefix(80))': \(objection)"
            }
            guard seen.insert(FilePathRule.foldedName(file.path)).inserted else {
                return "files: '\(file.path.prefix(80))' is there twice, or differs from another in case only"
            }
            guard ModelName.isDigest(file.sha256) else { return "files: '\(file.path)' has no SHA-256" }
            guard (1...1 << 50).contains(file.bytes) else { return "files: '\(file.path)' has no size" }
        }
        return nil
    }
}
