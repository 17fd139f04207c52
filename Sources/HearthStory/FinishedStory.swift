package import HearthSpeech

/// A story that was written in advance, told when no model can tell one.
public struct FinishedStory: Sendable, Equatable, Identifiable {
    /// An id such as `the-lowest-note`; unique within its language, and permanent.
    public let id: String
    /// The language that it was written in; no story is a translation.
    package let language: StoryLanguage
    /// As it stands above the story.
    package let title: String
    /// Ids of the wishes that it grants, the one that it is about first.
    package let wishes: [Wish.ID]
    /// What it is like: `sea`, `funny`, `patience`.
    package let tags: [String]
    /// Words, or characters without punctuation in Chinese.
    package let length: Int
    /// Paragraphs, with an empty line between two.
    package let text: String

    /// The story as it is told, sentence by sentence.
    package var sentences: [SentenceChunker.Sentence] {
        var chunker = SentenceChunker(language: language.rawValue)
        return chunker.feed(text) + chunker.finish()
    }
}

extension FinishedStory {
    /// A file of finished stories; its form is fixed by `version`.
    struct File: Decodable {
        struct Entry: Decodable {
            var id: String
            var title: String
            var wishes: [String]
            var tags: [String]
            var length: Int
            var text: String
        }

        var version: Int
        var language: StoryLanguage
        var lengthUnit: String
        var stories: [Entry]
    }

    init(_ entry: File.Entry, _ language: StoryLanguage) {
        (id, title, text, length) = (entry.id, entry.title, entry.text, entry.length)
        (wishes, tags) = (entry.wishes, entry.tags)
        self.language = language
    }
}
