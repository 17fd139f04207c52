/// All patterns of one language: its own words, English words if they apply too, and emoji.
package final class CompiledLexicon: Sendable {
    let language: FilterLanguage?
    let folder: TextFolder
    let ending: String
    let vowels: [UInt32]
    let shortWords: Set<UInt32>
    package let sources: [CompiledSource]

    /// - Parameter sources: the lexicons; the language's own comes first.
    init(language: FilterLanguage?, folder: TextFolder, sources: [CompiledSource]) {
        self.language = language
        self.folder = folder
        self.sources = sources
        ending = sources.first?.ending ?? ""
        vowels = (sources.first?.vowels ?? "").unicodeScalars.map(\.value)
        shortWords = Set((sources.first?.shortWords ?? "").unicodeScalars.map(\.value))
    }

    /// Compiles the text of lexicons.
    /// - Parameter sources: the lexicons; the language's own comes first.
    package convenience init(language: FilterLanguage?, sources: [Lexicon]) {
        let folder = TextFolder(language: language, ownLetters: sources.first?.ownLetters ?? "")
        self.init(
            language: language, folder: folder, sources: sources.map { CompiledSource($0, for: language, folder) })
    }

    private static let closedPhraseLengths = 5...24

    /// The last phrase in the lexicons that consists of these letters, whatever stands between them: a spelled-out phrase has no word
    /// boundaries.
    func closedPhrase(_ letters: [UInt32]) -> (text: [UInt32], pattern: Pattern)? {
        var found: (text: [UInt32], pattern: Pattern)?
        for source in sources {
            let words = source.words
            // The state is the number of letters so far.
            words.graph.visit(from: (letters: 0, length: 0), first: letters.first) { state, scalar in
                guard state.length < Self.closedPhraseLengths.upperBound else { return nil }
                guard UnicodeTable.shared.kind(of: scalar).isLetter else { return (state.letters, state.length + 1) }
                guard state.letters < letters.count, letters[state.letters] == scalar else { return nil }
                return (state.letters + 1, state.length + 1)
            } _: { text, word, state in
                guard state.letters == letters.count, Self.closedPhraseLengths.contains(text.count),
                    text.contains(0x20),
                    let place = words.table.patterns(words.lists[word]).last(where: { applies(words.table, $0) })
                else { return }
                found = (text, words.table[place])
            }
        }
        return found
    }

    /// Whether a pattern counts for texts of this language.
    func applies(_ table: PatternTable, _ place: Int) -> Bool { language != nil || !table.isLocal(place) }
}
