internal import HearthSystem

/// The digest of several files that are one model: over their names and digests, in the order of names.
package enum ContentDigest {
    /// - Parameter files: with paths relative to the model's folder.
    package static func sha256(of files: [(name: String, sha256: String)]) -> String {
        var whole = SHA256()
        for file in files.sorted(by: { $0.name < $1.name }) {
            whole.update("\(file.name.utf8.count):\(file.name)=\(file.sha256)\n".utf8)
        }
        return whole.finalize()
    }

    static func sha256(of files: [ModelRecord.File]) -> String { sha256(of: files.map { ($0.path, $0.sha256) }) }
}
