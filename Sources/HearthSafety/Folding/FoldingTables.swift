/// The tables that texts are folded with: all of them, or none.
///
/// A filter whose tables are missing would find words only where they are written plainly, and nobody would notice. So
/// a failure here is a failure of every judgement.
package struct FoldingTables: Sendable {
    var unicode: UnicodeTable
    var lookalikes: Lookalikes

    /// Those of this build.
    static let loaded = load(EmbeddedFile.bytes)
    static var embedded: Result<Void, LexiconError> { loaded.map { _ in } }

    /// - Parameter files: gives a file's bytes by its name, nil where there is none.
    static func load(_ files: (String) -> [UInt8]?) -> Result<FoldingTables, LexiconError> {
        func bytes(_ name: String) throws(LexiconError) -> [UInt8] {
            guard let bytes = files(name) else { throw .missing(file: name) }
            return bytes
        }
        do throws(LexiconError) {
            let unicode = try UnicodeTable(
                classes: try bytes("unicode-classes.bin"), folds: try bytes("unicode-folds.bin"))
            guard let text = String(validating: try bytes("lookalikes.txt"), as: UTF8.self) else {
                throw .damaged(file: "lookalikes.txt", problem: "it is not UTF-8")
            }
            return .success(FoldingTables(unicode: unicode, lookalikes: try Lookalikes(text)))
        } catch {
            return .failure(error)
        }
    }
}
