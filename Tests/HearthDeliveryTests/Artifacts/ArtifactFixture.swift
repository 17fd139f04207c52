import Foundation
import HearthDelivery
import HearthSystem

/// A folder of artifacts that goes away, and an artifact to put there.
final class ArtifactFixture {
    struct Content: Codable, Sendable, Equatable {
        var numbers: [Int]
        var name: String
    }

    let root: String
    static let kind = "test"
    static let digest = String(repeating: "0123456789abcdef", count: 4)
    static let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    static let content = Content(numbers: [1, 2, 3], name: "an artifact")
    static let source = SourceIdentity(path: "/models/a.gguf", bytes: 12, modified: 3, inode: 4)

    init() throws {
        root =
            FileManager.default.temporaryDirectory.appendingPathComponent("hearth-artifacts-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var folder: String { root + "/Artifacts" }
    func path(_ name: String, _ digest: String = digest) -> String { "\(folder)/\(digest)/\(name)" }

    func cache(_ files: any FileOperations = SystemFiles(), boot: String = "first") -> ArtifactCache {
        ArtifactCache(folder: folder, files: files, boot: boot)
    }

    @discardableResult
    func publish(
        _ cache: ArtifactCache, _ digest: String = digest, bytes: [UInt8] = bytes
    ) throws -> (artifact: Artifact<Content>, reused: Bool) {
        try cache.publish(
            digest, kind: Self.kind, profile: ["model": "a", "contextLength": "4096"], source: Self.source
        ) { writer in
            try bytes.withUnsafeBytes { try writer.write("tokens.bin", $0) }
            try Array("plan".utf8).withUnsafeBytes { try writer.write("plan.bin", $0) }
            return Self.content
        }
    }

    func open(_ cache: ArtifactCache, _ digest: String = digest) -> Artifact<Content>? {
        cache.open(digest, kind: Self.kind, Content.self)
    }

    /// Whether what opens is what was published; nothing at all is sound too.
    func isSound(_ cache: ArtifactCache, _ files: any FileOperations = SystemFiles()) -> Bool {
        guard let artifact = open(cache) else { return true }
        guard let path = artifact.path(of: "tokens.bin"), let bytes = try? files.readFile(path, limit: 1 << 20) else {
            return false
        }
        return artifact.record.content == Self.content && bytes == Self.bytes
    }

    func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// Changes a file of the artifact, though it is read-only.
    /// - Parameter leavesTrace: whether the file's time of modification tells.
    func change(_ name: String, leavesTrace: Bool = true, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
        body(&bytes)
        chmod(path(name), 0o644)
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        if leavesTrace { return }
        // All of them: one that is as new as the record is reason enough to look at each byte.
        for name in ["tokens.bin", "plan.bin"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path(name))
        }
    }
}
