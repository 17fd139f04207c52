/// A story that is chosen by another one, instead of by a wish. It comes from the shelf: no model is asked.
package enum StoryChoice: Sendable, Equatable {
    /// The tale or finished story of that id; a tale in the wording of the seed: the same again.
    case story(FinishedStory.ID)
    /// Another one about the same wish: of a tale a tale, of a finished story a finished story.
    case like(FinishedStory.ID)
    /// Another evening with the friends of the tale of that id, as the seed tells it; the first evening was the tale.
    case after(Tale.ID, evening: Int)

    /// Evenings that can be asked for.
    package static let evenings = 2...365

    /// The story that it begins from.
    package var id: FinishedStory.ID {
        switch self {
        case .story(let id), .like(let id), .after(let id, _): id
        }
    }

    /// The wish that the story of its id is about.
    /// - Returns: nil where no story has that id, or where it is no tale and has to be one.
    package func wish(in language: StoryLanguage) -> Wish? {
        if let tale = TaleLibrary.tale(id, in: language) { return tale.wishes.first.flatMap(Wishes.wish) }
        if case .after = self { return nil }
        return StoryLibrary.story(id, in: language)?.wishes.first.flatMap(Wishes.wish)
    }

    /// The story.
    /// - Parameters:
    ///   - length: of a tale that is like another one, or that is told on another evening; nil for what the first one suggests.
    ///   - child: who bears the hero's name; of the evenings' tellers the first.
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
            // Those of the length first, a long one last where none is wanted, and none again before all were told.
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
