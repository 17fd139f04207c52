internal import Synchronization

/// All patterns of one language: its own words, English words if they apply too, and emoji. The innocent phrases, which are many, are
/// compiled when the first word is found.
package final class CompiledLexicon: Sendable {
    /// A pattern, shared by all of its matches.
    final class Pattern: Sendable {
        let rule: Lexicon.Rule
        let concept: String
        let theme: String
        let replacement: String
        let start: Edge
        let end: Edge
        let length: Int
        /// The form as written in the lexicon.
        let form: String
        /// The index of the affixes that may be attached to it.
        let affixes: Int

        init(_ entry: Lexicon.Entry, start: Edge, end: Edge, length: Int, affixes: Int) {
            rule = entry.rule
            concept = entry.concept
            theme = entry.theme
            replacement = entry.replacement
            form = entry.form.text
            (self.start, self.end, self.length, self.affixes) = (start, end, length, affixes)
        }
    }

    /// The condition on the text next to a pattern.
    enum Edge: Sendable, Equatable {
        case anything
        case word
        /// The edge of a word, or an affix and then the edge of a word.
        case affixedWord
        case letters(Int)
        /// No kanji: a single kanji matches only if no other is next to it.
        case notHan
        /// No katakana: a katakana word matches only if no other katakana is next to it.
        case notKatakana
        case context(Set<UInt32>)
    }

    struct Affixes: Sendable {
        var before: Set<[UInt32]> = []
        var after: Set<[UInt32]> = []
        var longest = 0
    }

    let language: FilterLanguage?
    let folder: TextFolder
    let ending: String
    let vowels: [UInt32]
    let shortWords: Set<UInt32>
    let words: PatternSet
    let affixes: [Affixes]
    /// Phrases with the separators between words removed → pattern: a spelled-out phrase has no word boundaries.
    let closedPhrases: [[UInt32]: Int]
    private let sources: [Lexicon]
    private let phrases = Mutex<PatternSet?>(nil)

    private static let longestClosedPhrase = 24

    /// Compiles lexicons.
    /// - Parameter sources: the lexicons; the language's own comes first.
    package init(language: FilterLanguage?, sources: [Lexicon]) {
        self.language = language
        let own = sources.first ?? Lexicon()
        let folder = TextFolder(language: language, ownLetters: own.ownLetters)
        self.folder = folder
        ending = own.ending
        vowels = own.vowels.unicodeScalars.map(\.value)
        shortWords = Set(own.shortWords.unicodeScalars.map(\.value))
        var forms: [[UInt32]] = []
        var patterns: [Pattern] = []
        var affixes: [Affixes] = []
        var closedPhrases: [[UInt32]: Int] = [:]
        for (index, source) in sources.enumerated() {
            var here = Affixes()
            here.before = Set(source.before.map { folder.fold($0).scalars })
            here.after = Set(source.after.map { folder.fold($0).scalars })
            here.longest = here.before.union(here.after).map(\.count).max() ?? 0
            affixes.append(here)
            var seen: Set<[UInt32]> = []
            // Compared in folded form: `чёрта` is typed `черта`, which means "line".
            let innocent = Set(source.notEntries.map { folder.fold($0).scalars })
            for entry in source.entries where Self.applies(entry, of: source, in: language) {
                let folded = folder.fold(entry.form.text)
                guard folded.count > 0, !innocent.contains(folded.scalars) else { continue }
                let pattern = Self.pattern(entry, folded, source, affixes: index, language, folder)
                var spellings = [folded.scalars]
                if source.marksAreOptional { spellings.append(Self.withoutMarks(folded, keeping: source)) }
                for form in spellings where !form.isEmpty {
                    // A duplicate whole word would only produce duplicate matches.
                    if pattern.start == .word, pattern.end == .word, !seen.insert(form).inserted { continue }
                    if (5...Self.longestClosedPhrase).contains(form.count), form.contains(0x20) {
                        closedPhrases[form.filter { UnicodeTable.shared.kind(of: $0).isLetter }] = patterns.count
                    }
                    forms.append(form)
                    patterns.append(pattern)
                }
            }
        }
        words = PatternSet(patterns, of: forms)
        self.affixes = affixes
        self.closedPhrases = closedPhrases
        self.sources = sources.map { source in
            var rest = source
            rest.entries = []
            return rest
        }
    }

    /// The innocent phrases; matches of words inside them are ignored.
    var innocentPhrases: PatternSet {
        phrases.withLock { found in
            if let found { return found }
            let made = compiledPhrases()
            found = made
            return made
        }
    }

    private func compiledPhrases() -> PatternSet {
        var forms: [[UInt32]] = []
        var patterns: [Pattern] = []
        for (index, source) in sources.enumerated() {
            // A damaged line excuses nothing; a test reads them all.
            let entries = (try? source.innocentEntries()) ?? []
            for entry in entries where Self.applies(entry, of: source, in: language) {
                let folded = folder.fold(entry.form.text)
                guard folded.count > 0 else { continue }
                forms.append(folded.scalars)
                patterns.append(Self.pattern(entry, folded, source, affixes: index, language, folder))
            }
        }
        return PatternSet(patterns, of: forms)
    }

    private static func applies(_ entry: Lexicon.Entry, of source: Lexicon, in language: FilterLanguage?) -> Bool {
        language != nil || !source.localForms.contains(entry.form.text)
    }

    /// The form without diacritics, as often typed; empty if the lexicon lists that as another word.
    private static func withoutMarks(_ folded: FoldedText, keeping source: Lexicon) -> [UInt32] {
        guard folded.hasOwnMark.contains(true) else { return [] }
        let plain = folded.scalars.map { UnicodeTable.shared.fold(of: $0)?.first ?? $0 }
        let text = String(String.UnicodeScalarView(plain.compactMap(Unicode.Scalar.init)))
        return source.notEntries.contains(text) ? [] : plain
    }

    private static func pattern(
        _ entry: Lexicon.Entry, _ folded: FoldedText, _ source: Lexicon, affixes: Int, _ language: FilterLanguage?,
        _ folder: TextFolder
    ) -> Pattern {
        let hasAffixes = !source.before.isEmpty || !source.after.isEmpty
        func edge(_ side: Form.Side, _ kind: ScalarClass?, _ set: [String]) -> Edge {
            switch side {
            case .open(let count): return count == 0 ? .anything : .letters(count)
            case .context(let text): return .context(Set(folder.fold(text).scalars))
            case .natural, .exact:
                guard let kind, kind.isLetter || kind == .digit else { return .anything }
                if kind.isCJK {
                    guard language == .japanese, side == .natural, entry.rule != .pass else { return .anything }
                    if folded.count == 1, kind == .han { return .notHan }
                    return folded.kinds.allSatisfy { $0 == .katakana } ? .notKatakana : .anything
                }
                return side == .natural && hasAffixes && !set.isEmpty ? .affixedWord : .word
            }
        }
        return Pattern(
            entry, start: edge(entry.form.start, folded.kinds.first, source.before),
            end: edge(entry.form.end, folded.kinds.last, source.after), length: folded.count, affixes: affixes)
    }
}

