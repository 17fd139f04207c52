/// How long a model is kept.
public enum StorageClass: String, Codable, Sendable, CaseIterable {
    /// In the data folder: stays until it is removed.
    case kept
    /// In the cache folder: the system may remove it, and it is downloaded again when needed.
    case purgeable
}
