internal import Foundation
internal import HearthSystem

/// The subject of a story, from a curated list.
///
/// A child picks a wish and types nothing. This keeps the model's input short, friendly and known in advance.
public struct Wish: Sendable, Equatable, Identifiable, Decodable {
    /// Whether the wish is about a living being or a thing.
    package enum Kind: String, Sendable, Decodable {
        /// A person or an animal.
        case being
        /// A thing or a place.
        case thing
    }

    /// An id such as `friendly-dragon`; permanent.
    public let id: String
    /// Whether it is a living being or a thing.
    package let kind: Kind
    /// English words, at least one of which names the wish in a story about it.
    package let keywords: [String]
    /// Titles by `StoryLanguage.rawValue`.
    private let titles: [String: String]

    private enum CodingKeys: String, CodingKey {
        case id, kind, keywords
        case titles = "title"
    }

    /// The title as used in the middle of a sentence, such as "a friendly dragon".
    public func title(in language: StoryLanguage) -> String { titles[language.rawValue] ?? titles["en"] ?? id }
}

/// The curated wishes.
public enum Wishes {
    /// All wishes, in the order in which they are offered.
    public static let all: [Wish] = {
        struct List: Decodable { var wishes: [Wish] }
        // The resource is part of this build and a test reads it; if it cannot be read, there are no wishes instead of a crash.
        return (try? JSONDecoder().decode(List.self, from: Data(PackageResources.wishes_json)))?.wishes ?? []
    }()

    /// The wish with that id; nil if there is none.
    public static func wish(_ id: String) -> Wish? { all.first { $0.id == id } }

    /// The wish selected by a seed; the same in every run and on every machine.
    package static func drawn(by seed: UInt64) -> Wish? {
        all.isEmpty ? nil : all[Int(scattered(seed) % UInt64(all.count))]
    }

    /// One step of SplitMix64, so that consecutive seeds give unrelated values.
    static func scattered(_ seed: UInt64) -> UInt64 {
        var random = SplitMix64(seed: seed)
        return random.next()
    }
}
