/// A potential end of a sentence: a run of punctuation marks with closing quotes, or a line break. It keeps its position, so
/// that text arriving in small pieces is scanned only once.
struct SentenceBoundary: Sendable {
    enum Verdict {
        /// More text is needed.
        case wait
        /// The sentence ends at `end`.
        case end
        /// The line ends at `end`, and the sentence ends with it, even if quotes are open.
        case lineEnd
        /// A mark inside quotes.
        case inner
        /// The sentence continues.
        case goOn
    }

    private enum Phase { case marks, gap, decision }

    /// The index after the last character that belongs to the sentence if it ends here.
    private(set) var end: Int
    /// Where to continue if the sentence goes on; a line break that only wraps the line is consumed.
    var resume: Int { isLineBreak ? end + 1 : end }
    private var start: Int
    private var cursor: Int
    private var phase: Phase
    private var hardMarks = 0
    /// The number of full stops; an ellipsis character counts as three.
    private var dots = 0
    private var lastCloser: Unicode.Scalar?
    /// The bracket that was closed last.
    private var closedBracket: QuoteStack.Closed?
    private var endsInHardMark = false
    private var sentenceStart = 0
    private var lineBreaks = 0
    private let isLineBreak: Bool

    private var isFullStop: Bool { hardMarks == 0 && dots == 1 }
    private var isEllipsis: Bool { hardMarks == 0 && dots > 1 }

    init(markAt index: Int) {
        (start, end, cursor, phase, isLineBreak) = (index, index, index, .marks, false)
    }

    init(lineBreakAt index: Int) {
        (start, end, cursor, phase, isLineBreak) = (index, index, index, .gap, true)
    }

    /// Adjusts indices after the text before `count` was dropped from the buffer.
    mutating func shift(by count: Int) {
        start -= count
        end -= count
        cursor -= count
        sentenceStart = max(0, sentenceStart - count)
    }

    /// Whether a quote is closed after the marks; they are then inside it, whether or not the sentence continues.
    var closesQuote: Bool { lastCloser.map { "”’\"'»›」』".unicodeScalars.contains($0) } ?? false }

    /// Examines the text from the current position on.
    /// - Parameters:
    ///   - sentenceStart: the index where the sentence starts.
    ///   - speech: the number of letters and digits in it so far.
    mutating func examine(
        _ text: [Unicode.Scalar], sentenceStart: Int, speech: Int, rules: SentenceRules, quotes: inout QuoteStack,
        atEnd: Bool
    ) -> Verdict {
        self.sentenceStart = sentenceStart
        if phase == .marks {
            guard takeMarks(text, speech: speech, rules: rules, quotes: &quotes, atEnd: atEnd) else { return .wait }
            // A dot between digits or letters is not a sentence mark: 3.5, e.g.
            if quotes.isOpen { return isInnerDot(text) ? .goOn : .inner }
            phase = .gap
        }
        if phase == .gap {
            guard skipGap(text, atEnd: atEnd) else { return .wait }
            phase = .decision
        }
        return decide(text, rules: rules, atEnd: atEnd)
    }

    /// Consumes marks, and the quotes and brackets that close after them; false if the run may continue.
    private mutating func takeMarks(
        _ text: [Unicode.Scalar], speech: Int, rules: SentenceRules, quotes: inout QuoteStack, atEnd: Bool
    ) -> Bool {
        while cursor < text.count {
            let scalar = text[cursor]
            if rules.isMark(scalar) {
                endsInHardMark = !rules.isDot(scalar)
                if endsInHardMark { hardMarks += 1 } else { dots += scalar == "…" || scalar == "⋯" ? 3 : 1 }
                lastCloser = nil
                closedBracket = nil
            } else if scalar == " ", text[cursor - 1] == ".", lastCloser == nil {
                // ". . ." is an ellipsis with spaces.
                guard cursor + 1 < text.count else { return atEnd }
                guard text[cursor + 1] == "." else { return true }
            } else if quotes.wouldClose(scalar) {
                if scalar == "'" || scalar == "’" {
                    // Between letters it would be an apostrophe, but here a mark precedes it.
                    lastCloser = "’"
                } else {
                    lastCloser = scalar
                }
                closedBracket = quotes.close(scalar, speech: speech)
            } else if scalar == "*" || scalar == "_" || rules.isCloser(scalar) {
                if rules.isCloser(scalar) { lastCloser = scalar }
            } else {
                return true
            }
            cursor += 1
            end = cursor
        }
        return atEnd
    }

    private func isInnerDot(_ text: [Unicode.Scalar]) -> Bool {
        isFullStop && lastCloser == nil && end < text.count && text[end].isSpeech
    }

    /// Skips spaces, line breaks and emoji up to the next significant character.
    private mutating func skipGap(_ text: [Unicode.Scalar], atEnd: Bool) -> Bool {
        while cursor < text.count {
            let scalar = text[cursor]
            if scalar == "\n" {
                lineBreaks += 1
            } else if scalar.isEmojiPart, !isLineBreak, lineBreaks == 0 {
                end = cursor + 1
            } else if !scalar.isBlank {
                return true
            }
            cursor += 1
        }
        return atEnd
    }

