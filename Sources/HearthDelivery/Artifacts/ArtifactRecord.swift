internal import Foundation
internal import HearthSystem

/// The content of `artifact.json`: which engine it is for, what it was made from, which files belong to it, and what its engine
/// wants to know at a start.
///
/// The file begins with the SHA-256 of all that follows, so that no damage to it passes for content; it is still one
/// JSON object.
package struct ArtifactRecord<Content: Codable & Sendable>: Codable, Sendable {
    /// Version of this record.
    package var format: Int
    /// Digest of the profile: the folder's name.
    package var digest: String
    /// Which engine made it, such as `text`.
    package var kind: String
    /// The profile, field by field, so that what drifted can be named.
    package var profile: [String: String]
    /// From what it was made.
    package var source: SourceIdentity
    /// The run of the system that it was published in.
    package var boot: String
    /// Every file beside the record.
    package var files: [ArtifactFile]
    /// The engine's own part.
    package var content: Content

    static var format: Int { 1 }
    static var limit: Int { 16 << 20 }
    private static var head: String { "{\"sha256\":\"" }
    private static var middle: String { "\",\"artifact\":" }

    /// The file's bytes.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = Array(try encoder.encode(self)) + Array("}\n".utf8)
        return Array(Self.head.utf8) + Array(SHA256.digest(of: body).utf8) + Array(Self.middle.utf8) + body
    }

    /// - Returns: nil for anything but the bytes of `encoded()`.
    package static func decoded(_ bytes: [UInt8]) -> ArtifactRecord? {
        let head = Array(head.utf8)
        let middle = Array(middle.utf8)
        let start = head.count + 64 + middle.count
        guard bytes.count > start + 2, bytes.starts(with: head), bytes[(head.count + 64)...].starts(with: middle) else {
            return nil
        }
        let body = bytes[start...]
        guard SHA256.digest(of: body).utf8.elementsEqual(bytes[head.count..<head.count + 64]) else { return nil }
        return try? JSONDecoder().decode(Self.self, from: Data(body.dropLast(2)))
    }
}

/// A file of an artifact beside `artifact.json`.
package struct ArtifactFile: Codable, Sendable, Equatable {
    /// Its name in the artifact's folder, such as `weights.bin` or `Model.mlmodelc/model.mil`.
    package var name: String
    /// Its length.
    package var bytes: Int
    /// Of its bytes, lower-case hexadecimal.
    package var sha256: String

    /// A file as it should be.
    package init(name: String, bytes: Int, sha256: String) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }

    /// Whether the name stays in its folder and collides with nothing there.
    var isNamedWell: Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count <= 5
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 64
                    && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            }
            && ![ArtifactLayout.record, ArtifactLayout.settled, ArtifactLayout.used].contains(String(parts[0]))
    }
}

/// Names inside the folder of artifacts.
enum ArtifactLayout {
    static let record = "artifact.json"
    /// Present once every byte was verified again: after a restart of the system, or where a file is as new as the record.
    static let settled = "settled"
    /// Its time of change tells when the artifact was used last, to the hour.
    static let used = "used"
    static let building = ".building-"
    static let removing = ".removing-"
    static let lock = ".lock"
    static let damaged = ".damaged"

    /// A digest is 64 lower-case hexadecimal digits: nothing that could be a path.
    static func isDigest(_ name: String) -> Bool {
        name.utf8.count == 64
            && name.utf8.allSatisfy {
                ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                    || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f"))
            }
    }
}
