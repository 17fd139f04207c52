package import HearthSpeech

/// Turns the streamed text of one story into events for screen and voice. A value type without side effects.
///
/// The screen gets whole sentences without repetitions. The voice gets the first clause as soon as it is complete, to start
/// speaking early, then the rest of that sentence, then whole sentences.
package struct StoryComposer: Sendable {
    private var sentences: SentenceChunker
    /// Finds the first clause; nil once nothing is to be spoken early.
    private var early: SentenceChunker?
    /// The part of the current sentence that was already spoken, as written.
    private var clause = ""
    private var repetitions = RepetitionFilter()
    /// Fills the slots of the text; nil if it has none.
    private var filler: SlotFiller?
    private var gate: StoryGuard
    /// The number of sentences told.
    private(set) var told = 0
    /// The number of sentences dropped because a slot could not be filled.
    private var spoiled = 0
    /// The most sentences that a story may lack.
    private static let mostSpoiled = 2
    /// Whether too many sentences were dropped; none is told after that.
    var lacksTooMuch: Bool { spoiled > Self.mostSpoiled }
    /// Whether the story has ended; later input is ignored.
    private(set) var hasEnded = false
    /// Whether the filter stopped the story.
    package var wasStopped: Bool { gate.hasEnded }

    package init(_ language: StoryLanguage) {
        sentences = SentenceChunker(language: language.rawValue)
        early = SentenceChunker(language: language.rawValue, mode: .speech(SpeechLimits()))
        gate = StoryGuard(language)
    }

    /// Returns the event for a title; none if the filter rejects it.
    package func title(_ text: String) -> [StoryEvent] {
        // In the list of wishes it is written for the middle of a sentence.
        gate.aside(text.prefix(1).uppercased() + text.dropFirst()).map { [.title($0)] } ?? []
    }

    /// Returns a filtered explanation for the listener; nil if the filter rejects it.
    func notice(_ text: String) -> CheckedText? { gate.aside(text) }

    /// Fills the slots of the text from here on.
    package mutating func fill(with filler: SlotFiller) { self.filler = filler }

    /// Processes the next piece of text, of any length.
    package mutating func feed(_ text: String) -> [StoryEvent] {
        guard !hasEnded else { return [] }
        let text = filler?.feed(text) ?? text
        let events = tell(sentences.feed(text))
        return hasEnded ? events : events + lookAhead(text)
    }

    /// Processes a whole sentence of a finished story. Repetitions are kept: they are intentional there.
    package mutating func feed(_ sentence: SentenceChunker.Sentence) -> [StoryEvent] { hasEnded ? [] : say(sentence) }

    /// Ends the text. If it was cut off at a limit, an incomplete last sentence is dropped, unless it is the only one.
    package mutating func finish(wasCut: Bool = false) -> [StoryEvent] {
        guard !hasEnded else { return [] }
        var rest = (filler?.finish()).map { sentences.feed($0) } ?? []
        rest += sentences.finish()
        if wasCut, told + rest.count > 1, let last = rest.last, !last.text.endsSentence { rest.removeLast() }
        let events = tell(rest)
        hasEnded = true
        return events
    }

    /// Ends the story early: drops the incomplete sentence, and closes what was told with `line`.
    package mutating func close(with line: String) -> [StoryEvent] {
        guard !hasEnded else { return [] }
        var events: [StoryEvent] = []
        // A clause that was spoken stays incomplete; the line follows it.
        (early, clause) = (nil, "")
        if told > 0 { events = say(SentenceChunker.Sentence(text: line, startsParagraph: true)) }
        hasEnded = true
        return events
    }

    // MARK: - Telling

    private mutating func tell(_ complete: [SentenceChunker.Sentence]) -> [StoryEvent] {
        var events: [StoryEvent] = []
        for sentence in complete where !hasEnded && !lacksTooMuch {
            if isSpoiled(sentence.text) {
                spoil(sentence)
            } else if let sentence = repetitions.admit(sentence) {
                events += say(sentence)
            }
        }
        return events
    }

    /// Whether a slot of the text could not be filled.
    private func isSpoiled(_ text: String) -> Bool { filler != nil && text.unicodeScalars.contains(SlotFiller.fault) }

    /// Drops a sentence. What was spoken of it stays incomplete.
    private mutating func spoil(_ sentence: SentenceChunker.Sentence) {
        repetitions.skip(sentence)
        (early, clause) = (nil, "")
        spoiled += 1
    }

    private mutating func say(_ sentence: SentenceChunker.Sentence) -> [StoryEvent] {
        early = nil
        guard let passed = gate.sentence(sentence.text, spokenAlready: clause) else { return stop() }
        clause = ""
        told += 1
        let events = [StoryEvent.sentence(passed.shown, startsParagraph: sentence.startsParagraph && told > 1)]
        return events + (passed.spoken.map { [.spoken($0)] } ?? [])
    }

    /// Sends the first clause to the voice only, and only while its sentence is incomplete.
    private mutating func lookAhead(_ text: String) -> [StoryEvent] {
        guard let first = early?.feed(text).first else { return [] }
        early = nil
        guard !isSpoiled(first.text) else { return [] }
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
    /// Whether it ends with sentence-ending punctuation, ignoring closing quotes.
    fileprivate var endsSentence: Bool {
        let marks: Set<Unicode.Scalar> = [".", "!", "?", "…", "。", "！", "？"]
        let closers: Set<Unicode.Scalar> = ["”", "\"", "’", "'", "»", ")", "」", "』", "）"]
        return unicodeScalars.reversed().first { !closers.contains($0) }.map(marks.contains) ?? false
    }
}
