package import HearthSpeech

/// A story written in advance, told when no model can tell one.
package struct FinishedStory: Sendable, Equatable, Identifiable {
    /// A permanent id such as `the-lowest-note`, unique within its language.
    package let id: String
    /// The language it was written in; stories are never translations.
    package let language: StoryLanguage
    /// The title displayed above the story.
    package let title: String
    /// Ids of the wishes it matches; the main one comes first.
    package let wishes: [Wish.ID]
    /// Tags such as `sea`, `funny`, `patience`.
    package let tags: [String]
    /// The length in words; for Chinese, in characters without punctuation.
    package let length: Int
    /// Paragraphs, separated by empty lines.
    package let text: String

    /// The story split into sentences.
    package var sentences: [SentenceChunker.Sentence] {
        var chunker = SentenceChunker(language: language.rawValue)
        return chunker.feed(text) + chunker.finish()
    }
}

extension FinishedStory {
    /// A file of finished stories; `version` identifies its format.
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
