/// Collects the text of sentences and gives it out: sentence by sentence, or joined and cut to a speakable size.
///
/// It is told each character in order, where sentences begin and end, and which marks stand inside quotes; whether
/// a place may be cut it finds out itself. Places are offsets into `text`, of which everything before `start` is out.
struct SpeechPacker: Sendable {
    /// How good a place is to cut a text that is too long; a better one wins wherever it is.
    private enum Strength: Int, CaseIterable {
        case comma, pause, innerMark
    }

    private struct Place {
        /// Behind the mark and its blanks.
        var offset: Int
        /// Of the text before it.
        var weight: Int
        var strength: Strength
    }

    private let limits: SpeechLimits?
    private var finished: [SentenceChunker.Sentence] = []
    private var hasGivenOut = false

    // What is held.
    private var text: [Unicode.Scalar] = []
    private var start = 0
    private var weight = 0
    private var startsParagraph = false
    private var hasSpeech = false
    /// Where the sentence begins that has not ended, and the weight before it.
    private var sentenceStart = 0
    private var places: [Place] = []
    private var lastBlank: (offset: Int, weight: Int)?
    /// Marks inside open quotes of this sentence: ends, if the quotes are never closed.
    private var innerEnds: [Int] = []
    /// A comma or the like whose next character is not known yet; whether it stands inside quotes.
    private var openMark: (scalar: Unicode.Scalar, before: Unicode.Scalar?, isQuoted: Bool)?
    /// Where the first piece ends if anything follows on this line.
    private var earlyCut: Int?

    init(mode: SentenceChunker.Mode) {
        if case .speech(let limits) = mode { self.limits = limits } else { limits = nil }
    }

    /// What is complete since the last time.
    mutating func takeFinished() -> [SentenceChunker.Sentence] {
        // Once a call, not once a piece: what is out is dropped from the front.
        if start > 0 { dropFront() }
        defer { finished.removeAll() }
        return finished
    }

    // MARK: - Being told

    mutating func beginSentence(startsParagraph: Bool) {
        guard !hasSpeech else { return }
        self.startsParagraph = startsParagraph && hasGivenOut
    }

    mutating func take(_ scalar: Unicode.Scalar, isQuoted: Bool) {
        guard limits != nil else { return append(scalar) }
        settleMark(before: scalar)
        if !scalar.isBlank, let cut = earlyCut {
            earlyCut = nil
            giveOut(upTo: cut)
        }
        if scalar.isSpeech { makeRoom(for: scalar) }
        let before = text.last
        append(scalar)
        if scalar.isBlank {
            lastBlank = (text.count, weight)
            // A place lies behind its blanks.
            if let last = places.last, last.offset == text.count - 1 { places[places.count - 1].offset = text.count }
            if earlyCut == text.count - 1 { earlyCut = text.count }
        } else if Self.isPause(scalar) || Self.isComma(scalar) {
            openMark = (scalar, before, isQuoted)
        } else if Self.isDash(scalar) {
            places.append(Place(offset: text.count, weight: weight, strength: .pause))
        }
    }

    /// The marks taken in last stand inside quotes.
    mutating func markInside(endsSentenceIfUnclosed: Bool) {
        if endsSentenceIfUnclosed { innerEnds.append(text.count) }
        if limits != nil { places.append(Place(offset: text.count, weight: weight, strength: .innerMark)) }
    }

    mutating func endSentence(endsLine: Bool) {
        openMark = nil
        earlyCut = nil
        innerEnds.removeAll()
        let minimum = limits.map { hasGivenOut ? $0.minimum : $0.firstMinimum } ?? 0
        if endsLine || weight >= minimum {
            giveOut(upTo: text.count)
        } else if let last = text.last, !last.isBlank, !last.isCJKMarkOrLetter {
            append(" ")
        }
        sentenceStart = text.count
    }

    /// Quotes that were never closed have not been quotes: the marks inside them are ends.
    mutating func endSentencesAtInnerMarks() {
        let ends = innerEnds
        innerEnds.removeAll()
        let minimum = limits.map { hasGivenOut ? $0.minimum : $0.firstMinimum } ?? 0
        var sum = 0
        var counted = start
        for end in ends {
            sum += text[counted..<end].reduce(0) { $0 + $1.weight }
            counted = end
            guard sum >= max(1, minimum) else { continue }
            giveOut(upTo: end)
            sum = 0
        }
    }

    /// What was taken in since the last sentence has nothing to say.
    mutating func dropSentence() {
        text.removeSubrange(max(start, sentenceStart)...)
        openMark = nil
        innerEnds.removeAll()
        places.removeAll { $0.offset > sentenceStart }
    }

