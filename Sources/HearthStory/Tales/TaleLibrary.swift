internal import CHearthStories

/// The tales that come with Hearth, a file for each wish and language.
package enum TaleLibrary {
    /// The tales about a wish; none for a wish without a file.
    package static func tales(about wish: Wish.ID, in language: StoryLanguage) -> [Tale] {
        let bytes = hearth_tales(language.rawValue, wish)
        guard let start = bytes.start else { return [] }
        let text = String(decoding: UnsafeBufferPointer(start: start, count: bytes.count), as: UTF8.self)
        // The files are part of this build and a test reads them; a line that cannot be read costs the file, and no crash.
        return TaleFile.tales(text, in: language) ?? []
    }

    /// A telling of one of the tales about a wish.
    /// - Parameters:
    ///   - length: nil for any but a long one; where no tale is as long as wanted, one of another length.
    ///   - seed: equal seeds give equal stories.
    package static func story(
        for wish: Wish.ID, in language: StoryLanguage, length: StoryLength?, child: StoryChild?, seed: UInt64
    ) -> FinishedStory? {
        let all = tales(about: wish, in: language)
        let fitting = all.filter { length.map { [$0] }?.contains($0.length) ?? ($0.length != .long) }
        let tales = fitting.isEmpty ? all : fitting
        guard !tales.isEmpty else { return nil }
        let drawn = Wishes.scattered(seed)
        return tales[Int(drawn % UInt64(tales.count))].told(seed: drawn, child: child)
    }
}
