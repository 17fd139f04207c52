/// The filter's verdict on a sentence.
public struct Verdict: Sendable, Equatable {
    /// The action for the sentence.
    public enum Action: String, Sendable, Codable {
        /// Use it unchanged.
        case pass
        /// Use `text`, in which words were replaced, and continue.
        case swap
        /// Drop the sentence and everything after it, use `text` instead, and end the story.
        case stop
    }

    /// A match of a word or phrase.
    package struct Match: Sendable, Equatable {
        /// The matched text as written in the sentence.
        package let surface: String
        /// The reading that matched.
        package let reading: String
        /// The lexicon entry, in normal form.
        package let entry: String
        /// The concept of the entry, such as `kill`.
        package let concept: String
        /// The theme of the concept, such as `violence`.
        package let theme: String
        /// The action that the lexicon specifies.
        package let action: Action
        /// How the match was found, in English.
        package let view: String
        /// UTF-8 offsets in the sentence. A match that began in the previous sentence starts at 0.
        package let range: Range<Int>
    }

    /// The action for the sentence.
    public let action: Action
    /// The only text that may be spoken, shown and stored.
    public let text: String
    /// The themes of all matches without duplicates, in order of appearance; or the theme of the guard's objection.
    public let themes: [String]
    /// Up to 64 matches, for explanations and tests. Apps should count them, and not store a child's text.
    package let matches: [Match]
    /// The context to pass with the next sentence.
    public let seam: Seam
    /// The guard's objection, if it stopped a sentence that the lexicons let pass.
    package var objection: SentenceObjection?
    /// Why the sentence could not be judged; it is then stopped.
    package var failure: LexiconError?

    /// The same verdict, whose seam carries what was found so far.
    func carrying(_ evidence: StoryEvidence) -> Verdict {
        var seam = seam
        seam.evidence = evidence
        return Verdict(
            action: action, text: text, themes: themes, matches: matches, seam: seam, objection: objection,
            failure: failure)
    }
}

/// The end of the text released so far, so that matches across sentences are found. A value: the filter itself has no state.
public struct Seam: Sendable, Equatable {
    /// Creates the seam of the beginning of a text.
    public init() {}

    /// Creates the seam after these sentences, released in this order.
    public init(after sentences: [String]) {
        self = sentences.reduce(Seam()) { Seam(releasing: $1, after: $0) }
    }

    init(releasing text: String, after seam: Seam) {
        evidence = seam.evidence
        let tail = seam.tail
        context = seam.context.suffix(Self.sentences - 1) + [Self.end(of: text, Self.longestSentence) ?? text]
        // A long enough sentence replaces the previous tail completely.
        if let end = Self.end(of: text, Self.length) {
            self.tail = end
        } else {
            let joined = tail + Self.joiner(tail, text) + text
            self.tail = Self.end(of: joined, Self.length) ?? joined
        }
    }

    /// The last `length` scalars of a text; nil if it is shorter.
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

    /// The length of `tail` in scalars; longer than any entry, even one that is spelled out.
    private static let length = 96
    private(set) var tail = ""

    /// The number of previous sentences kept as context, and the number of scalars kept of each.
    private static let sentences = 3
    private static let longestSentence = 400
    /// The last sentences, oldest first.
    private(set) var context: [String] = []
    /// What the guard of this build found in them and in earlier ones.
    package internal(set) var evidence = StoryEvidence()

    /// The seam of a text that is spoken in parts, after the last part of a sentence: the neighbour of what is spoken next is this
    /// part, but what went before it are whole sentences.
    /// - Parameter whole: the seam after the same sentence as a whole.
    package func completing(_ whole: Seam) -> Seam {
        var seam = whole
        seam.tail = tail
        return seam
    }

    /// The separator between two trimmed sentences.
    static func joiner(_ left: String, _ right: String) -> String {
        guard let last = left.unicodeScalars.last?.value, let first = right.unicodeScalars.first?.value else {
            return ""
        }
        let table = UnicodeTable.shared
        if table.kind(of: last) == .blank || table.kind(of: first) == .blank { return "" }
        // Chinese and Japanese are written without spaces, including punctuation (U+3000 and above).
        return last >= 0x3000 && first >= 0x3000 && table.kind(of: last) != .hangul ? "" : " "
    }
}
