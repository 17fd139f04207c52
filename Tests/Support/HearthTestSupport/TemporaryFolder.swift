package import Foundation

/// A folder of its own that goes away with the object.
package final class TemporaryFolder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package var path: String { url.path }
    package subscript(_ name: String) -> String { path(name) }
    package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    package func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: url.appendingPathComponent(name)))
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes `bytes` and returns the path.
    package func write(_ bytes: some DataProtocol, _ name: String) throws -> String {
        try Data(bytes).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
