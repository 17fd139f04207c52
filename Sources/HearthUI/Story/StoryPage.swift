package import HearthStory

/// The content of a story's page, built from its events: chapters, paragraphs, sentences, and the sentence being spoken. A
/// plain value: events in, page out.
///
/// A handover starts a new chapter: the model's text stays above the finished story.
package struct StoryPage: Sendable, Equatable {
    /// A sentence; `id` counts from 0 over the whole page.
    package struct Sentence: Sendable, Equatable, Identifiable {
        package let id: Int
        package var text: String
    }

    /// A paragraph; its id is the id of its first sentence.
    package struct Paragraph: Sendable, Equatable, Identifiable {
        package var sentences: [Sentence]
        package var id: Int { sentences.first?.id ?? 0 }
    }

    /// A title and its text; `id` counts down from -1, so that it never equals a paragraph's id.
    package struct Chapter: Sendable, Equatable, Identifiable {
        package let id: Int
        package var title: String?
        package var paragraphs: [Paragraph] = []
    }

    package let language: StoryLanguage
    package private(set) var chapters: [Chapter] = []
    /// One line below the story: why it pauses, or why another one is told.
    package private(set) var notice: String?
    /// Whether the story has ended.
    package private(set) var hasEnded = false
    /// The sentence being spoken; nil if none.
    package private(set) var heard: Sentence.ID?

    private var sentences = 0
    /// The sentence of each piece sent to the voice, in order; nil if its sentence never came.
    private var pieces: [Sentence.ID?] = []
    /// The last piece that started playing; -1 before the first.
    package private(set) var sounding = -1
    /// The sentence whose remainder is still to be spoken.
    private var open: Sentence.ID?

    package init(_ language: StoryLanguage) { self.language = language }

    /// Whether there is no text yet.
    package var isEmpty: Bool { sentences == 0 }

    /// The paragraph with the sentence being spoken.
    package var heardParagraph: Paragraph.ID? {
        guard let heard else { return nil }
        return chapters.lazy.flatMap(\.paragraphs).first { $0.sentences.contains { $0.id == heard } }?.id
    }

    /// Applies the next event of the story.
    package mutating func take(_ event: StoryEvent) {
        switch event {
        case .title(let title): chapters.append(Chapter(id: -1 - chapters.count, title: title.text))
        case .progress: break
        case .sentence(let text, let startsParagraph): add(text.text, startsParagraph)
        case .spoken:
            // A piece without a preceding sentence is the first clause of the next sentence.
            pieces.append(open ?? sentences)
            open = nil
        case .paused(let reason): notice = StoryPhrases(language).pause(reason)
        case .handover(let handover):
            // A clause whose sentence never came has no place on the page.
            pieces = pieces.map { $0 == sentences ? nil : $0 }
            if heard == sentences { heard = nil }
            open = nil
            notice = handover.notice?.text
        case .finished:
            hasEnded = true
            if chapters.count < 2 { notice = nil }
        }
    }

    /// Marks a piece as playing.
    /// - Parameter piece: its number, counted from 0 in the order of events. Pieces before the current one are ignored.
    package mutating func begin(piece: Int) {
        guard piece > sounding, pieces.indices.contains(piece) else { return }
        sounding = piece
        heard = pieces[piece]
    }

    /// Marks no sentence as being spoken.
    package mutating func endVoice() { heard = nil }

    private mutating func add(_ text: String, _ startsParagraph: Bool) {
        let sentence = Sentence(id: sentences, text: text)
        open = sentences
        sentences += 1
        if chapters.isEmpty { chapters.append(Chapter(id: -1)) }
        // The story resumed after a pause. The explanation of a second chapter stays.
        if chapters.count < 2 { notice = nil }
        let last = chapters.count - 1
        if startsParagraph || chapters[last].paragraphs.isEmpty {
            chapters[last].paragraphs.append(Paragraph(sentences: [sentence]))
        } else {
            chapters[last].paragraphs[chapters[last].paragraphs.count - 1].sentences.append(sentence)
        }
    }
}

extension StoryPage.Paragraph {
    /// A run of text, and whether it is the sentence being spoken.
    package struct Run: Sendable, Equatable {
        package var text: String
        package var isHeard: Bool

        package init(_ text: String, isHeard: Bool) { (self.text, self.isHeard) = (text, isHeard) }
    }

    /// The paragraph's text as runs; separators between sentences are never marked as spoken.
    package func runs(heard: StoryPage.Sentence.ID?, in language: StoryLanguage) -> [Run] {
        sentences.enumerated().flatMap { index, sentence in
            let gap = index == 0 ? "" : language.sentenceSeparator
            return (gap.isEmpty ? [] : [Run(gap, isHeard: false)])
                + [Run(sentence.text, isHeard: sentence.id == heard)]
        }
    }
}
