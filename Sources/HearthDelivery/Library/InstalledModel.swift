package import HearthSystem

/// An installed version of a model, as it is listed.
public struct InstalledModel: Sendable, Equatable {
    /// What was installed: files, digests, where from.
    package var record: ModelRecord
    /// The class of storage that it lives in.
    public var storage: StorageClass
    /// Where the model's bytes are.
    public var path: String
    /// Files whose bytes are not there, or not of their size; empty where the version is whole.
    public var missing: [String]
    /// The one that the model's name stands for.
    public var isCurrent: Bool
    /// Whether it stays current whatever is installed.
    public var isPinned: Bool
    /// Seconds since 1970; nil where it was never used.
    package var lastUsed: Double?
    /// Order of last use, or of installation where it was never used.
    package var sequence: Int

    /// The model's name.
    public var name: String { record.name }
    /// The version's name.
    public var version: String { record.version }
    /// Bytes of all its files.
    public var bytes: Int { record.bytes }
    /// Digest of the model itself.
    public var sha256: String { record.main?.sha256 ?? "" }
    /// Whether all its bytes are there.
    public var isWhole: Bool { missing.isEmpty }
}

/// All that is installed, and what is odd about the folders.
package struct LibraryListing: Sendable, Equatable {
    /// By name; versions of one name with the latest installation first.
    package var models: [InstalledModel]
    /// One line for each thing that does not belong there or cannot be read. Nothing of it keeps others from being
    /// listed.
    package var notices: [String]
    /// The first thing that could not be looked at: nobody may conclude from its absence here that it is gone.
    package var failure: FileFailure?
}
