package import HearthSystem

/// How a folder of Hearth's is to be kept on a device with backups and locked files.
package struct StorageRule: Sendable, Equatable {
    /// When the system lets a program read files (`FileProtectionType`).
    package enum Protection: Sendable, Equatable {
        /// From the first unlocking after a restart on, also while the device is locked: work in the background reads.
        case untilFirstUnlock
    }

    package var path: String
    /// What can be downloaded again has no place in a backup.
    package var isExcludedFromBackup: Bool
    package var protection: Protection

    /// The rules for all folders, outer ones first. Caches are never in a backup.
    package static func rules(for folders: HearthFolders) -> [StorageRule] {
        [
            StorageRule(path: folders.data, isExcludedFromBackup: false, protection: .untilFirstUnlock),
            StorageRule(path: folders.models, isExcludedFromBackup: true, protection: .untilFirstUnlock),
            StorageRule(path: folders.cache, isExcludedFromBackup: false, protection: .untilFirstUnlock),
        ]
    }
}
