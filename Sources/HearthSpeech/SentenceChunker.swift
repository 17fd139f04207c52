/// Cuts text that arrives in pieces into sentences, each given out as soon as it is certain.
///
/// The result depends on the text alone, never on where the pieces were cut: a decision waits until every character
/// that it looks at has arrived, or the text has ended. Usually that is one token after a full stop. Each character
/// is looked at a bounded number of times, so a text costs in proportion to its length.
///
///     var chunker = SentenceChunker(language: "en")
///     for await piece in pieces {
///         for sentence in chunker.feed(piece) { show(sentence.text) }
///     }
///     for sentence in chunker.finish() { show(sentence.text) }
///
/// A mark inside open quotes does not end a sentence; if the quotes are never closed, the marks inside count after
/// all as soon as the line ends. Text without a letter or digit is not given out.
public struct SentenceChunker: Sendable {
    /// One sentence.
    public struct Sentence: Sendable, Equatable {
        /// With its marks and closing quotes, without blanks around it, line breaks inside turned into blanks.
        public let text: String
        /// True where an empty line stood before it.
        public let startsParagraph: Bool

        /// A sentence.
        public init(text: String, startsParagraph: Bool) {
            self.text = text
            self.startsParagraph = startsParagraph
        }
    }

    private let rules: SentenceRules
    /// What has arrived; `start` is where the sentence begins that is not given out yet, `at` the next character to
    /// take in, and everything before `at` has been taken in.
    private var scalars: [Unicode.Scalar] = []
    private var start = 0
    private var at = 0
    /// Where the word begins that `at` is in.
    private var wordStart = 0
    private var lastWasReturn = false
    private var isFirst = true

    // The sentence so far.
    private var hasSpeech = false
    /// Line breaks that stood before it.
    private var breaks = 0
    private var quotes = QuoteStack()
    /// Ends of marks inside open quotes.
    private var innerEnds: [Int] = []
    /// A mark, or a line break, whose consequence is not known yet.
    private var boundary: SentenceBoundary?

    /// - Parameter language: `en`, `es` and `zh-Hans` have rules of their own; others take the English ones.
    public init(language: String = "en") { rules = SentenceRules(language: language) }

    /// Takes the next piece, of any length, and returns the sentences that are complete now.
    public mutating func feed(_ text: String) -> [Sentence] {
        for scalar in text.unicodeScalars {
            // One kind of line break from here on.
            switch scalar {
            case "\r": scalars.append("\n")
            case "\n" where lastWasReturn: break
            case "\u{85}", "\u{2028}", "\u{0B}", "\u{0C}": scalars.append("\n")
            case "\u{2029}": scalars.append(contentsOf: ["\n", "\n"])
            default: scalars.append(scalar)
            }
            lastWasReturn = scalar == "\r"
        }
        return advance(atEnd: false)
    }

    /// Ends the text and returns what was left.
    public mutating func finish() -> [Sentence] {
        var sentences = advance(atEnd: true)
        closeLine(at: scalars.count, into: &sentences)
        self = SentenceChunker(rules: rules)
        return sentences
    }

    private init(rules: SentenceRules) { self.rules = rules }

    private mutating func advance(atEnd: Bool) -> [Sentence] {
        var sentences: [Sentence] = []
        while at < scalars.count || boundary != nil {
            guard takeIn(atEnd: atEnd, into: &sentences) else { break }
        }
        // Once a piece, not once a sentence: the rest is moved to the front.
        guard start > 0 else { return sentences }
        scalars.removeFirst(start)
        at -= start
        wordStart -= min(wordStart, start)
        for index in innerEnds.indices { innerEnds[index] -= start }
        boundary?.shift(by: start)
        start = 0
        return sentences
    }

    /// One step; false where more text is needed.
    private mutating func takeIn(atEnd: Bool, into sentences: inout [Sentence]) -> Bool {
        if var open = boundary {
            let verdict = open.examine(scalars, rules: rules, quotes: &quotes, atEnd: atEnd)
            boundary = open
            switch verdict {
            case .wait: return false
            case .inner: innerEnds.append(open.end)
            case .end:
                cut(at: open.end, into: &sentences)
            case .lineEnd:
                at = open.end
                closeLine(at: open.end, into: &sentences)
            case .goOn: at = max(at, open.resume)
            }
            at = max(at, open.end)
            boundary = nil
            return true
        }
        let scalar = scalars[at]
        if scalar == "\n" {
            if hasSpeech {
                boundary = SentenceBoundary(lineBreakAt: at)
            } else {
                // Nothing to say so far: marks and rules of a page are dropped with the line.
                breaks += 1
                at += 1
                start = at
                wordStart = at
                resetSentence()
            }
            return true
        }
        if rules.isMark(scalar), hasSpeech, !isInsideURL {
            boundary = SentenceBoundary(markAt: at)
            return true
        }
        switch quotes.take(scalars, at, rules: rules, atEnd: atEnd) {
        case .wait: return false
        case .taken: break
        }
        if scalar.isSpeech { hasSpeech = true }
        at += 1
        if scalar.properties.isWhitespace { wordStart = at }
        return true
    }

    /// A dot inside a web address is no mark, unless it ends the address.
    private var isInsideURL: Bool {
        guard at + 1 < scalars.count, !scalars[at + 1].properties.isWhitespace else { return false }
        let word = scalars[wordStart..<at]
        return Self.addressBeginnings.contains { word.starts(with: $0) }
    }

    private static let addressBeginnings = ["http://", "https://", "www"].map { Array($0.unicodeScalars) }

    private mutating func cut(at end: Int, into sentences: inout [Sentence]) {
        let slice = scalars[start..<end]
        var text = String.UnicodeScalarView()
        for scalar in slice {
            let isBlank = scalar.properties.isWhitespace
            if isBlank, text.last.map({ $0 == " " }) ?? true { continue }
            text.append(isBlank ? " " : scalar)
        }
        if text.last == " " { text.removeLast() }
        if slice.contains(where: \.isSpeech) {
            sentences.append(Sentence(text: String(text), startsParagraph: breaks > 1 && !isFirst))
            isFirst = false
            breaks = 0
        }
        start = end
        at = max(at, end)
        wordStart = max(wordStart, end)
        resetSentence()
    }

    private mutating func resetSentence() {
        hasSpeech = false
        quotes = QuoteStack()
        innerEnds = []
    }

    /// The line ends here, and with it the sentence; quotes that are still open have not been quotes.
    private mutating func closeLine(at end: Int, into sentences: inout [Sentence]) {
        let ends = quotes.isOpen ? innerEnds : []
        for inner in ends where inner < end { cut(at: inner, into: &sentences) }
        if end > start { cut(at: end, into: &sentences) }
    }
}

extension Unicode.Scalar {
    /// A letter or a digit: something that can be heard.
    var isSpeech: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    var isLetter: Bool { properties.isAlphabetic }
    var isLowercaseLetter: Bool { properties.generalCategory == .lowercaseLetter }
    var isUppercaseLetter: Bool { properties.generalCategory == .uppercaseLetter }
    var isDigit: Bool { properties.generalCategory == .decimalNumber }
    /// White space that does not end a line.
    var isBlank: Bool { self != "\n" && properties.isWhitespace }

    /// Han or kana.
    var isCJK: Bool {
        switch value {
        case 0x3041...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD, 0x3005...0x3007:
            true
        default: false
        }
    }

    /// An emoji or one of the characters that emoji are composed with.
    var isEmojiPart: Bool {
        properties.isEmojiPresentation || value == 0xFE0F || value == 0x200D || value == 0x2764
            || properties.isEmojiModifier
    }
}
