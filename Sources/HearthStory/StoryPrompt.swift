internal import HearthSafety
package import HearthText

/// The words that a model gets for a wish.
package enum StoryPrompt {
    /// How much a model has to be told.
    package enum Style: String, Sendable, CaseIterable {
        /// The short text. In English the bundled model was trained on it, word for word: another text there needs
        /// another training.
        case brief
        /// For every other model: with the list of themes to keep away from.
        case guarded
    }

    /// Models that were trained on the short English text, by `general.name`. What a training has seen is not written
    /// in a file in any other way; a model that is not listed here gets the longer text, which never harms.
    private static let trainedModels: Set<String> = ["hearth-nano"]

    /// What a model of that name (`general.name`) has to be told.
    package static func style(modelName: String?, in language: StoryLanguage) -> Style {
        language == .english && modelName.map(trainedModels.contains) == true ? .brief : .guarded
    }

    /// The conversation whose answer is the story.
    package static func messages(
        for subject: StorySubject, in language: StoryLanguage, style: Style
    ) -> [ChatMessage] {
        let title = subject.title(in: language)
        let user =
            switch language {
            case .english: "Tell a bedtime story about \(title)."
            case .spanish: "Cuenta un cuento para dormir sobre \(title). Escríbelo en español."
            case .simplifiedChinese: "请用中文讲一个关于\(title)的睡前故事。"
            }
        return [
            ChatMessage(role: .system, content: system(language, style)), ChatMessage(role: .user, content: user),
        ]
    }

    private static func system(_ language: StoryLanguage, _ style: Style) -> String {
        let role: String
        let gentle: String
        let end: String
        switch language {
        case .english:
            role = "You tell bedtime stories to children from three to eight. Use short, warm sentences."
            gentle = "Keep it gentle: no violence, weapons, blood, death, fear or cruelty."
            end = "End with everyone safe and asleep."
        case .spanish:
            role =
                "Cuentas cuentos para dormir a niños de tres a ocho años. Escribe en español, con frases cortas y cálidas."
            gentle = "Que todo sea suave: sin violencia, armas, sangre, muerte, miedo ni crueldad."
            end = "Al final todos están a salvo y dormidos."
        case .simplifiedChinese:
            role = "你给三到八岁的孩子讲睡前故事。请用简体中文，句子要简短、温暖。"
            gentle = "故事要温柔：没有暴力、武器、流血、死亡、恐惧或残忍。"
            end = "结尾时，大家都平平安安地睡着了。"
        }
        // The longer list says what the short one does, and every word costs time before the first one is heard.
        let themes = FilterLanguage(tag: language.rawValue).map { NegativePrompt.text(for: $0) } ?? ""
        let kept = style == .guarded && !themes.isEmpty ? themes : gentle
        return [role, kept, end].joined(separator: language.sentenceSeparator)
    }
}
