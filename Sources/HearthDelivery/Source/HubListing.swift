package import Foundation

/// The files of a repository, as its hub lists them.
package struct HubListing: Sendable, Equatable {
    package struct File: Sendable, Equatable {
        package var path: String
        /// nil if the hub does not say.
        package var bytes: Int?
        /// Of files that are stored as large ones.
        package var sha256: String?

        package init(path: String, bytes: Int?, sha256: String? = nil) {
            (self.path, self.bytes, self.sha256) = (path, bytes, sha256)
        }
    }

    /// The commit that was listed; nil if the hub does not say.
    package var commit: String?
    package var files: [File]

    package init(commit: String? = nil, files: [File]) { (self.commit, self.files) = (commit, files) }

    private struct Large: Decodable {
        var oid: String?
        var sha256: String?
        var size: Int?
    }

    private struct Sibling: Decodable {
        var rfilename: String
        var size: Int?
        var lfs: Large?
    }

    private struct Revision: Decodable {
        var sha: String?
        var siblings: [Sibling]?
    }

    private struct Entry: Decodable {
        var type: String
        var path: String
        var size: Int?
        var lfs: Large?
    }

    /// The answer of `/api/models/ORG/REPO/revision/REVISION?blobs=true`; nil if it is another one.
    package init?(revision json: Data) {
        guard let answer = try? JSONDecoder().decode(Revision.self, from: json), let siblings = answer.siblings else {
            return nil
        }
        commit = answer.sha.flatMap(Self.commit)
        files = siblings.compactMap { Self.file($0.rfilename, $0.size, $0.lfs) }
    }

    /// The answer of `/api/models/ORG/REPO/tree/REVISION?recursive=true`; nil if it is another one.
    package init?(tree json: Data) {
        guard let entries = try? JSONDecoder().decode([Entry].self, from: json) else { return nil }
        files = entries.filter { $0.type == "file" }.compactMap { Self.file($0.path, $0.size, $0.lfs) }
    }

    /// Whether every file's size is known.
    package var isComplete: Bool { files.allSatisfy { $0.bytes != nil } }

    /// nil for a path that cannot be stored on this disk: that file is skipped, and the others can be used.
    private static func file(_ path: String, _ size: Int?, _ large: Large?) -> File? {
        guard FilePathRule.objection(to: path) == nil else { return nil }
        let bytes = (large?.size ?? size).flatMap { (0...1 << 44).contains($0) ? $0 : nil }
        return File(path: path, bytes: bytes, sha256: (large?.sha256 ?? large?.oid).flatMap(digest))
    }

    private static func digest(_ text: String) -> String? {
        let digits = (text.hasPrefix("sha256:") ? String(text.dropFirst(7)) : text).lowercased()
        return ModelName.isDigest(digits) ? digits : nil
    }

    private static func commit(_ text: String) -> String? {
        text.utf8.count == 40 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            ? text : nil
    }
}
