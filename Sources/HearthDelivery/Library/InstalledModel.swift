package import HearthSystem

/// An installed version of a model.
public struct InstalledModel: Sendable, Equatable {
    /// What was installed: files, digests, origin.
    package var record: ModelRecord
    /// Its storage class.
    public var storage: StorageClass
    /// The path that its engine reads: a file, or the folder of a package.
    public var path: String
    /// Files that are missing or have the wrong size; empty if the version is complete.
    package var missing: [String]
    /// Whether the model's name refers to this version.
    public var isCurrent: Bool
    /// Whether it stays current whatever else is installed.
    package var isPinned: Bool
    /// Seconds since 1970; nil if it was never used.
    package var lastUsed: Double?
    /// Order of last use, or of installation if it was never used.
    package var sequence: Int

    /// The model's name.
    public var name: String { record.name }
    /// The name of the version.
    public var version: String { record.version }
    /// Total size of its files in bytes.
    public var bytes: Int { record.bytes }
    /// Digest of the content: a file's own, or that of a package's files and their names.
    public var sha256: String { record.sha256 }
    /// What runs it.
    public var engine: ModelEngineKind { record.engine }
    /// Whether all its bytes are there.
    package var isWhole: Bool { missing.isEmpty }
}

/// All installed versions, and notices about the folders.
package struct LibraryListing: Sendable, Equatable {
    /// By name; versions of one name with the latest installation first.
    package var models: [InstalledModel]
    /// One line for each file that is unexpected or cannot be read. Other versions are listed anyway.
    package var notices: [String]
    /// The first failure of a read: a model that is missing from this list may still exist.
    package var failure: FileFailure?
}
