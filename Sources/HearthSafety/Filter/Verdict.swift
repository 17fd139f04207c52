/// The filter's verdict on a sentence.
public struct Verdict: Sendable, Equatable {
    /// What to do with the sentence.
    public enum Action: String, Sendable, Codable {
        /// Use it as it is.
        case pass
        /// Use `text`, in which words were replaced, and continue.
        case swap
        /// Drop the sentence and everything after it, show `text`, and end the story.
        case stop
    }

    /// A word or phrase that was found.
    package struct Match: Sendable, Equatable {
        /// The match as it is in the sentence.
        package let surface: String
        /// How the filter read it.
        package let reading: String
        /// The entry in the lexicon.
        package let entry: String
        /// The concept of the entry, such as `kill`.
        package let concept: String
        /// The theme of the concept, such as `violence`.
        package let theme: String
        /// The action that the lexicon asks for.
        package let action: Action
        /// How the match was found, in English.
        package let view: String
        /// UTF-8 offsets in the sentence. A match that began in the previous sentence starts at 0.
        package let range: Range<Int>
    }

    /// What to do.
    public let action: Action
    /// The text that may be spoken, shown and stored; use no other.
    public let text: String
    /// The themes of all matches, each once, in order of appearance; or the theme of the guard that objected.
    public let themes: [String]
    /// Up to 64 matches, for explanations and tests. An app should count them, and not store a child's text.
    package let matches: [Match]
    /// Pass it on with the next sentence.
    public let seam: Seam
    /// What the guard of meaning says, where it stops a sentence that the lexicons let pass.
    package var objection: SentenceObjection?
    /// Why the sentence could not be judged; it is stopped then.
    package var failure: LexiconError?
}

/// The end of the text that was released so far, so that nothing slips through between two sentences. A value: the filter
/// itself has no state.
public struct Seam: Sendable, Equatable {
    /// The beginning of a text.
    public init() {}

    /// These sentences were released, in this order.
    public init(after sentences: [String]) {
        self = sentences.reduce(Seam()) { Seam(releasing: $1, after: $0) }
    }

    init(releasing text: String, after seam: Seam) {
        let tail = seam.tail
        context = seam.context.suffix(Self.sentences - 1) + [Self.end(of: text, Self.longestSentence) ?? text]
        // A sentence of some length leaves nothing of the one before within reach.
        if let end = Self.end(of: text, Self.length) {
            self.tail = end
        } else {
            let joined = tail + Self.joiner(tail, text) + text
            self.tail = Self.end(of: joined, Self.length) ?? joined
        }
    }

    /// The last scalars of a text that has more of them.
    private static func end(of text: String, _ length: Int) -> String? {
        var count = 0
        var index = text.utf8.endIndex
        while index > text.utf8.startIndex {
            index = text.utf8.index(before: index)
            // The first byte of a scalar.
            if text.utf8[index] & 0xC0 != 0x80 { count += 1 }
            if count == length { return String(text[index...]) }
        }
        return nil
    }

    /// Longer than any entry, also when it is spelled out.
    private static let length = 96
    private(set) var tail = ""

    /// So many sentences before another may tell what it means, and so much of each.
    private static let sentences = 3
    private static let longestSentence = 400
    /// The last sentences, the oldest first.
    private(set) var context: [String] = []

    /// What stands between two sentences that came trimmed.
    static func joiner(_ left: String, _ right: String) -> String {
        guard let last = left.unicodeScalars.last?.value, let first = right.unicodeScalars.first?.value else {
            return ""
        }
        let table = UnicodeTable.shared
        if table.kind(of: last) == .blank || table.kind(of: first) == .blank { return "" }
        // Chinese and Japanese are written without blanks, marks included (U+3000 and above).
        return last >= 0x3000 && first >= 0x3000 && table.kind(of: last) != .hangul ? "" : " "
    }
}
