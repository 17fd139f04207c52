/// Compiles a lexicon's text; `scripts/make-lexicons` does the same.
struct SourceCompiler {
    let lexicon: Lexicon
    let language: FilterLanguage?
    let folder: TextFolder

    /// The words that are replaced or stopped.
    func words() -> PatternSet {
        struct Spelling: Hashable {
            var scalars: [UInt32]
            var isLocal: Bool
        }
        var found: [(word: [UInt32], pattern: Pattern)] = []
        var seen: Set<Spelling> = []
        // Compared in folded form: `чёрта` is typed `черта`, which means "line".
        let innocent = Set(lexicon.notEntries.map { folder.fold($0).scalars })
        for entry in lexicon.entries {
            let folded = folder.fold(entry.form.text)
            guard folded.count > 0, !innocent.contains(folded.scalars) else { continue }
            let pattern = pattern(entry, folded)
            var spellings = [folded.scalars]
            if lexicon.marksAreOptional { spellings.append(withoutMarks(folded)) }
            for word in spellings where !word.isEmpty {
                // A duplicate whole word would only produce duplicate matches.
                if pattern.start == .word, pattern.end == .word,
                    !seen.insert(Spelling(scalars: word, isLocal: pattern.isLocal)).inserted
                {
                    continue
                }
                found.append((word, pattern))
            }
        }
        return Self.set(of: found)
    }

    /// The innocent phrases.
    func phrases() -> PatternSet {
        // A damaged line excuses nothing; a test reads them all.
        let entries = (try? lexicon.innocentEntries()) ?? []
        return Self.set(
            of: entries.compactMap { entry in
                let folded = folder.fold(entry.form.text)
                return folded.count > 0 ? (folded.scalars, pattern(entry, folded)) : nil
            })
    }

    /// The form without diacritics, as often typed; empty if the lexicon lists that as another word.
    private func withoutMarks(_ folded: FoldedText) -> [UInt32] {
        guard folded.hasOwnMark.contains(true) else { return [] }
        let plain = folded.scalars.map { UnicodeTable.shared.fold(of: $0)?.first ?? $0 }
        let text = String(String.UnicodeScalarView(plain.compactMap(Unicode.Scalar.init)))
        return lexicon.notEntries.contains(text) ? [] : plain
    }

    private func pattern(_ entry: Lexicon.Entry, _ folded: FoldedText) -> Pattern {
        let hasAffixes = !lexicon.before.isEmpty || !lexicon.after.isEmpty
        func edge(_ side: Form.Side, _ kind: ScalarClass?, _ affixes: [String]) -> Pattern.Edge {
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
                return side == .natural && hasAffixes && !affixes.isEmpty ? .affixedWord : .word
            }
        }
        return Pattern(
            rule: entry.rule, concept: entry.concept, theme: entry.theme, replacement: entry.replacement,
            start: edge(entry.form.start, folded.kinds.first, lexicon.before),
            end: edge(entry.form.end, folded.kinds.last, lexicon.after),
            isLocal: lexicon.localForms.contains(entry.form.text))
    }

    private static func set(of found: [(word: [UInt32], pattern: Pattern)]) -> PatternSet {
        var byWord: [[UInt32]: [Pattern]] = [:]
        for (word, pattern) in found { byWord[word, default: []].append(pattern) }
        let words = byWord.keys.sorted { $0.lexicographicallyPrecedes($1) }
        var table = PatternTable()
        var lists: [[Pattern]: UInt16] = [:]
        var numbers: [Pattern: UInt16] = [:]
        var sides: [Pattern.Edge: UInt16] = [:]
        var texts: [String: UInt16] = [:]
        func number(_ text: String) -> UInt16 {
            if let found = texts[text] { return found }
            texts[text] = UInt16(table.texts.count)
            table.texts.append(text)
            return UInt16(table.texts.count - 1)
        }
        func number(_ side: Pattern.Edge) -> UInt16 {
            if let found = sides[side] { return found }
            sides[side] = UInt16(table.sides.count)
            table.sides.append(side)
            return UInt16(table.sides.count - 1)
        }
        func number(_ pattern: Pattern) -> UInt16 {
            if let found = numbers[pattern] { return found }
            let next = UInt16(numbers.count)
            numbers[pattern] = next
            table.fields += [
                UInt16(pattern.rule.rawValue) | (pattern.isLocal ? 4 : 0), number(pattern.concept),
                number(pattern.theme), number(pattern.replacement), number(pattern.start), number(pattern.end),
            ]
            return next
        }
        let wordLists = words.map { word in
            let patterns = byWord[word] ?? []
            if let found = lists[patterns] { return found }
            let next = UInt16(lists.count)
            lists[patterns] = next
            table.listed += patterns.map { number($0) }
            table.firsts.append(UInt16(table.listed.count))
            return next
        }
        return PatternSet(graph: WordGraph(words), lists: wordLists, table: table)
    }
}
