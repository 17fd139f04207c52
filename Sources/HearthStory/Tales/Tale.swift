internal import HearthSystem

/// A story template with slots for names and pronouns, and several wordings of each sentence. Each telling draws one wording
/// per sentence, so that tellings differ while names stay consistent within one. Training/tales/README.md documents the format.
package struct Tale: Sendable, Equatable, Identifiable {
    /// A character that can be cast in a role.
    package struct Person: Sendable, Equatable {
        package var name: String
        /// English `he`, `she`, `they`, `it`; Spanish `m`, `f`; Chinese `他`, `她`, `它`.
        package var pronoun: String

        package init(name: String, pronoun: String) { (self.name, self.pronoun) = (name, pronoun) }
    }

    /// A part of the story with a name and a pronoun.
    package struct Role: Sendable, Equatable {
        package var name: String
        package var people: [Person]
    }

    /// A thing, place or color that varies between tellings.
    package struct Word: Sendable, Equatable {
        package var name: String
        package var values: [String]
    }

    /// A permanent id of lower-case words with hyphens, unique within its language.
    package var id: String
    package var language: StoryLanguage
    /// Ids of the wishes it matches; the main one comes first.
    package var wishes: [Wish.ID] = []
    package var length = StoryLength.medium
    package var title = ""
    package var tags: [String] = []
    package var roles: [Role] = []
    /// The role that can take the child's name.
    package var hero = ""
    package var words: [Word] = []
    /// Paragraphs; each is a list of sentences, each a list of alternative wordings.
    package var paragraphs: [[[String]]] = []

    /// The role that listens on later evenings: the first one besides the hero's. Nil if there is none, or if the tale is tagged
    /// `apart`, because the two never meet or have parted at its end.
    package var friend: Role? { tags.contains("apart") ? nil : roles.first { $0.name != hero } }

    /// Generates one telling.
    /// - Parameters:
    ///   - seed: equal seeds give equal tellings.
    ///   - child: takes the hero's role.
    /// - Returns: nil if a slot cannot be filled; a test of all tales rules this out.
    package func told(seed: UInt64, child: StoryChild? = nil) -> FinishedStory? {
        told(seed: seed, cast: cast(of: child))
    }

    /// Generates one telling with a partly predefined cast.
    /// - Parameters:
    ///   - people: the predefined cast by role; the other roles are drawn.
    ///   - names: names that drawn characters must not have.
    package func told(seed: UInt64, cast people: [String: Person], avoiding names: [String] = []) -> FinishedStory? {
        var random = SplitMix64(seed: seed)
        let slots = slots(people, avoiding: names, using: &random)
        var told: [String] = []
        for paragraph in paragraphs {
            var sentences: [String] = []
            for wordings in paragraph {
                guard let wording = wordings.randomElement(using: &random), let text = slots.filled(wording) else {
                    return nil
                }
                sentences.append(text)
            }
            told.append(sentences.joined(separator: language.sentenceSeparator))
        }
        guard let title = slots.filled(title) else { return nil }
        let text = told.joined(separator: "\n\n")
        return FinishedStory(
            id: id, language: language, title: title, wishes: wishes, tags: tags, length: language.length(of: text),
            text: text)
    }

    /// Draws one telling up to its wordings: the cast, the words, and of each sentence some wordings, from which a model chooses.
    ///
    /// Few wordings are drawn because a model has favourites: of all of them it would choose the same ones every time.
    /// - Parameter seed: equal seeds give equal plans, and the cast is that of the telling with that seed.
    /// - Returns: nil if a slot cannot be filled; a test of all tales rules this out.
    package func plan(seed: UInt64, child: StoryChild? = nil, wordings most: Int = 2) -> TalePlan? {
        var random = SplitMix64(seed: seed)
        let slots = slots(cast(of: child), avoiding: [], using: &random)
        var plan = TalePlan(id: id, language: language)
        for paragraph in paragraphs {
            var sentences: [[String]] = []
            for wordings in paragraph {
                let drawn = wordings.shuffled(using: &random).prefix(most).compactMap(slots.filled)
                guard drawn.count == min(most, wordings.count) else { return nil }
                sentences.append(drawn)
            }
            plan.paragraphs.append(sentences)
        }
        return plan
    }

    /// Draws a cast and words.
    func slots(for child: StoryChild?, using random: inout SplitMix64) -> TaleSlots {
        slots(cast(of: child), avoiding: [], using: &random)
    }

    private func slots(
        _ people: [String: Person], avoiding names: [String], using random: inout SplitMix64
    ) -> TaleSlots {
        var slots = TaleSlots(language)
        slots.people = cast(of: people, avoiding: names, using: &random)
        for word in words { slots.words[word.name] = word.values.randomElement(using: &random) }
        return slots
    }

    /// The cast by role in the telling with that seed.
    package func cast(seed: UInt64, child: StoryChild?) -> [String: Person] {
        var random = SplitMix64(seed: seed)
        return cast(of: cast(of: child), avoiding: [], using: &random)
    }

    private func cast(of child: StoryChild?) -> [String: Person] {
        child.map { [hero: Person(name: $0.name, pronoun: $0.pronoun(in: language))] } ?? [:]
    }

    private func cast(
        of people: [String: Person], avoiding names: [String], using random: inout SplitMix64
    ) -> [String: Person] {
        var people = people
        for role in roles where people[role.name] == nil {
            // No duplicate names, and none that contains the child's name.
            let taken = people.values.map(\.name) + names
            let free = role.people.filter { person in !taken.contains { person.name.contains($0) } }
            people[role.name] = (free.isEmpty ? role.people : free).randomElement(using: &random)
        }
        return people
    }
}