    private func decide(_ text: [Unicode.Scalar], rules: SentenceRules, atEnd: Bool) -> Verdict {
        guard cursor < text.count else { return isLineBreak ? .lineEnd : .end }
        let next = text[cursor]
        if lineBreaks > 0 {
            // A single line break before a lower-case letter only wraps the line.
            if lineBreaks == 1, next.isLowercaseLetter { return .goOn }
            return isLineBreak ? .lineEnd : .end
        }
        let before: Unicode.Scalar = start > 0 ? text[start - 1] : " "
        let isNextToCJK = before.isCJK || next.isCJK || rules.isWideMark(text[start])
        if let verdict = afterCloser(next: next, rules: rules, isNextToCJK: isNextToCJK) { return verdict }
        if isEllipsis, isNextToCJK, lastCloser == nil { return .goOn }

        let hasGap = cursor > end
        if rules.isClauseMark(next) || rules.isMark(next) || !hasGap && rules.isCloser(next) && next != "“" {
            return .goOn
        }
        if "—–-―".unicodeScalars.contains(next) { return afterDash(text, atEnd: atEnd) }
        return hasGap
            ? afterBlank(text, next: next, rules: rules, atEnd: atEnd)
            : withoutBlank(next, before: before, isNextToCJK: isNextToCJK)
    }

    /// The verdict determined by a closing quote or bracket after the marks, if any.
    private func afterCloser(next: Unicode.Scalar, rules: SentenceRules, isNextToCJK: Bool) -> Verdict? {
        guard let lastCloser else { return nil }
        if lastCloser == "》" || lastCloser == "〉" { return .goOn }
        if ")]}）］】".unicodeScalars.contains(lastCloser) {
            guard let closedBracket else { return nil }
            if !closedBracket.heldSpeech || isNextToCJK && closedBracket.followedSpeech { return .goOn }
            return nil
        }
        return isNextToCJK && closesQuote && rules.continuesAfterQuote(next) ? .goOn : nil
    }

    private func afterDash(_ text: [Unicode.Scalar], atEnd: Bool) -> Verdict {
        var index = cursor + 1
        guard index < text.count || atEnd else { return .wait }
        if index < text.count, text[index] == " " { index += 1 }
        guard index < text.count else { return atEnd ? .end : .wait }
        return text[index].isLowercaseLetter ? .goOn : .end
    }

    private func withoutBlank(_ next: Unicode.Scalar, before: Unicode.Scalar, isNextToCJK: Bool) -> Verdict {
        if isNextToCJK {
            return isFullStop && (!before.isCJK && !next.isCJK || before.isDigit && next.isDigit) ? .goOn : .end
        }
        if "¿¡“«„「『‹".unicodeScalars.contains(next) { return .end }
        let closedABracket = lastCloser.map { ")]}）］】".unicodeScalars.contains($0) } ?? false
        return hardMarks > 0 && next.isUppercaseLetter && !closedABracket ? .end : .goOn
    }

    private func afterBlank(
        _ text: [Unicode.Scalar], next: Unicode.Scalar, rules: SentenceRules, atEnd: Bool
    ) -> Verdict {
        if next.isLowercaseLetter { return .goOn }
        if "([\"'".unicodeScalars.contains(next) {
            guard cursor + 1 < text.count || atEnd else { return .wait }
            if cursor + 1 < text.count, text[cursor + 1].isLowercaseLetter {
                if next == "(" || next == "[" { return .goOn }
                if !endsInHardMark { return .goOn }
            }
        }
        guard hardMarks == 0, lastCloser == nil else { return .end }
        let nextWord = { text.word(from: cursor, limit: 12, atEnd: atEnd) }
        if isEllipsis {
            guard rules.isEnglish else { return .end }
            guard let word = nextWord() else { return .wait }
            return rules.isFirstPerson(word) ? .goOn : .end
        }
        return rules.fullStop(
            after: wordBefore(text), isFirstWord: isFirstWord(text), next: next, nextWord: nextWord)
    }

    /// The word before the mark, including dots and apostrophes inside it.
    private func wordBefore(_ text: [Unicode.Scalar]) -> String {
        let first = firstOfWord(text)
        return String(String.UnicodeScalarView(text[first..<start]))
    }

    private func firstOfWord(_ text: [Unicode.Scalar]) -> Int {
        var first = start
        while first > sentenceStart, start - first < 24 {
            let scalar = text[first - 1]
            guard scalar.isSpeech && !scalar.isCJK || ".'’º°".unicodeScalars.contains(scalar) else { break }
            first -= 1
        }
        return first
    }

    private func isFirstWord(_ text: [Unicode.Scalar]) -> Bool {
        var index = firstOfWord(text)
        while index > sentenceStart, text[index - 1].properties.isWhitespace { index -= 1 }
        return index == sentenceStart
    }
}
