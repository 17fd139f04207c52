/// The library's record of one installed version: its files, their origin, and when it was installed.
///
/// The record is written last, when its files are verified, in their places and on the disk: a version exists if and only if
/// its record does.
package struct ModelRecord: Codable, Sendable, Equatable {
    /// The format of records that this build writes; it does not touch records of later formats.
    static let currentFormat = 2
    /// Largest record that is read, in bytes.
    static let byteLimit = 1 << 20
    /// Most files of one version.
    static let fileLimit = 1024

    /// One file of a version; its bytes are stored under their digest.
    package struct File: Codable, Sendable, Equatable {
        /// The file's path within the model, with `/`.
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

    /// The lowest format that can represent the record, so that earlier builds can still read it.
    var format: Int
    /// The model's name.
    package var name: String
    /// Which version of it.
    package var version: String
    /// A text model's first one is the model itself; those of a Core ML package are sorted by path.
    package var files: [File]
    /// nil in format 1, which has only text models.
    private var engineKind: ModelEngineKind?
    /// The downloaded archive that contained the files. It is not kept.
    package var archive: File?
    /// The address or file that it came from.
    package var source: String
    /// The revision in its publisher's manifest; nil for a file without a manifest. Revisions are ordered, see
    /// `VersionSelection.newestRevision`.
    package var revision: ModelVersion?
    /// Seconds since 1970, by the clock at that time.
    package var installed: Double
    /// Place in the order of installations and uses; see `UsageClock`.
    package var sequence: Int

    package init(
        name: String, version: String, files: [File], engine: ModelEngineKind = .text, archive: File? = nil,
        source: String, revision: ModelVersion? = nil, installed: Double, sequence: Int
    ) {
        format = engine == .text ? 1 : 2
        engineKind = engine == .text ? nil : engine
        self.archive = archive
        self.name = name
        self.version = version
        self.files = files
        self.source = source
        self.revision = revision
        self.installed = installed
        self.sequence = sequence
    }

    private enum CodingKeys: String, CodingKey {
        case format, name, version, files, archive, source, revision, installed, sequence
        case engineKind = "engine"
    }

    /// What runs it.
    package var engine: ModelEngineKind { engineKind ?? .text }
    /// A text model's file; a record that was checked has one.
    package var main: File? { files.first }
    /// The digest of the content, whatever it was packed in: a text model's file's, a `.mlmodel`'s, or that of a package's
    /// files and their names (`ContentDigest`).
    package var sha256: String { layout == .folder ? ContentDigest.sha256(of: files) : main?.sha256 ?? "" }
    /// The digest of the download: of the archive, if it was one.
    package var downloadedSHA256: String { archive?.sha256 ?? sha256 }

    /// The layout in which the engine reads the files, if it cannot read the blobs.
    enum Layout {
        case file, folder
    }

    var layout: Layout? {
        switch engine {
        case .text: nil
        case .coreml: files.count == 1 && files[0].path.lowercased().hasSuffix(".mlmodel") ? .file : .folder
        }
    }
    /// The total size of its files.
    package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// Why this is not a valid record of `name` and `version`, or nil. Anyone may have written to the disk that it is read from.
    func problem(name: String, version: String) -> String? {
        guard (1...Self.currentFormat).contains(format) else { return "format \(format) is not known" }
        guard self.name == name, self.version == version else { return "it belongs to another model" }
        if let archive, !ModelName.isDigest(archive.sha256) { return "archive: it has no SHA-256" }
        return Self.problem(of: files, engine: engine)
    }

    /// What is wrong with a list of files, or nil.
    static func problem(of files: [File], engine: ModelEngineKind = .text) -> String? {
        guard !files.isEmpty else { return "it lists no files" }
        guard files.count <= fileLimit else { return "it lists more than \(fileLimit) files" }
        var seen: Set<String> = []
        for file in files {
            if let objection = FilePathRule.objection(to: file.path) {
                return "files: '\(file.path.prefix(80))': \(objection)"
            }
            guard seen.insert(FilePathRule.foldedName(file.path)).inserted else {
                return "files: '\(file.path.prefix(80))' occurs twice, or differs from another in case only"
            }
            guard ModelName.isDigest(file.sha256) else { return "files: '\(file.path)' has no SHA-256" }
            // A package may contain an empty file; a model is never empty.
            guard ((engine == .text ? 1 : 0)...1 << 50).contains(file.bytes) else {
                return "files: '\(file.path)' has no size"
            }
        }
        if let folder = FilePathRule.fileAmongFolders(seen) { return "files: '\(folder)' is a file and a folder" }
        return nil
    }
}
