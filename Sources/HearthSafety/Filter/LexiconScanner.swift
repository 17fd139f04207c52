/// A match of a pattern in a folded text.
struct Hit: Sendable, Equatable {
    var range: Range<Int>
    var pattern: Int
}

/// Finds a lexicon's patterns in folded text, and keeps the matches that satisfy their edge conditions.
struct LexiconScanner: Sendable {
    let lexicon: CompiledLexicon

    /// Returns the matches that are not part of an innocent phrase.
    func hits(in text: FoldedText) -> [Hit] {
        let hits = matches(of: lexicon.words, in: text)
        guard !hits.isEmpty else { return hits }
        let innocent = matches(of: lexicon.innocentPhrases, in: text)
        return innocent.isEmpty ? hits : Self.excuse(hits, by: innocent.map(\.range))
    }

    /// All matches whose edge conditions hold, sorted by their end.
    private func matches(of set: PatternSet, in text: FoldedText) -> [Hit] {
        var found: [Hit] = []
        var state: Int32 = 0
        for index in 0..<text.count {
            state = set.automaton.next(state, set.symbol(text.scalars[index]))
            if state == 0 || set.automaton.isSilent(state) { continue }
            set.automaton.forEachPattern(at: state) { pattern in
                let entry = set.patterns[pattern]
                let range = (index + 1 - entry.length)..<(index + 1)
                if stands(entry, at: range, in: text) { found.append(Hit(range: range, pattern: pattern)) }
            }
        }
        return found
    }

    /// Removes hits inside innocent ranges. Hits are few and phrases short, so searching the following ranges is fast enough
    /// and stays linear.
    private static func excuse(_ hits: [Hit], by innocent: [Range<Int>]) -> [Hit] {
        var first = 0
        return hits.filter { hit in
            while first < innocent.count, innocent[first].upperBound < hit.range.upperBound { first += 1 }
            var index = first
            // Both lists are sorted by end; a phrase that contains the hit ends at most `longestPhrase` after it.
            while index < innocent.count, innocent[index].upperBound <= hit.range.upperBound + longestPhrase {
                if innocent[index].lowerBound <= hit.range.lowerBound { return false }
                index += 1
            }
            return true
        }
    }

    private static let longestPhrase = 80

    private func stands(_ entry: CompiledLexicon.Pattern, at range: Range<Int>, in text: FoldedText) -> Bool {
        startsWell(entry, range.lowerBound, text) && endsWell(entry, range.upperBound, text)
    }

    private func startsWell(_ entry: CompiledLexicon.Pattern, _ start: Int, _ text: FoldedText) -> Bool {
        switch entry.start {
        case .anything: return true
        case .word: return !text.joins(start, start - 1)
        case .letters(let count): return (1...count).allSatisfy { isLetter(text, start - $0) }
        case .notHan: return kind(text, start - 1) != .han
        case .notKatakana: return kind(text, start - 1) != .katakana
        case .context(let allowed): return isAllowed(text, start - 1, allowed)
        case .affixedWord:
            guard text.isWordUnit(start - 1) else { return true }
            let affixes = lexicon.affixes[entry.affixes]
            var begin = start
            while text.isWordUnit(begin - 1) {
                begin -= 1
                guard start - begin <= affixes.longest else { return false }
            }
            return affixes.before.contains(Array(text.scalars[begin..<start]))
        }
    }

    private func endsWell(_ entry: CompiledLexicon.Pattern, _ end: Int, _ text: FoldedText) -> Bool {
        switch entry.end {
        case .anything: return true
        case .word: return !text.joins(end - 1, end)
        case .letters(let count): return (0..<count).allSatisfy { isLetter(text, end + $0) }
        case .notHan: return kind(text, end) != .han
        case .notKatakana: return kind(text, end) != .katakana
        case .context(let allowed):
            guard end < text.count else { return allowed.contains(0x24) }
            return allowed.contains(text.scalars[end])
        case .affixedWord:
            guard text.isWordUnit(end) else { return true }
            let affixes = lexicon.affixes[entry.affixes]
            var stop = end
            while text.isWordUnit(stop) {
                stop += 1
                guard stop - end <= affixes.longest else { return false }
            }
            return affixes.after.contains(Array(text.scalars[end..<stop]))
        }
    }

    private func isLetter(_ text: FoldedText, _ index: Int) -> Bool { kind(text, index)?.isAlphabetic == true }

    private func kind(_ text: FoldedText, _ index: Int) -> ScalarClass? {
        index >= 0 && index < text.count ? text.kinds[index] : nil
    }

    /// Context before a form: one of the characters, or no kana.
    private func isAllowed(_ text: FoldedText, _ index: Int, _ allowed: Set<UInt32>) -> Bool {
        guard let kind = kind(text, index) else { return true }
        return (kind != .hiragana && kind != .katakana) || allowed.contains(text.scalars[index])
    }
}
