/// The quotes and brackets that are open.
struct QuoteStack: Sendable {
    enum Outcome { case taken, wait }

    /// What would close each one, innermost last.
    private var open: [Unicode.Scalar] = []
    /// Deeper than any text that means it; a million brackets stay cheap.
    private static let depthLimit = 32

    var isOpen: Bool { !open.isEmpty }

    private static let pairs: [Unicode.Scalar: Unicode.Scalar] = [
        "“": "”", "„": "”", "‘": "’", "«": "»", "‹": "›", "「": "」", "『": "』", "（": "）", "(": ")", "[": "]", "{": "}",
        "【": "】", "《": "》", "〈": "〉",
    ]
    private static let closers = Set(pairs.values)

    static func isOpener(_ scalar: Unicode.Scalar) -> Bool { pairs[scalar] != nil }

    /// Closes what `scalar` closes; false where it closes nothing that is open.
    mutating func close(_ scalar: Unicode.Scalar) -> Bool {
        let closing: Unicode.Scalar = scalar == "'" ? "’" : scalar == "“" && open.contains("”") ? "”" : scalar
        guard let index = open.lastIndex(of: closing) else { return false }
        open.removeSubrange(index...)
        return true
    }

    func wouldClose(_ scalar: Unicode.Scalar) -> Bool {
        var copy = self
        return copy.close(scalar)
    }

    /// Takes in the character at `index`, if it is a quote or a bracket.
    mutating func take(_ scalars: [Unicode.Scalar], _ index: Int, rules: SentenceRules, atEnd: Bool) -> Outcome {
        let scalar = scalars[index]
        switch scalar {
        case "\"":
            if !close("\"") { push("\"") }
        case "'", "’":
            return takeApostrophe(scalars, index, rules: rules, atEnd: atEnd)
        case "(", "[", "{":
            // ":(" is a face.
            let before = index > 0 ? scalars[index - 1] : " "
            if !":;=-".unicodeScalars.contains(before) { push(scalar) }
        default:
            if Self.closers.contains(scalar) || scalar == "“" && open.contains("”") {
                _ = close(scalar)
            } else if Self.pairs[scalar] != nil {
                push(scalar)
            }
        }
        return .taken
    }

    private mutating func push(_ scalar: Unicode.Scalar) {
        guard open.count < Self.depthLimit else { return }
        open.append(Self.pairs[scalar] ?? scalar)
    }

    /// ' and ’ are apostrophes between letters, open a quote before a word, and close one otherwise.
    private mutating func takeApostrophe(
        _ scalars: [Unicode.Scalar], _ index: Int, rules: SentenceRules, atEnd: Bool
    ) -> Outcome {
        let before: Unicode.Scalar = index > 0 ? scalars[index - 1] : " "
        guard index + 1 < scalars.count || atEnd else { return .wait }
        let after: Unicode.Scalar = index + 1 < scalars.count ? scalars[index + 1] : " "
        if before.isSpeech, after.isSpeech { return .taken }
        let mayOpen = before.properties.isWhitespace || Self.isOpener(before) || "—–-\"".unicodeScalars.contains(before)
        if scalars[index] == "'", mayOpen, after.isLetter {
            guard let word = scalars.word(from: index + 1, limit: 6, atEnd: atEnd) else { return .wait }
            if !rules.elisions.contains(word) { push("‘") }
            return .taken
        }
        if !before.properties.isWhitespace { _ = close("’") }
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
