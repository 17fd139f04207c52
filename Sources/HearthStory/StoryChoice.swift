/// A story selected by its relation to another one instead of by a wish. It comes from the library, without a model.
package enum StoryChoice: Sendable, Equatable {
    /// The tale or finished story with that id; the seed determines a tale's wording, so that it can be repeated.
    case story(FinishedStory.ID)
    /// Another story about the same wish: a tale for a tale, a finished story for a finished story.
    case like(FinishedStory.ID)
    /// A later evening with the characters of the tale with that id, told from the seed; the tale itself is the first evening.
    case after(Tale.ID, evening: Int)

    /// The evening numbers that can be requested.
    package static let evenings = 2...365

    /// The id of the story it refers to.
    package var id: FinishedStory.ID {
        switch self {
        case .story(let id), .like(let id), .after(let id, _): id
        }
    }

    /// The main wish of the story with that id.
    /// - Returns: nil if no story has that id, or if a tale is required and it is not one.
    package func wish(in language: StoryLanguage) -> Wish? {
        if let tale = TaleLibrary.tale(id, in: language) { return tale.wishes.first.flatMap(Wishes.wish) }
        if case .after = self { return nil }
        return StoryLibrary.story(id, in: language)?.wishes.first.flatMap(Wishes.wish)
    }

    /// Returns the selected story.
    /// - Parameters:
    ///   - length: the length of a tale for `like` and `after`; nil to choose it by the first tale's length.
    ///   - child: gives the hero its name; on later evenings, the storyteller of the frame.
    ///   - seed: equal seeds give equal stories.
    func story(
        in language: StoryLanguage, length: StoryLength?, child: StoryChild?, seed: UInt64
    ) -> FinishedStory? {
        guard let tale = TaleLibrary.tale(id, in: language) else { return finished(language, seed) }
        let telling = TaleLibrary.tellingSeed(seed)
        let length = length ?? (tale.length == .long ? .long : nil)
        switch self {
        case .story: return tale.told(seed: telling, child: child)
        case .like:
            let others = Self.others(than: tale)
            return TaleLibrary.drawn(from: others, length: length, seed: seed)?.told(seed: telling, child: child)
        case .after(_, let evening):
            let others = Self.others(than: tale)
            guard evening >= 2, !others.isEmpty else { return nil }
            // Tales of the requested length first, long ones last if no length is given; none repeats before all have been
            // told.
            let first = Int(telling % UInt64(others.count))
            let turned = others[first...] + others[..<first]
            let order =
                turned.filter { $0.length == length } + turned.filter { ![length, .long].contains($0.length) }
                + turned.filter { $0.length == .long && length != .long }
            return TaleEvening(tale, child: child, seed: telling).told(
                order[(evening - 2) % order.count], evening: evening)
        }
    }

    private func finished(_ language: StoryLanguage, _ seed: UInt64) -> FinishedStory? {
        guard let story = StoryLibrary.story(id, in: language) else { return nil }
        return switch self {
        case .story: story
        case .like:
            StoryLibrary.story(
                for: story.wishes.first.flatMap(Wishes.wish), in: language, seed: seed, except: [id])
        case .after: nil
        }
    }

    private static func others(than tale: Tale) -> [Tale] {
        tale.wishes.first.map { TaleLibrary.tales(about: $0, in: tale.language).filter { $0.id != tale.id } } ?? []
    }
}
