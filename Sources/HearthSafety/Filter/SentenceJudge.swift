/// Judges one sentence with a lexicon.
package struct SentenceJudge {
    let lexicon: CompiledLexicon
    /// The text that was released before.
    let seam: Seam
    let sentence: String

    package init(lexicon: CompiledLexicon, seam: Seam = Seam(), sentence: String) {
        self.lexicon = lexicon
        self.seam = seam
        self.sentence = sentence
    }

    /// A match, in UTF-8 offsets of the searched text.
    struct Finding {
        var range: Range<Int>
        var pattern: Pattern
        /// The entry, folded.
        var entry: String
        /// Whether it started before the sentence; the rest of it can only be removed.
        var isRest = false
        var view: DisguisedWords.View
        var reading: String
    }

    package func verdict() -> Verdict {
        let findings = findings(sentence)
        var themes: [String] = []
        for theme in findings.map(\.pattern.theme) where !themes.contains(theme) { themes.append(theme) }
        let bytes = Array(sentence.utf8)
        let matches = findings.prefix(Self.mostMatches).map { match($0, in: bytes) }
        guard !findings.isEmpty else {
            return Verdict(
                action: .pass, text: sentence, themes: [], matches: [], seam: Seam(releasing: sentence, after: seam))
        }
        let stop = Verdict(action: .stop, text: lexicon.ending, themes: themes, matches: matches, seam: Seam())
        guard !findings.contains(where: { $0.pattern.rule == .stop }) else { return stop }
        let text = Rewriter(sentence, lexicon).text(replacing: findings)
        // Replacements are harmless, but may form a match together with adjacent words.
        guard self.findings(text).isEmpty else { return stop }
        return Verdict(
            action: .swap, text: text, themes: themes, matches: matches, seam: Seam(releasing: text, after: seam))
    }

    /// Returns matches in the sentence, including those that start before it and end in it.
    private func findings(_ sentence: String) -> [Finding] {
        let tail = seam.tail
        var found = Self.search(sentence, lexicon)
        if !tail.isEmpty, !sentence.isEmpty {
            for joiner in joiners(sentence) {
                // The tail can only form matches with the beginning of the sentence.
                let head = String(String.UnicodeScalarView(sentence.unicodeScalars.prefix(128)))
                let offset = tail.utf8.count + joiner.utf8.count
                for var finding in Self.search(tail + joiner + head, lexicon)
                where finding.range.lowerBound < tail.utf8.count && finding.range.upperBound > offset {
                    finding.range = 0..<min(finding.range.upperBound - offset, sentence.utf8.count)
                    finding.isRest = true
                    found.append(finding)
                }
            }
        }
        return found.sorted {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
    }

    /// If a text was cut between letters, the rest is tried both with and without a space.
    private func joiners(_ sentence: String) -> [String] {
        let tail = seam.tail
        let natural = Seam.joiner(tail, sentence)
        guard natural == " ", let last = tail.unicodeScalars.last, let first = sentence.unicodeScalars.first,
            UnicodeTable.shared.kind(of: last.value).isLetter, UnicodeTable.shared.kind(of: first.value).isLetter
        else { return [natural] }
        return [" ", ""]
    }

    private static func search(_ text: String, _ lexicon: CompiledLexicon) -> [Finding] {
        let folded = lexicon.folder.fold(text)
        let scanner = LexiconScanner(lexicon: lexicon)
        let disguised = DisguisedWords(scanner: scanner)
        var result = findings(scanner.hits(in: folded), folded, .plain)
        for sighting in disguised.sightings(in: folded) {
            result.append(
                Finding(
                    range: bytes(sighting.range, folded), pattern: sighting.pattern, entry: sighting.entry,
                    view: sighting.view, reading: sighting.reading))
        }
        if let undisguised = disguised.undisguised(folded) {
            // Single words were found above, in all their readings.
            let phrases = scanner.hits(in: undisguised.text).filter { hit in
                hit.range.contains { undisguised.isChanged[$0] }
                    && hit.range.contains { undisguised.text.kinds[$0] == .blank }
            }
            result += findings(phrases, undisguised.text, .broken)
        }
        if let closed = disguised.closedUp(folded) {
            result += findings(scanner.hits(in: closed), closed, .closedUp)
        }
        return result
    }

    private static func findings(
        _ hits: [Hit], _ text: FoldedText, _ view: DisguisedWords.View
    ) -> [Finding] {
        hits.map {
            let entry = text.text($0.range)
            return Finding(
                range: bytes($0.range, text), pattern: $0.pattern, entry: entry, view: view, reading: entry)
        }
    }

    private static func bytes(_ range: Range<Int>, _ text: FoldedText) -> Range<Int> {
        Int(text.starts[range.lowerBound])..<Int(text.ends[range.upperBound - 1])
    }

    /// A limit that is sufficient to explain a verdict.
    private static let mostMatches = 64

    private func match(_ finding: Finding, in bytes: [UInt8]) -> Verdict.Match {
        Verdict.Match(
            surface: String(decoding: bytes[finding.range.clamped(to: 0..<bytes.count)], as: UTF8.self),
            reading: finding.reading, entry: finding.entry, concept: finding.pattern.concept,
            theme: finding.pattern.theme, action: finding.pattern.rule == .stop ? .stop : .swap,
            view: finding.view.rawValue, range: finding.range)
    }
}
