/// Collects the text of sentences and returns it sentence by sentence, or joined and cut to a speakable size.
///
/// The caller passes each character in order, the boundaries of sentences, and which marks are inside quotes; the packer finds
/// positions for cuts by itself. Positions are offsets into `text`; everything before `start` has been returned.
struct SpeechPacker: Sendable {
    /// How suitable a position is for cutting a long text; the strongest wins regardless of its location.
    private enum Strength: Int, CaseIterable {
        case comma, pause, innerMark
    }

    private struct Place {
        /// The offset after the mark and the spaces that follow it.
        var offset: Int
        /// The weight of the text before it.
        var weight: Int
        var strength: Strength
    }

    private let limits: SpeechLimits?
    private var finished: [SentenceChunker.Sentence] = []
    private var hasGivenOut = false

    // The buffered text.
    private var text: [Unicode.Scalar] = []
    private var start = 0
    private var weight = 0
    private var startsParagraph = false
    private var hasSpeech = false
    /// The offset where the current sentence starts.
    private var sentenceStart = 0
    private var places: [Place] = []
    private var lastBlank: (offset: Int, weight: Int)?
    /// Offsets of marks inside open quotes of this sentence: sentence ends if the quotes are never closed.
    private var innerEnds: [Int] = []
    /// A clause mark whose next character is not known yet, and whether it is inside quotes.
    private var openMark: (scalar: Unicode.Scalar, before: Unicode.Scalar?, isQuoted: Bool)?
    /// Where the first piece ends if anything follows on this line.
    private var earlyCut: Int?

    init(mode: SentenceChunker.Mode) {
        if case .speech(let limits) = mode { self.limits = limits } else { limits = nil }
    }

    /// The pieces completed since the last call.
    mutating func takeFinished() -> [SentenceChunker.Sentence] {
        // Drop returned text once per call, not once per piece.
        if start > 0 { dropFront() }
        defer { finished.removeAll() }
        return finished
    }

    // MARK: - Input

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
            // A cut comes after the spaces that follow its mark.
            if let last = places.last, last.offset == text.count - 1 { places[places.count - 1].offset = text.count }
            if earlyCut == text.count - 1 { earlyCut = text.count }
        } else if Self.isPause(scalar) || Self.isComma(scalar) {
            openMark = (scalar, before, isQuoted)
        } else if Self.isDash(scalar) {
            places.append(Place(offset: text.count, weight: weight, strength: .pause))
        }
    }

    /// Records that the last marks are inside quotes.
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

    /// Ends sentences at marks inside quotes that were never closed.
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

    /// Drops the text since the last sentence, because it contains no letters or digits.
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

    // MARK: - Cut positions

    /// Decides whether the last mark was a clause mark, now that the next character is known.
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

    /// Cuts before the character that would exceed the maximum weight.
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
        // A piece without a letter or digit is not returned yet: the text that follows may complete it.
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

    /// Collapses runs of white space to one space, and trims the text.
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
    /// Whether the next sentence follows it without a space.
    fileprivate var isCJKMarkOrLetter: Bool { isCJK || "。！？｡．」』》〉）】”’…".unicodeScalars.contains(self) }
}
