/// The quotes and brackets that are open.
struct QuoteStack: Sendable {
    enum Outcome { case taken, wait }

    /// What was between an opening and its closing character.
    struct Closed: Equatable {
        /// A letter or digit stood inside.
        var heldSpeech: Bool
        /// A letter or digit of the sentence stood before it.
        var followedSpeech: Bool
    }

    private struct Opened {
        /// What closes it.
        var closing: Unicode.Scalar
        /// „ is closed by “ as well.
        var isLow = false
        /// Letters and digits of the sentence before it.
        var speech: Int
    }

    /// Innermost last.
    private var open: [Opened] = []
    /// Deeper than any text that means it; a million brackets stay cheap.
    private static let depthLimit = 32

    var isOpen: Bool { !open.isEmpty }

    private static let pairs: [Unicode.Scalar: Unicode.Scalar] = [
        "“": "”", "„": "”", "‘": "’", "«": "»", "‹": "›", "「": "」", "『": "』", "（": "）", "(": ")", "[": "]", "{": "}",
        "【": "】", "《": "》", "〈": "〉",
    ]
    private static let closers = Set(pairs.values)

    static func isOpener(_ scalar: Unicode.Scalar) -> Bool { pairs[scalar] != nil }

    /// Closes what `scalar` closes; nil where it closes nothing that is open.
    @discardableResult
    mutating func close(_ scalar: Unicode.Scalar, speech: Int) -> Closed? {
        guard let index = indexClosed(by: scalar) else { return nil }
        let before = open[index].speech
        open.removeSubrange(index...)
        return Closed(heldSpeech: speech > before, followedSpeech: before > 0)
    }

    func wouldClose(_ scalar: Unicode.Scalar) -> Bool { indexClosed(by: scalar) != nil }

    private func indexClosed(by scalar: Unicode.Scalar) -> Int? {
        guard !open.isEmpty else { return nil }
        if scalar == "“" { return open.lastIndex { $0.isLow } }
        let closing: Unicode.Scalar = scalar == "'" ? "’" : scalar
        return open.lastIndex { $0.closing == closing }
    }

    /// Takes in the character at `index`, if it is a quote or a bracket.
    mutating func take(
        _ scalars: [Unicode.Scalar], _ index: Int, speech: Int, rules: SentenceRules, atEnd: Bool
    ) -> Outcome {
        let scalar = scalars[index]
        switch scalar {
        case "\"":
            if close("\"", speech: speech) == nil { push("\"", speech) }
        case "'", "’":
            return takeApostrophe(scalars, index, speech: speech, rules: rules, atEnd: atEnd)
        case "(", "[", "{":
            // ":(" is a face.
            let before = index > 0 ? scalars[index - 1] : " "
            if !":;=-".unicodeScalars.contains(before) { push(scalar, speech) }
        default:
            // Nearly every character is none of them.
            guard scalar.value > 0x7F || scalar == ")" || scalar == "]" || scalar == "}" else { break }
            if Self.closers.contains(scalar) || scalar == "“" && wouldClose(scalar) {
                close(scalar, speech: speech)
            } else if Self.pairs[scalar] != nil {
                push(scalar, speech)
            }
        }
        return .taken
    }

    private mutating func push(_ scalar: Unicode.Scalar, _ speech: Int) {
        guard open.count < Self.depthLimit else { return }
        open.append(Opened(closing: Self.pairs[scalar] ?? scalar, isLow: scalar == "„", speech: speech))
    }

    /// ' and ’ are apostrophes between letters, open a quote before a word, and close one otherwise.
    private mutating func takeApostrophe(
        _ scalars: [Unicode.Scalar], _ index: Int, speech: Int, rules: SentenceRules, atEnd: Bool
    ) -> Outcome {
        let before: Unicode.Scalar = index > 0 ? scalars[index - 1] : " "
        guard index + 1 < scalars.count || atEnd else { return .wait }
        let after: Unicode.Scalar = index + 1 < scalars.count ? scalars[index + 1] : " "
        if before.isSpeech, after.isSpeech { return .taken }
        let mayOpen = before.properties.isWhitespace || Self.isOpener(before) || "—–-\"".unicodeScalars.contains(before)
        if scalars[index] == "'", mayOpen, after.isLetter {
            guard let word = scalars.word(from: index + 1, limit: 6, atEnd: atEnd) else { return .wait }
            if !rules.elisions.contains(word) { push("‘", speech) }
            return .taken
        }
        if !before.properties.isWhitespace { close("’", speech: speech) }
        return .taken
    }
}

extension [Unicode.Scalar] {
    /// The letters from `index` on in lower case, at most `limit` of them; nil where the rest has yet to arrive.
    func word(from index: Int, limit: Int, atEnd: Bool) -> String? {
        var end = index
        while end < count, end - index < limit, self[end].isLetter || self[end] == "'" || self[end] == "’" { end += 1 }
        guard end < count || end - index == limit || atEnd else { return nil }
        return String(String.UnicodeScalarView(self[index..<end])).lowercased()
    }
}
