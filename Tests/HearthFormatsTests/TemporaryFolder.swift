import Foundation

/// A folder of its own that goes away with the object.
final class TemporaryFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-formats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: url.appendingPathComponent(name))) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }

    /// Writes `bytes` and returns the path.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
