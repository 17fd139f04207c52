/// How long a model is meant to stay.
public enum StorageClass: String, Codable, Sendable, CaseIterable {
    /// In the folder for data: stays until somebody removes it.
    case kept
    /// In the folder for caches: the system or a budget may remove it, and it is downloaded again when wanted.
    case purgeable
}