/// Fills the slots of one telling.
struct TaleSlots: Sendable {
    var people: [String: Tale.Person] = [:]
    var words: [String: String] = [:]
    let language: StoryLanguage

    init(_ language: StoryLanguage) { self.language = language }

    /// English pronoun forms; the key is the slot's name.
    private static let english: [String: [String: String]] = [
        "he": ["he": "he", "she": "she", "they": "they", "it": "it"],
        "him": ["he": "him", "she": "her", "they": "them", "it": "it"],
        "his": ["he": "his", "she": "her", "they": "their", "it": "its"],
        "theirs": ["he": "his", "she": "hers", "they": "theirs", "it": "its"],
        "himself": ["he": "himself", "she": "herself", "they": "themself", "it": "itself"],
        "was": ["he": "was", "she": "was", "they": "were", "it": "was"],
        "is": ["he": "is", "she": "is", "they": "are", "it": "is"],
        "has": ["he": "has", "she": "has", "they": "have", "it": "has"],
    ]

    /// Returns the text with every `{…}` replaced; nil for an unknown slot.
    func filled(_ text: String) -> String? {
        guard text.contains("{") else { return text }
        var result = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}"),
                let value = value(of: rest[rest.index(after: open)..<close])
            else { return nil }
            result += rest[..<open]
            if language == .spanish, SpanishNames.beginsWithI(value) { Self.andBeforeI(&result) }
            result += value
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// Spanish *y* is *e* before a name that begins with the sound of *i*: "Ana e Inés", but "¿Y Inés?".
    private static func andBeforeI(_ text: inout String) {
        let before = text.dropLast(2).last ?? " "
        guard let and = text.suffix(2).first, "yY".contains(and), text.last == " ", !before.isLetter, before != "¿"
        else { return }
        text.replaceSubrange(text.index(text.endIndex, offsetBy: -2)..., with: and == "y" ? "e " : "E ")
    }

    /// The value of a slot, without its braces; nil if there is none.
    func value(of slot: Substring) -> String? {
        if let colon = slot.firstIndex(of: ":") {
            return chosen(slot[slot.index(after: colon)...], by: slot[..<colon])
        }
        if let dot = slot.firstIndex(of: ".") {
            return people[String(slot[..<dot])].flatMap { form(slot[slot.index(after: dot)...], of: $0.pronoun) }
        }
        let name = String(slot)
        if let value = people[name]?.name ?? words[name] { return value }
        let lower = name.prefix(1).lowercased() + name.dropFirst()
        return (people[lower]?.name ?? words[lower]).map(Self.capitalized)
    }

    private func form(_ name: Substring, of pronoun: String) -> String? {
        guard language == .english else { return name == "ta" && language == .simplifiedChinese ? pronoun : nil }
        if let form = Self.english[String(name)]?[pronoun] { return form }
        return Self.english[name.prefix(1).lowercased() + name.dropFirst()]?[pronoun].map(Self.capitalized)
    }

    /// Selects one of two or three forms by pronoun: `runs/run`, `boy/girl/child`, `cansado/cansada`.
    private func chosen(_ forms: Substring, by role: Substring) -> String? {
        guard let pronoun = people[String(role)]?.pronoun else { return nil }
        let forms = forms.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return switch (language, forms.count) {
        case (.english, 2): forms[pronoun == "they" ? 1 : 0]
        case (.english, 3): forms[pronoun == "he" ? 0 : pronoun == "she" ? 1 : 2]
        case (.spanish, 2): forms[pronoun == "f" ? 1 : 0]
        default: nil
        }
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
