import Foundation

/// A device as files: one of `Tests/Fixtures/devices`, or a copy that a test changes.
struct DeviceTree {
    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/devices").path

    let root: String

    /// An empty device.
    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-device-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// A copy of a fixture.
    init(copying name: String) throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-device-\(UUID().uuidString)").path
        try FileManager.default.copyItem(atPath: Self.fixtures + "/" + name, toPath: root)
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }

    func write(_ path: String, _ text: String) throws { try write(path, Data(text.utf8)) }

    func write(_ path: String, _ bytes: Data) throws {
        let url = URL(fileURLWithPath: root + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // In one step, as the kernel's files change.
        try bytes.write(to: url, options: .atomic)
    }

    /// Paths of all files, beginning with a slash.
    func files() throws -> [String] {
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return paths.map { "/" + $0 }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root + path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }
}
