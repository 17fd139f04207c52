package import HearthStory

/// A story as it stands on the screen, made of its events: chapters, paragraphs, sentences, and the sentence that is heard. A plain
/// value: events in, page out.
///
/// A handover begins a new chapter: what the model told stays above the finished story.
package struct StoryPage: Sendable, Equatable {
    /// One sentence; `id` counts from 0 through the whole page.
    package struct Sentence: Sendable, Equatable, Identifiable {
        package let id: Int
        package var text: String
    }

    /// Sentences that stand together; named by the first of them.
    package struct Paragraph: Sendable, Equatable, Identifiable {
        package var sentences: [Sentence]
        package var id: Int { sentences.first?.id ?? 0 }
    }

    /// A title, and what follows it; `id` counts downwards from -1, so that it names no paragraph.
    package struct Chapter: Sendable, Equatable, Identifiable {
        package let id: Int
        package var title: String?
        package var paragraphs: [Paragraph] = []
    }

    package let language: StoryLanguage
    package private(set) var chapters: [Chapter] = []
    /// One line below the story: why it waits, or why another one is told.
    package private(set) var notice: String?
    /// Whether the story is at its end.
    package private(set) var hasEnded = false
    /// The sentence that is heard now; nil where nothing is.
    package private(set) var heard: Sentence.ID?

    private var sentences = 0
    /// The sentence of each piece that was given to the voice, in their order; nil for one whose sentence never came.
    private var pieces: [Sentence.ID?] = []
    /// The last piece that began to sound.
    private var sounding = -1
    /// The sentence whose rest is still to be spoken.
    private var open: Sentence.ID?

    package init(_ language: StoryLanguage) { self.language = language }

    /// Whether there is nothing to read yet.
    package var isEmpty: Bool { sentences == 0 }

    /// The paragraph with the sentence that is heard.
    package var heardParagraph: Paragraph.ID? {
        guard let heard else { return nil }
        return chapters.lazy.flatMap(\.paragraphs).first { $0.sentences.contains { $0.id == heard } }?.id
    }

    /// Takes the next event of the story.
    package mutating func take(_ event: StoryEvent) {
        switch event {
        case .title(let title): chapters.append(Chapter(id: -1 - chapters.count, title: title.text))
        case .progress: break
        case .sentence(let text, let startsParagraph): add(text.text, startsParagraph)
        case .spoken:
            // A piece without a sentence before it is the first clause of the sentence that comes next.
            pieces.append(open ?? sentences)
            open = nil
        case .paused(let reason): notice = StoryPhrases(language).pause(reason)
        case .handover(let handover):
            // A clause whose sentence never came belongs to nothing on the page.
            pieces = pieces.map { $0 == sentences ? nil : $0 }
            if heard == sentences { heard = nil }
            open = nil
            notice = handover.notice?.text
        case .finished:
            hasEnded = true
            if chapters.count < 2 { notice = nil }
        }
    }

    /// A piece begins to sound.
    /// - Parameter piece: counted from 0, in the order of the events. One that was overtaken by a later one changes nothing.
    package mutating func begin(piece: Int) {
        guard piece > sounding, pieces.indices.contains(piece) else { return }
        sounding = piece
        heard = pieces[piece]
    }

    /// The voice is silent.
    package mutating func endVoice() { heard = nil }

    private mutating func add(_ text: String, _ startsParagraph: Bool) {
        let sentence = Sentence(id: sentences, text: text)
        open = sentences
        sentences += 1
        if chapters.isEmpty { chapters.append(Chapter(id: -1)) }
        // The story goes on after a pause. What explains a second chapter stays.
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
    /// A stretch of text, and whether it is the sentence that is heard.
    package struct Run: Sendable, Equatable {
        package var text: String
        package var isHeard: Bool

        package init(_ text: String, isHeard: Bool) { (self.text, self.isHeard) = (text, isHeard) }
    }

    /// The paragraph's text in stretches; between two sentences stands what the language puts there, which is never marked.
    package func runs(heard: StoryPage.Sentence.ID?, in language: StoryLanguage) -> [Run] {
        sentences.enumerated().flatMap { index, sentence in
            let gap = index == 0 ? "" : language.sentenceSeparator
            return (gap.isEmpty ? [] : [Run(gap, isHeard: false)])
                + [Run(sentence.text, isHeard: sentence.id == heard)]
        }
    }
}
