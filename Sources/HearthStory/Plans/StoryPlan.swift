internal import HearthSystem
package import HearthText

/// What a model is told before it writes a story: language, length, wish, subjects and cast. The model answers with slots in place of
/// names and pronouns, which a ``SlotFiller`` fills, so that no name can change. Training/README.md documents the format.
package struct StoryPlan: Sendable, Equatable {
    /// The format of plans and answers that this version knows. A model's file says which one it was trained on
    /// (`hearth.story.format`); a model of another one is asked like any other.
    package static let format = 1
    /// The longest answer of the training texts has fewer tokens, and so has the longest tale in the vocabulary of that model.
    package static let answerTokens = 1500

    package var language: StoryLanguage
    package var length = StoryLength.medium
    package var wish: Wish.ID
    /// Subjects; empty if the model chooses.
    package var tags: [String] = []
    /// The hero, then the others: at most as many as ``roles``.
    package var cast: [Tale.Person]
    /// The value of the word that varies, if there is one.
    package var words: [String] = []

    /// Names of roles and words, in plans and in answers.
    package static let roles = ["a", "b", "c", "d", "e", "f"]
    private static let wordNames = ["x"]
    /// Tags that say something about later evenings, not about the subject.
    private static let untoldTags: Set = ["apart"]

    package init(
        language: StoryLanguage, length: StoryLength = .medium, wish: Wish.ID, tags: [String] = [], cast: [Tale.Person],
        words: [String] = []
    ) {
        (self.language, self.length, self.wish) = (language, length, wish)
        (self.tags, self.cast, self.words) = (tags, cast, words)
    }

    /// Draws the plan of a story about a wish: the cast is that of one of its tales, the subjects are those of another or the same.
    /// - Parameters:
    ///   - length: nil for that of the tale that lends the cast.
    ///   - child: becomes the hero.
    ///   - seed: equal seeds give equal plans.
    /// - Returns: nil if there are no tales about the wish.
    package static func drawn(
        for wish: Wish.ID, in language: StoryLanguage, length: StoryLength?, child: StoryChild?, seed: UInt64
    ) -> StoryPlan? {
        let tales = TaleLibrary.tales(about: wish, in: language)
        guard let tale = TaleLibrary.drawn(from: tales, length: length, seed: seed) else { return nil }
        var random = SplitMix64(seed: TaleLibrary.tellingSeed(seed))
        let subjects = tales.randomElement(using: &random)?.tags ?? tale.tags
        let slots = tale.slots(for: child, using: &random)
        let order = [tale.hero] + tale.roles.map(\.name).filter { $0 != tale.hero }
        return StoryPlan(
            language: language, length: length ?? tale.length, wish: wish,
            tags: subjects.filter { !untoldTags.contains($0) },
            cast: order.prefix(roles.count).compactMap { slots.people[$0] },
            words: tale.words.prefix(wordNames.count).compactMap { slots.words[$0.name] })
    }

    /// Whether a model's file says that the model answers plans; false for a folder.
    package static func isAnswered(byModelAt path: String) -> Bool {
        TextModel.storyFormat(ofFileAt: path) == format
    }

    /// The text of the user's turn, as in the training texts.
    package var prompt: String {
        var lines = ["{plan} \(language.rawValue) \(length.rawValue) \(wish)"]
        if !tags.isEmpty { lines.append(tags.joined(separator: ", ")) }
        for (index, (role, person)) in zip(Self.roles, cast).enumerated() {
            let line = "\(role) \(person.pronoun)"
            lines.append(index > 0 && Self.isDescription(person.name) ? "\(line): \(person.name)" : line)
        }
        for (name, value) in zip(Self.wordNames, words) { lines.append("\(name): \(value)") }
        return lines.joined(separator: "\n")
    }

    /// Whether the model is told what somebody is called: *the cat*, but not *Mina*. Chinese has no capitals, so there everybody but
    /// the hero is told.
    private static func isDescription(_ name: String) -> Bool {
        name.unicodeScalars.first.map { !$0.properties.isUppercase } ?? false
    }

    /// Fills the slots of the answer.
    package var filler: SlotFiller {
        var slots = TaleSlots(language)
        slots.people = Dictionary(zip(Self.roles, cast)) { first, _ in first }
        slots.words = Dictionary(zip(Self.wordNames, words)) { first, _ in first }
        return SlotFiller(slots)
    }
}

extension TextModel {
    /// Whether the model was trained to answer plans.
    package var answersPlans: Bool { storyFormat == StoryPlan.format }
}
