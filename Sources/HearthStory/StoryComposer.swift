package import HearthSpeech

/// Turns the text of one story, as it comes, into what screen and voice get. A pure value: text in, events out.
///
/// The screen gets whole sentences, none of them twice. The voice gets the first clause as soon as it is certain, so that
/// the first word is heard early, then the rest of that sentence, then sentence by sentence.
package struct StoryComposer: Sendable {
    private var sentences: SentenceChunker
    /// Looks for the first clause; nil when nothing is to come early any more.
    private var early: SentenceChunker?
    /// What was spoken of the first sentence already, as it was written.
    private var clause = ""
    private var repetitions = RepetitionFilter()
    private var gate: StoryGuard
    /// Sentences that were told.
    private(set) var told = 0
    /// Nothing of this story is told after its end.
    private(set) var hasEnded = false
    /// Whether the filter ended it.
    package var wasStopped: Bool { gate.hasEnded }

    package init(_ language: StoryLanguage) {
        sentences = SentenceChunker(language: language.rawValue)
        early = SentenceChunker(language: language.rawValue, mode: .speech(SpeechLimits()))
        gate = StoryGuard(language)
    }

    /// A title; what may not be shown is left out.
    package func title(_ text: String) -> [StoryEvent] {
        // It stands in the middle of a sentence in the list of wishes.
        gate.aside(text.prefix(1).uppercased() + text.dropFirst()).map { [.title($0)] } ?? []
    }

    /// What is explained to who listens.
    func notice(_ text: String) -> CheckedText? { gate.aside(text) }

    /// Takes the next piece of text, of any length.
    package mutating func feed(_ text: String) -> [StoryEvent] {
        guard !hasEnded else { return [] }
        let events = tell(sentences.feed(text))
        return hasEnded ? events : events + lookAhead(text)
    }

    /// Takes a whole sentence of a finished story: people repeat themselves on purpose.
    package mutating func feed(_ sentence: SentenceChunker.Sentence) -> [StoryEvent] { hasEnded ? [] : say(sentence) }

    /// The text is at its end. One that was cut off at a limit ends with its last whole sentence, if it has any.
    package mutating func finish(wasCut: Bool = false) -> [StoryEvent] {
        guard !hasEnded else { return [] }
        var rest = sentences.finish()
        if wasCut, told + rest.count > 1, let last = rest.last, !last.text.endsSentence { rest.removeLast() }
        let events = tell(rest)
        hasEnded = true
        return events
    }

    /// The story has to end here: half a sentence is left out, and `line` closes what was told.
    package mutating func close(with line: String) -> [StoryEvent] {
        guard !hasEnded else { return [] }
        var events: [StoryEvent] = []
        // A clause that was heard and whose sentence never came is let go; the line follows it.
        (early, clause) = (nil, "")
        if told > 0 { events = say(SentenceChunker.Sentence(text: line, startsParagraph: true)) }
        hasEnded = true
        return events
    }

    // MARK: - Telling

    private mutating func tell(_ complete: [SentenceChunker.Sentence]) -> [StoryEvent] {
        var events: [StoryEvent] = []
        for sentence in complete.compactMap({ repetitions.admit($0) }) where !hasEnded { events += say(sentence) }
        return events
    }

    private mutating func say(_ sentence: SentenceChunker.Sentence) -> [StoryEvent] {
        early = nil
        guard let passed = gate.sentence(sentence.text, spokenAlready: clause) else { return stop() }
        clause = ""
        told += 1
        let events = [StoryEvent.sentence(passed.shown, startsParagraph: sentence.startsParagraph && told > 1)]
        return events + (passed.spoken.map { [.spoken($0)] } ?? [])
    }

    /// The first clause goes to the voice alone, and only while its sentence is not complete.
    private mutating func lookAhead(_ text: String) -> [StoryEvent] {
        guard let first = early?.feed(text).first else { return [] }
        early = nil
        guard let checked = gate.clause(first.text) else { return stop() }
        clause = first.text
        return [.spoken(checked)]
    }

    private mutating func stop() -> [StoryEvent] {
        hasEnded = true
        return [.sentence(gate.lastWords, startsParagraph: told > 0), .spoken(gate.lastWords)]
    }
}

extension String {
    /// Whether it ends as sentences do, closing quotes aside.
    fileprivate var endsSentence: Bool {
        let marks: Set<Unicode.Scalar> = [".", "!", "?", "…", "。", "！", "？"]
        let closers: Set<Unicode.Scalar> = ["”", "\"", "’", "'", "»", ")", "」", "』", "）"]
        return unicodeScalars.reversed().first { !closers.contains($0) }.map(marks.contains) ?? false
    }
}