    mutating func finish() -> [SentenceChunker.Sentence] {
        giveOut(upTo: text.count)
        return takeFinished()
    }

    // MARK: - Places to cut

    /// Now that the next character is known: was it a clause mark?
    private mutating func settleMark(before next: Unicode.Scalar) {
        guard let mark = openMark else { return }
        openMark = nil
        if mark.scalar.value < 0x80 {
            guard next.isBlank || next.isCJK || mark.before?.isCJK ?? false else { return }
        } else if mark.before?.isDigit ?? false, next.isDigit {
            return
        }
        places.append(
            Place(offset: text.count, weight: weight, strength: Self.isComma(mark.scalar) ? .comma : .pause))
        if let limits, !hasGivenOut, !mark.isQuoted, earlyCut == nil, weight >= limits.firstMinimum {
            earlyCut = text.count
        }
    }

    private static func isComma(_ scalar: Unicode.Scalar) -> Bool { ",，、،".unicodeScalars.contains(scalar) }
    private static func isPause(_ scalar: Unicode.Scalar) -> Bool { ";:；：؛".unicodeScalars.contains(scalar) }
    private static func isDash(_ scalar: Unicode.Scalar) -> Bool { "—–…".unicodeScalars.contains(scalar) }

    /// Cuts before the character that would make the piece too heavy.
    private mutating func makeRoom(for scalar: Unicode.Scalar) {
        guard let limits else { return }
        while weight > 0 {
            let limit = hasGivenOut ? limits.maximum : limits.firstMaximum
            guard weight + scalar.weight > limit else { return }
            let cut = forcedCut(limit: limit, next: scalar)
            guard cut > start else { return }
            giveOut(upTo: cut)
        }
    }

    private func forcedCut(limit: Int, next: Unicode.Scalar) -> Int {
        for strength in Strength.allCases.reversed() {
            let best = places.last { $0.strength == strength && $0.weight * 3 >= limit && $0.offset <= text.count }
            if let best { return best.offset }
        }
        if let lastBlank, lastBlank.weight > 0 { return lastBlank.offset }
        return graphemeStart(next)
    }

    /// The end of the text, unless `next` would be part of its last grapheme cluster.
    private func graphemeStart(_ next: Unicode.Scalar) -> Int {
        var tail = String.UnicodeScalarView(text[start...].suffix(Self.longestCluster))
        tail.append(next)
        let last = String(tail).last?.unicodeScalars.count ?? 1
        return text.count - (last - 1)
    }

    private static let longestCluster = 64

    // MARK: - Text

    private mutating func append(_ scalar: Unicode.Scalar) {
        text.append(scalar)
        let added = scalar.weight
        weight += added
        if added > 0 { hasSpeech = true }
    }

    private mutating func giveOut(upTo end: Int) {
        guard end > start else { return }
        let piece = text[start..<end]
        // Without a letter or digit there is nothing to hear; what follows may change that.
        guard piece.contains(where: \.isSpeech) else { return }
        finished.append(SentenceChunker.Sentence(text: Self.tidy(piece), startsParagraph: startsParagraph))
        hasGivenOut = true
        startsParagraph = false
        start = end
        let gone = piece.reduce(0) { $0 + $1.weight }
        weight -= gone
        hasSpeech = weight > 0
        sentenceStart = max(sentenceStart, end)
        places = places.compactMap {
            $0.offset <= end ? nil : Place(offset: $0.offset, weight: $0.weight - gone, strength: $0.strength)
        }
        lastBlank = lastBlank.flatMap { $0.offset <= end ? nil : ($0.offset, $0.weight - gone) }
        if let first = innerEnds.first, first <= end { innerEnds.removeAll { $0 <= end } }
        earlyCut = nil
    }

    private mutating func dropFront() {
        text.removeFirst(start)
        sentenceStart = max(0, sentenceStart - start)
        for index in places.indices { places[index].offset -= start }
        for index in innerEnds.indices { innerEnds[index] -= start }
        if let last = lastBlank { lastBlank = (last.offset - start, last.weight) }
        if let cut = earlyCut { earlyCut = cut - start }
        start = 0
    }

    /// One blank for each run of white space, none around the text.
    private static func tidy(_ piece: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        for scalar in piece {
            let isBlank = scalar.properties.isWhitespace
            if isBlank, text.last.map({ $0 == " " }) ?? true { continue }
            text.append(isBlank ? " " : scalar)
        }
        if text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// What joins to the next sentence without a blank.
    fileprivate var isCJKMarkOrLetter: Bool { isCJK || "。！？｡．」』》〉）】”’…".unicodeScalars.contains(self) }
}
