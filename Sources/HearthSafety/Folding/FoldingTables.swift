/// The tables for folding texts; either all are available or none.
///
/// Without its tables the filter would silently find only undisguised words, so a failure here makes every judgement fail.
package struct FoldingTables: Sendable {
    var unicode: UnicodeTable
    var lookalikes: Lookalikes

    /// The files that they are read from.
    static let files = ["unicode-classes.bin", "unicode-folds.bin", "lookalikes.txt"]

    /// The tables of this build.
    static let loaded = load(EmbeddedFile.bytes)
    static var embedded: Result<Void, LexiconError> { loaded.map { _ in } }

    /// Loads the tables.
    /// - Parameter files: returns a file's bytes by name; nil if there is none.
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
