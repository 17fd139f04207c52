internal import HearthStory

/// The fields of a story request, named like the options of `hearth story`.
struct StoryFields: Decodable {
    /// What tells the story.
    enum Source: String, CaseIterable { case auto, model, library }

    /// Has no seed if none was sent.
    var request: StoryRequest
    var source: Source
    /// The requested evening; nil if the story is not a continuation.
    var evening: Int? { if case .after(_, let evening) = request.choice { evening } else { nil } }

    private enum Keys: String, CodingKey {
        case wish, language, seed, name, pronoun, length, source, story, like, after, evening
    }
    private typealias Fields = KeyedDecodingContainer<Keys>

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        let language = try StoryLanguage(tag: try fields.decodeIfPresent(String.self, forKey: .language))
        source = try Self.choice(.source, fields) ?? .auto
        let choice = try Self.story(fields)
        let wish = try Self.wish(fields, choice, language)
        if choice != nil, source == .model {
            throw HTTPFailure.field("source", "cannot be model for a finished story or a tale.")
        }
        request = StoryRequest(.wish(wish), in: language)
        request.seed = try fields.number(.seed, in: 0...UInt64(Int64.max))
        request.choice = choice
        request.length = try Self.choice(.length, fields)
        request.child = try Self.child(fields, language)
        if request.length == .long { request.maximumTokens *= 2 }
    }

    private static func choice<Value: RawRepresentable & CaseIterable>(_ key: Keys, _ fields: Fields) throws -> Value?
    where Value.RawValue == String {
        guard let sent = try fields.decodeIfPresent(String.self, forKey: key) else { return nil }
        if let value = Value(rawValue: sent) { return value }
        let all = Value.allCases.map(\.rawValue)
        throw HTTPFailure.field(
            key.rawValue, "must be \(all.dropLast().joined(separator: ", ")) or \(all.last ?? "").")
    }

    private static func story(_ fields: Fields) throws -> StoryChoice? {
        let keys: [Keys] = [.story, .like, .after]
        let sent = try keys.compactMap { key in
            try fields.decodeIfPresent(String.self, forKey: key).map { (key: key, id: $0) }
        }
        if sent.count > 1 {
            throw HTTPFailure.field(sent[1].key.rawValue, "and '\(sent[0].key.rawValue)' exclude each other.")
        }
        let evening: Int? = try fields.number(.evening, in: StoryChoice.evenings)
        if evening != nil, sent.first?.key != .after { throw HTTPFailure.field("evening", "needs 'after'.") }
        return switch sent.first?.key {
        case .story: .story(sent[0].id)
        case .like: .like(sent[0].id)
        case .after: .after(sent[0].id, evening: evening ?? StoryChoice.evenings.lowerBound)
        default: nil
        }
    }

    private static func wish(_ fields: Fields, _ choice: StoryChoice?, _ language: StoryLanguage) throws -> Wish {
        guard let choice else {
            guard let wish = Wishes.wish(try fields.decode(String.self, forKey: .wish)) else {
                throw HTTPFailure.field("wish", "is not one of those of /api/wishes.")
            }
            return wish
        }
        if try fields.decodeIfPresent(String.self, forKey: .wish) != nil {
            throw HTTPFailure.field("wish", "and a finished story or a tale exclude each other.")
        }
        if let wish = choice.wish(in: language) { return wish }
        switch choice {
        case .story: throw HTTPFailure.field("story", "is not a story in this language.")
        case .like: throw HTTPFailure.field("like", "is not a story in this language.")
        case .after: throw HTTPFailure.field("after", "is not a tale in this language.")
        }
    }

    private static func child(_ fields: Fields, _ language: StoryLanguage) throws -> StoryChild? {
        let pronoun: StoryChild.Pronoun? = try choice(.pronoun, fields)
        guard let name = try fields.decodeIfPresent(String.self, forKey: .name) else {
            guard pronoun == nil else { throw HTTPFailure.field("pronoun", "needs a name.") }
            return nil
        }
        do {
            return try StoryChild(name, pronoun: pronoun, in: language)
        } catch {
            throw HTTPFailure.field(
                "name", "has no usable name. Send the child's first name, such as Mina.")
        }
    }
}
