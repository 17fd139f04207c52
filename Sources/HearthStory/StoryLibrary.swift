internal import CHearthStories
internal import Foundation

/// The finished stories bundled with Hearth, available immediately and without a model.
package enum StoryLibrary {
    /// All stories of a language, in file order. Loaded on first access.
    package static func stories(in language: StoryLanguage) -> [FinishedStory] {
        switch language {
        case .english: english
        case .spanish: spanish
        case .simplifiedChinese: simplifiedChinese
        }
    }

    /// The story with that id.
    package static func story(_ id: String, in language: StoryLanguage) -> FinishedStory? {
        stories(in: language).first { $0.id == id }
    }

    /// A story for a wish: preferably one mainly about it, then one that includes it, then any.
    /// - Parameters:
    ///   - seed: selects among several; the same seed gives the same story in every run.
    ///   - told: ids of stories told recently; they are chosen only if there is no other.
    package static func story(
        for wish: Wish?, in language: StoryLanguage, seed: UInt64, except told: Set<String> = []
    ) -> FinishedStory? {
        let all = stories(in: language)
        let shelves = [
            all.filter { $0.wishes.first == wish?.id },
            all.filter { story in wish.map { story.wishes.contains($0.id) } ?? false },
            all,
        ]
        for shelf in shelves {
            let fresh = shelf.filter { !told.contains($0.id) }
            if let story = drawn(from: fresh, by: seed) { return story }
        }
        return drawn(from: shelves.first { !$0.isEmpty } ?? [], by: seed)
    }

    private static func drawn(from stories: [FinishedStory], by seed: UInt64) -> FinishedStory? {
        stories.isEmpty ? nil : stories[Int(Wishes.scattered(seed) % UInt64(stories.count))]
    }

    private static let english = read(.english)
    private static let spanish = read(.spanish)
    private static let simplifiedChinese = read(.simplifiedChinese)

    /// The files are part of this build and a test reads them; if they cannot be read, there are no stories instead of a crash.
    private static func read(_ language: StoryLanguage) -> [FinishedStory] {
        let bytes = hearth_stories(language.rawValue)
        guard let start = bytes.start,
            let file = try? JSONDecoder().decode(
                FinishedStory.File.self, from: Data(UnsafeBufferPointer(start: start, count: bytes.count))),
            file.version == 1, file.language == language
        else { return [] }
        return file.stories.map { FinishedStory($0, language) }
    }
}
