/// The stack of open quotes and brackets.
struct QuoteStack: Sendable {
    enum Outcome { case taken, wait }

    /// A pair of quotes or brackets that was closed.
    struct Closed: Equatable {
        /// Whether there was a letter or digit inside it.
        var heldSpeech: Bool
        /// Whether a letter or digit of the sentence preceded it.
        var followedSpeech: Bool
    }

    private struct Opened {
        /// The character that closes it.
        var closing: Unicode.Scalar
        /// Whether it is „, which “ closes as well.
        var isLow = false
        /// The number of letters and digits of the sentence before it.
        var speech: Int
    }

    /// The open quotes and brackets; innermost last.
    private var open: [Opened] = []
    /// Deeper than in any meaningful text; bounds the cost of pathological input such as a million brackets.
    private static let depthLimit = 32

    var isOpen: Bool { !open.isEmpty }

    private static let pairs: [Unicode.Scalar: Unicode.Scalar] = [
        "“": "”", "„": "”", "‘": "’", "«": "»", "‹": "›", "「": "」", "『": "』", "（": "）", "(": ")", "[": "]", "{": "}",
        "【": "】", "《": "》", "〈": "〉",
    ]
    private static let closers = Set(pairs.values)

    static func isOpener(_ scalar: Unicode.Scalar) -> Bool { pairs[scalar] != nil }

    /// Closes the quote or bracket that `scalar` closes; nil if it closes none.
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

    /// Processes the character at `index` if it is a quote or a bracket.
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
            // ":(" is an emoticon.
            let before = index > 0 ? scalars[index - 1] : " "
            if !":;=-".unicodeScalars.contains(before) { push(scalar, speech) }
        default:
            // Fast path for ASCII characters.
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

    /// ' and ’ are apostrophes between letters; otherwise they open a quote before a word, or close one.
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
    /// The letters from `index` on in lower case, at most `limit` of them; nil if more text has to arrive first.
    func word(from index: Int, limit: Int, atEnd: Bool) -> String? {
        var end = index
        while end < count, end - index < limit, self[end].isLetter || self[end] == "'" || self[end] == "’" { end += 1 }
        guard end < count || end - index == limit || atEnd else { return nil }
        return String(String.UnicodeScalarView(self[index..<end])).lowercased()
    }
}
