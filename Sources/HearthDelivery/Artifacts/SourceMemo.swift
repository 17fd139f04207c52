internal import Foundation
package import HearthSystem

/// Remembers what a model's file turned out to be, so that its digest is not computed at every start: 1.5 GB take a
/// second or more. An entry holds as long as path, size, time of change and inode are the same.
///
/// One small file. A lost or damaged one costs the work again, nothing else.
package struct SourceMemo: Sendable {
    /// What is remembered of a file.
    package struct Entry: Codable, Sendable, Equatable {
        /// The file, as it was when it was read.
        package var source: SourceIdentity
        /// Of the whole file.
        package var sha256: String
        /// The model's own name.
        package var name: String
        /// The format that most of its weights have.
        package var quantization: String
        /// Most tokens that the model was trained for.
        package var contextLength: Int

        /// What reading the file told.
        package init(source: SourceIdentity, sha256: String, name: String, quantization: String, contextLength: Int) {
            self.source = source
            self.sha256 = sha256
            self.name = name
            self.quantization = quantization
            self.contextLength = contextLength
        }
    }

    private let path: String
    private let files: any FileOperations
    private static let limit = 1 << 20
    private static let entries = 256

    /// - Parameter path: of the file; made when something is remembered.
    package init(path: String, files: any FileOperations = SystemFiles()) {
        self.path = path
        self.files = files
    }

    /// What is known of exactly this file, unchanged since.
    package func entry(of source: SourceIdentity) -> Entry? { load().first { $0.source == source } }

    /// Remembers a file, replacing what was known of its path. A failure is ignored.
    package func remember(_ entry: Entry) {
        var all = load().filter { $0.source.path != entry.source.path }
        all.insert(entry, at: 0)
        guard let data = try? JSONEncoder().encode(Array(all.prefix(Self.entries))) else { return }
        if let slash = path.lastIndex(of: "/") { try? files.makeFolders(String(path[..<slash]), permissions: 0o755) }
        try? files.replaceFile(path, with: Array(data))
    }

    private func load() -> [Entry] {
        guard let bytes = try? files.readFile(path, limit: Self.limit) else { return [] }
        return (try? JSONDecoder().decode([Entry].self, from: Data(bytes))) ?? []
    }
}
