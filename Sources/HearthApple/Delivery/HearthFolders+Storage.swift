#if canImport(Darwin)
internal import Foundation
public import HearthSystem

extension HearthFolders {
    /// Makes the folders as an app needs them: models are left out of backups, and files can be read while the device is
    /// locked. To be called once a start, before models are pulled or opened.
    /// - Throws: where a folder cannot be made.
    public func prepareStorage() throws {
        for rule in StorageRule.rules(for: self) {
            var url = URL(fileURLWithPath: rule.path, isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            #if os(iOS)
            // New files take over what their folder has.
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
