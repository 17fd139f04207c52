/// One lexicon in the form that is searched: compiled from its text, or read from the file that `scripts/make-lexicons` made of it.
///
/// A `.lexicon` file, little-endian: "HLX1"; the numbers (u32) of: the languages that it is for (1: known ones, 2: an unknown one, 3:
/// both), edges, words and first edge of the root of the words' graph, the same of the phrases' graph, lists, listed patterns, patterns,
/// sides, texts, bytes of text; the edges (u64) of both graphs; the lists (u16) of the words and of the phrases; the first pattern of each
/// list and the end (u16); the listed patterns (u16); six fields of each pattern (u16); the lengths of the texts (u16); the texts (UTF-8): an
/// empty one, `@ending`, `@vowels`, `@letters`, `@short`, the folded affixes before and after a word, the sides, all others; a `CheckSum`
/// of this, of the lexicon's text and of the files for folding, so that a file of another text is not used.
package struct CompiledSource: Sendable {
    package struct Affixes: Sendable, Equatable {
        var before: Set<[UInt32]> = []
        var after: Set<[UInt32]> = []
        var longest = 0

        init(before: [[UInt32]], after: [[UInt32]]) {
            self.before = Set(before.filter { !$0.isEmpty })
            self.after = Set(after.filter { !$0.isEmpty })
            longest = self.before.union(self.after).map(\.count).max() ?? 0
        }
    }

    package let words: PatternSet
    /// Matches of words inside these phrases are ignored.
    package let phrases: PatternSet
    package let affixes: Affixes
    package let ending: String
    package let vowels: String
    package let ownLetters: String
    package let shortWords: String

    /// Reads a file.
    /// - Parameters:
    ///   - sources: what the file was made from: the lexicon's text and the files for folding.
    ///   - isForUnknown: whether it is for a text of an unknown language.
    /// - Returns: nil if the file is damaged, of other sources, or not for such texts.
    package init?(_ file: [UInt8], of sources: [[UInt8]], isForUnknown: Bool) {
        guard let content = CheckSum.content(of: file, with: sources) else { return nil }
        var reader = EmbeddedReader(content)
        guard reader.bytes(4).map(Array.init) == Array("HLX1".utf8),
            let counts = reader.array(13, of: UInt32.self)?.map(Int.init), counts[0] & (isForUnknown ? 2 : 1) != 0,
            let edges = reader.array(counts[1], of: UInt64.self),
            let phraseEdges = reader.array(counts[4], of: UInt64.self),
            let lists = reader.array(counts[2], of: UInt16.self),
            let phraseLists = reader.array(counts[5], of: UInt16.self),
            let firsts = reader.array(counts[7] + 1, of: UInt16.self),
            let listed = reader.array(counts[8], of: UInt16.self),
            let fields = reader.array(counts[9] * PatternTable.fieldCount, of: UInt16.self),
            let lengths = reader.array(counts[11], of: UInt16.self), let bytes = reader.bytes(counts[12]),
            reader.isAtEnd, counts[11] >= Self.ownTexts + counts[10]
        else { return nil }
        let texts = TextTable(lengths: lengths, bytes: Array(bytes))
        let sides = (0..<counts[10]).compactMap { Pattern.Edge(texts[Self.ownTexts + $0]) }
        guard sides.count == counts[10] else { return nil }
        let table = PatternTable(firsts: firsts, listed: listed, fields: fields, sides: sides, texts: texts)
        words = PatternSet(graph: WordGraph(edges: edges, root: counts[3]), lists: lists, table: table)
        phrases = PatternSet(graph: WordGraph(edges: phraseEdges, root: counts[6]), lists: phraseLists, table: table)
        (ending, vowels, ownLetters, shortWords) = (texts[1], texts[2], texts[3], texts[4])
        func affixes(_ text: String) -> [[UInt32]] {
            text.unicodeScalars.split(separator: " ").map { $0.map(\.value) }
        }
        self.affixes = Affixes(before: affixes(texts[5]), after: affixes(texts[6]))
    }

    private static let ownTexts = 7

    /// Compiles a lexicon for texts of a language; nil if unknown.
    init(_ lexicon: Lexicon, for language: FilterLanguage?, _ folder: TextFolder) {
        let compiler = SourceCompiler(lexicon: lexicon, language: language, folder: folder)
        (words, phrases) = (compiler.words(), compiler.phrases())
        affixes = Affixes(
            before: lexicon.before.map { folder.fold($0).scalars }, after: lexicon.after.map { folder.fold($0).scalars }
        )
        ending = lexicon.ending
        vowels = lexicon.vowels
        ownLetters = lexicon.ownLetters
        shortWords = lexicon.shortWords
    }
}
