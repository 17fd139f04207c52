/// A match of a pattern in a folded text.
struct Hit: Sendable {
    var range: Range<Int>
    var pattern: Pattern
}

/// Finds a lexicon's patterns in folded text, and keeps the matches that satisfy their edge conditions.
struct LexiconScanner: Sendable {
    let lexicon: CompiledLexicon

    /// Returns the matches that are not part of an innocent phrase.
    func hits(in text: FoldedText) -> [Hit] {
        var hits: [Hit] = []
        forEachMatch(of: \.words, in: text) { hits.append(Hit(range: $0, pattern: $1[$2])) }
        guard !hits.isEmpty else { return hits }
        var innocent: [Range<Int>] = []
        forEachMatch(of: \.phrases, in: text) { range, _, _ in innocent.append(range) }
        let sorted = Self.byEnd(hits, \.range)
        return innocent.isEmpty ? sorted : Self.excuse(sorted, by: Self.byEnd(innocent, \.self))
    }

    /// Calls `body` with the range, the table and the place of each match whose edge conditions hold.
    private func forEachMatch(
        of set: KeyPath<CompiledSource, PatternSet>, in text: FoldedText,
        _ body: (Range<Int>, PatternTable, Int) -> Void
    ) {
        for source in lexicon.sources {
            let patterns = source[keyPath: set]
            for start in 0..<text.count {
                patterns.graph.forEachWord(in: text.scalars, from: start) { end, word in
                    for place in patterns.table.patterns(patterns.lists[word])
                    where lexicon.applies(patterns.table, place)
                        && startsWell(patterns.table.start(place), start, text, source.affixes)
                        && endsWell(patterns.table.end(place), end, text, source.affixes)
                    {
                        body(start..<end, patterns.table, place)
                    }
                }
            }
        }
    }

    /// Matches sorted by their end, longer ones first, and as they are in the lexicons.
    private static func byEnd<Match>(_ matches: [Match], _ range: KeyPath<Match, Range<Int>>) -> [Match] {
        guard matches.count > 1 else { return matches }
        let keys = matches.enumerated().map { place, match in
            (match[keyPath: range].upperBound, match[keyPath: range].lowerBound, place)
        }
        return keys.sorted(by: <).map { matches[$0.2] }
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

    private func startsWell(
        _ edge: Pattern.Edge, _ start: Int, _ text: FoldedText, _ affixes: CompiledSource.Affixes
    ) -> Bool {
        switch edge {
        case .anything: return true
        case .word: return !text.joins(start, start - 1)
        case .letters(let count): return (1...count).allSatisfy { isLetter(text, start - $0) }
        case .notHan: return kind(text, start - 1) != .han
        case .notKatakana: return kind(text, start - 1) != .katakana
        case .context(let allowed): return isAllowed(text, start - 1, allowed)
        case .affixedWord:
            guard text.isWordUnit(start - 1) else { return true }
            var begin = start
            while text.isWordUnit(begin - 1) {
                begin -= 1
                guard start - begin <= affixes.longest else { return false }
            }
            return affixes.before.contains(Array(text.scalars[begin..<start]))
        }
    }

    private func endsWell(
        _ edge: Pattern.Edge, _ end: Int, _ text: FoldedText, _ affixes: CompiledSource.Affixes
    ) -> Bool {
        switch edge {
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
