#if canImport(Darwin)
internal import Foundation
public import HearthSystem

extension HearthFolders {
    /// Creates the folders for use in an app: models are excluded from backups, and files can be read while the device is
    /// locked. Call it once per start, before models are pulled or opened.
    /// - Throws: if a folder cannot be created.
    public func prepareStorage() throws {
        for rule in StorageRule.rules(for: self) {
            var url = URL(fileURLWithPath: rule.path, isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            #if os(iOS)
            // New files inherit the protection class of their folder.
            try FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: rule.path)
            #endif
            guard rule.isExcludedFromBackup else { continue }
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try url.setResourceValues(values)
        }
    }
}
#endif
