internal import Foundation
internal import HearthSystem

/// What a story is about: an entry of the curated list.
///
/// A child picks a wish; nothing is typed. That keeps what reaches the model short, kind and known beforehand.
public struct Wish: Sendable, Equatable, Identifiable, Decodable {
    /// Whether the wish is someone or something.
    public enum Kind: String, Sendable, Decodable {
        case being, thing
    }

    /// Such as `friendly-dragon`; never changes.
    public let id: String
    /// Someone or something.
    public let kind: Kind
    /// English words, at least one of which names the wish in a story about it.
    public let keywords: [String]
    /// Keyed by `StoryLanguage.rawValue`.
    private let titles: [String: String]

    private enum CodingKeys: String, CodingKey {
        case id, kind, keywords
        case titles = "title"
    }

    /// Such as "a friendly dragon": as it stands in the middle of a sentence.
    public func title(in language: StoryLanguage) -> String { titles[language.rawValue] ?? titles["en"] ?? id }
}

/// The curated wishes.
public enum Wishes {
    /// All of them, in the order in which they are offered. The list is compiled into the program.
    public static let all: [Wish] = {
        struct List: Decodable { var wishes: [Wish] }
        // The resource is part of this build and a test reads it; without it there is no wish, and no crash.
        return (try? JSONDecoder().decode(List.self, from: Data(PackageResources.wishes_json)))?.wishes ?? []
    }()

    /// The wish of that id.
    public static func wish(_ id: String) -> Wish? { all.first { $0.id == id } }

    /// The wish that a seed stands for; the same one in every run and on every machine.
    public static func drawn(by seed: UInt64) -> Wish? {
        all.isEmpty ? nil : all[Int(scattered(seed) % UInt64(all.count))]
    }

    /// One step of SplitMix64 (Steele, Lea, Flood 2014): neighbouring seeds land far apart.
    static func scattered(_ seed: UInt64) -> UInt64 {
        var z = seed &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
