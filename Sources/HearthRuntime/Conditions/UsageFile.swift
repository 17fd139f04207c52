package import Foundation
package import HearthSystem

/// Where the times of sessions are kept from one run to the next: `usage.json` in Hearth's data folder.
///
/// The history is a hint. A file that is missing, damaged or of another format is an empty history, and two programs that
/// record at the same moment may lose one of two sessions.
package struct UsageFile: Sendable {
    /// The file.
    package let path: String

    /// The file of these folders; reads and makes nothing.
    package init(folders: HearthFolders) { path = folders.data + "/usage.json" }

    /// What was recorded.
    package func read() -> UsageHistory {
        guard let bytes = SmallFile.bytes(path, limit: 1 << 16) else { return UsageHistory() }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return (try? decoder.decode(UsageHistory.self, from: Data(bytes))) ?? UsageHistory()
    }

    /// Adds a session; makes the folder where there is none.
    /// - Throws: where the file cannot be written.
    package func record(_ date: Date = Date()) throws {
        var history = read()
        history.record(date)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let files = SystemFiles()
        if let slash = path.lastIndex(of: "/") { try files.makeFolders(String(path[..<slash])) }
        try files.replaceFile(path, with: Array(encoder.encode(history)))
    }
}
