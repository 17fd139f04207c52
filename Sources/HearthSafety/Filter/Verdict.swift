/// What the filter says about a sentence.
public struct Verdict: Sendable, Equatable {
    /// What to do with it.
    public enum Action: String, Sendable, Codable {
        /// Use it as it is.
        case pass
        /// Use `text`, in which words were replaced, and go on.
        case swap
        /// Drop the sentence and everything after it, say `text`, and mark the story as ended.
        case stop
    }

    /// Why: one word or phrase that was found.
    public struct Match: Sendable, Equatable {
        /// As the sentence has it.
        public let surface: String
        /// What the filter read there.
        public let reading: String
        /// The entry of the lexicon.
        public let entry: String
        /// Such as `kill`; one of the lexicon's headings.
        public let concept: String
        /// Such as `violence`.
        public let theme: String
        /// What the lexicon asks for.
        public let action: Action
        /// How the word was found, in English.
        public let view: String
        /// UTF-8 offsets in the sentence. A match that began in the sentence before starts at 0.
        public let range: Range<Int>
    }

    /// What to do.
    public let action: Action
    /// What may be said, shown and stored; nothing else may.
    public let text: String
    /// Themes of all matches, each once, in the order of the sentence.
    public let themes: [String]
    /// What was found, the first 64 of it. For explanations and tests: the app counts them and keeps no child's text.
    public let matches: [Match]
    /// To be handed over with the next sentence.
    public let seam: Seam
    /// Why the sentence could not be judged; it is stopped then.
    package var failure: LexiconError?
}

/// The end of what was already released, so that nothing slips through between two sentences. A value: the filter itself
/// remembers nothing, and nothing can wear it down.
public struct Seam: Sendable, Equatable {
    /// Nothing was released yet.
    public init() {}

    init(releasing text: String, after tail: String) {
        // A sentence of some length leaves nothing of the one before within reach.
        if let end = Self.end(of: text) {
            self.tail = end
        } else {
            let joined = tail + Self.joiner(tail, text) + text
            self.tail = Self.end(of: joined) ?? joined
        }
    }

    /// The last scalars of a text that has more of them.
    private static func end(of text: String) -> String? {
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
