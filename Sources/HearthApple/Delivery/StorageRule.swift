package import HearthSystem

/// Backup and file protection settings of a Hearth folder.
package struct StorageRule: Sendable, Equatable {
    /// When files can be read (`FileProtectionType`).
    package enum Protection: Sendable, Equatable {
        /// From the first unlock after a restart, also while the device is locked, so that background work can read them.
        case untilFirstUnlock
    }

    package var path: String
    /// Whether it is excluded from backups; true for files that can be downloaded again.
    package var isExcludedFromBackup: Bool
    package var protection: Protection

    /// The rules for all folders, outer ones first. The system never backs up caches.
    package static func rules(for folders: HearthFolders) -> [StorageRule] {
        [
            StorageRule(path: folders.data, isExcludedFromBackup: false, protection: .untilFirstUnlock),
            StorageRule(path: folders.models, isExcludedFromBackup: true, protection: .untilFirstUnlock),
            StorageRule(path: folders.cache, isExcludedFromBackup: false, protection: .untilFirstUnlock),
        ]
    }
}
