internal import CHearthStories
internal import Foundation

/// The tales bundled with Hearth, one file for each wish and language.
package enum TaleLibrary {
    /// The tales about a wish; empty if the wish has no file.
    package static func tales(about wish: Wish.ID, in language: StoryLanguage) -> [Tale] {
        let bytes = bytes(about: wish, in: language)
        // The files are part of this build and a test reads them; a line that cannot be parsed discards the file instead of
        // crashing.
        return bytes.isEmpty ? [] : TaleFile.tales(String(decoding: bytes, as: UTF8.self), in: language) ?? []
    }

    /// The tale with that id.
    package static func tale(_ id: Tale.ID, in language: StoryLanguage) -> Tale? {
        // Parsing all files would take a tenth of a second.
        let heading = Data("# \(id)\n".utf8)
        for wish in Wishes.all where Data(bytes(about: wish.id, in: language)).range(of: heading) != nil {
            if let tale = tales(about: wish.id, in: language).first(where: { $0.id == id }) { return tale }
        }
        return nil
    }

    private static func bytes(about wish: Wish.ID, in language: StoryLanguage) -> UnsafeBufferPointer<UInt8> {
        let bytes = hearth_tales(language.rawValue, wish)
        return UnsafeBufferPointer(start: bytes.start, count: bytes.count)
    }

    /// A telling of one of the tales about a wish.
    /// - Parameters:
    ///   - length: nil for any but a long one; if no tale has the requested length, the nearest one is chosen.
    ///   - seed: equal seeds give equal stories.
    package static func story(
        for wish: Wish.ID, in language: StoryLanguage, length: StoryLength?, child: StoryChild?, seed: UInt64
    ) -> FinishedStory? {
        drawn(from: tales(about: wish, in: language), length: length, seed: seed)?
            .told(seed: tellingSeed(seed), child: child)
    }

    /// The plan of one of the tales about a wish, for a model to tell: the tale and the cast are those of
    /// ``story(for:in:length:child:seed:)``.
    static func plan(
        for wish: Wish.ID, in language: StoryLanguage, length: StoryLength?, child: StoryChild?, seed: UInt64
    ) -> TalePlan? {
        drawn(from: tales(about: wish, in: language), length: length, seed: seed)?
            .plan(seed: tellingSeed(seed), child: child)
    }

    /// The tale selected by a seed.
    static func drawn(from all: [Tale], length: StoryLength?, seed: UInt64) -> Tale? {
        let fitting = all.filter { length.map { [$0] }?.contains($0.length) ?? ($0.length != .long) }
        // A medium tale is nearer to a short one than a long one is, which takes four times as long, and the other way round.
        let nearest = fitting.isEmpty ? all.filter { $0.length == .medium } : fitting
        let tales = nearest.isEmpty ? all : nearest
        return tales.isEmpty ? nil : tales[Int(tellingSeed(seed) % UInt64(tales.count))]
    }

    /// The seed of a tale's wordings, derived from the request's seed.
    package static func tellingSeed(_ seed: UInt64) -> UInt64 { Wishes.scattered(seed) }
}