/// Maps scalars used in patterns to numbers from 1; all others are 0.
struct SymbolMap: Sendable {
    private var blocks = [UInt16](repeating: 0, count: 0x200)
    private var entries = [UInt16](repeating: 0, count: 256)
    private(set) var count = 1

    mutating func insert(_ scalar: UInt32) -> UInt16 {
        let block = Int(scalar >> 8)
        guard block < blocks.count, count < Int(UInt16.max) else { return 0 }
        if blocks[block] == 0 {
            blocks[block] = UInt16(entries.count >> 8)
            entries += [UInt16](repeating: 0, count: 256)
        }
        let index = Int(blocks[block]) << 8 + Int(scalar & 0xFF)
        if entries[index] == 0 {
            entries[index] = UInt16(count)
            count += 1
        }
        return entries[index]
    }

    subscript(scalar: UInt32) -> UInt16 {
        let block = Int(scalar >> 8)
        return block < blocks.count ? entries[Int(blocks[block]) << 8 + Int(scalar & 0xFF)] : 0
    }
}

/// Patterns, and the automaton that finds them.
struct PatternSet: Sendable {
    let patterns: [CompiledLexicon.Pattern]
    let automaton: PatternAutomaton
    private let symbols: SymbolMap

    /// - Parameter forms: the text of each pattern, folded.
    init(_ patterns: [CompiledLexicon.Pattern], of forms: [[UInt32]]) {
        var symbols = SymbolMap()
        let texts = forms.map { form in form.map { symbols.insert($0) } }
        self.patterns = patterns
        automaton = PatternAutomaton(texts, symbolCount: symbols.count)
        self.symbols = symbols
    }

    func symbol(_ scalar: UInt32) -> UInt16 { symbols[scalar] }
}
