/// Splits streamed text into sentences, or into chunks for speech synthesis. Each is returned as soon as its end is certain.
///
/// The result depends only on the text, not on how the stream was split: a decision is made once every character that it
/// depends on has arrived, or the text has ended. Usually that is one token after a full stop. The time is linear in the length
/// of the text.
///
///     var chunker = SentenceChunker(language: "en")
///     for await piece in pieces {
///         for sentence in chunker.feed(piece) { show(sentence.text) }
///     }
///     for sentence in chunker.finish() { show(sentence.text) }
///
/// A full stop inside open quotes does not end a sentence; if the quotes are still open at the end of the line, it does after
/// all. Text without a letter or digit is dropped.
public struct SentenceChunker: Sendable {
    /// The unit to split text into.
    public enum Mode: Sendable, Equatable {
        /// Sentences of any length.
        case sentence
        /// Sentences joined or split into chunks of a speakable size, with a short first chunk.
        case speech(SpeechLimits)
    }

    /// One sentence, or one chunk to speak.
    public struct Sentence: Sendable, Equatable {
        /// The sentence with its punctuation and closing quotes, trimmed; line breaks inside become spaces.
        public let text: String
        /// Whether an empty line precedes it.
        public let startsParagraph: Bool

        /// Creates a sentence.
        public init(text: String, startsParagraph: Bool) {
            self.text = text
            self.startsParagraph = startsParagraph
        }
    }

    private let rules: SentenceRules
    private let mode: Mode
    private var decoder = UTF8Pieces()
    /// The buffered text: `start` is the beginning of the current sentence, `at` the next character to process.
    private var scalars: [Unicode.Scalar] = []
    private var start = 0
    private var at = 0
    private var lastWasReturn = false
    private var address = WebAddressScanner()

    // State of the current sentence.
    /// The number of letters and digits in it.
    private var speech = 0
    /// The number of line breaks before it.
    private var breaks = 0
    private var quotes = QuoteStack()
    /// A mark or a line break that may end the sentence, not decided yet.
    private var boundary: SentenceBoundary?
    /// Collects processed text and returns complete sentences or chunks.
    private var packer: SpeechPacker

    /// Creates a chunker.
    /// - Parameters:
    ///   - language: a BCP 47 tag such as `en`, `es` or `zh-Hans`; languages without rules of their own use the English ones.
    ///   - mode: the unit to split text into.
    public init(language: String = "en", mode: Mode = .sentence) {
        self.init(rules: SentenceRules(language: language), mode: mode)
    }

    private init(rules: SentenceRules, mode: Mode) {
        self.rules = rules
        self.mode = mode
        packer = SpeechPacker(mode: mode)
    }

    /// Adds the next piece of text, of any length, and returns the sentences that are complete now.
    public mutating func feed(_ text: String) -> [Sentence] {
        for scalar in text.unicodeScalars {
            // Normalize line breaks.
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

    /// Adds UTF-8 bytes, which may be split inside a character, and returns the sentences that are complete now.
    package mutating func feed(utf8 bytes: some Sequence<UInt8>) -> [Sentence] { feed(decoder.decode(bytes)) }

    /// Ends the text and returns the rest.
    public mutating func finish() -> [Sentence] {
        let before = feed(decoder.finish())
        let rest = advance(atEnd: true)
        closeLine()
        let last = packer.finish()
        self = SentenceChunker(rules: rules, mode: mode)
        return before + rest + last
    }

    private mutating func advance(atEnd: Bool) -> [Sentence] {
        while at < scalars.count || boundary != nil {
            guard takeIn(atEnd: atEnd) else { break }
        }
        // Compact the buffer once per call, not once per sentence.
        if start > 0 {
            scalars.removeFirst(start)
            at -= start
            address.shift(by: start)
            boundary?.shift(by: start)
            start = 0
        }
        return packer.takeFinished()
    }

    /// Processes one step; false if more text is needed.
    private mutating func takeIn(atEnd: Bool) -> Bool {
        if boundary != nil { return decideBoundary(atEnd: atEnd) }
        let scalar = scalars[at]
        if scalar == "\n" {
            takeLineBreak()
            return true
        }
        if rules.isMark(scalar), speech > 0 {
            switch address.contains(scalars, markAt: at, rules: rules, atEnd: atEnd) {
            case .wait: return false
            case .no:
                boundary = SentenceBoundary(markAt: at)
                return true
            case .yes(let end):
                // Marks, brackets and quotes inside an address have no special meaning.
                for index in at..<end { commit(scalars[index]) }
                at = end
                return true
            }
        }
        guard quotes.take(scalars, at, speech: speech, rules: rules, atEnd: atEnd) == .taken else { return false }
        commit(scalar)
        address.take(scalars, at, rules: rules)
        at += 1
        return true
    }

    private mutating func commit(_ scalar: Unicode.Scalar) {
        if scalar.isSpeech {
            if speech == 0 { packer.beginSentence(startsParagraph: breaks > 1) }
            speech += 1
        }
        packer.take(scalar, isQuoted: quotes.isOpen)
    }

    private mutating func takeLineBreak() {
        address.end()
        if speech > 0 {
            boundary = SentenceBoundary(lineBreakAt: at)
            return
        }
        // No letters or digits so far: the marks are dropped with the line.
        breaks += 1
        at += 1
        start = at
        packer.dropSentence()
        quotes = QuoteStack()
    }

    private mutating func decideBoundary(atEnd: Bool) -> Bool {
        guard var open = boundary else { return true }
        let verdict = open.examine(
            scalars, sentenceStart: start, speech: speech, rules: rules, quotes: &quotes, atEnd: atEnd)
        boundary = open
        if verdict == .wait { return false }
        let next = verdict == .goOn ? open.resume : open.end
        if next > at {
            for index in at..<next {
                let scalar = scalars[index]
                commit(scalar == "\n" ? " " : scalar)
            }
        }
        at = max(at, next)
        boundary = nil
        address.end()
        switch verdict {
        case .wait: break
        case .goOn: if open.closesQuote { packer.markInside(endsSentenceIfUnclosed: false) }
        case .inner: packer.markInside(endsSentenceIfUnclosed: true)
        case .end: endSentence(endsLine: false)
        case .lineEnd: closeLine()
        }
        return true
    }

    /// Ends the line and its sentence; quotes that are still open are not treated as quotes.
    private mutating func closeLine() {
        if quotes.isOpen { packer.endSentencesAtInnerMarks() }
        endSentence(endsLine: true)
    }

    private mutating func endSentence(endsLine: Bool) {
        if speech > 0 { packer.endSentence(endsLine: endsLine) } else { packer.dropSentence() }
        if speech > 0 { breaks = 0 }
        start = at
        speech = 0
        quotes = QuoteStack()
    }
}
