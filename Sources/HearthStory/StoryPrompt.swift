internal import HearthSafety
package import HearthText

/// Builds a model's prompt for a story.
package enum StoryPrompt {
    /// The amount of instructions in a prompt.
    package enum Style: String, Sendable, CaseIterable {
        /// The short text. Our models were trained on exactly this text: changing it requires retraining.
        case brief
        /// For every other model: includes the list of themes to avoid.
        case guarded
    }

    /// Models trained on the short English text that do not answer plans, by `general.name`. Their files do not record it in any other
    /// way. Models that are not listed get the longer text, which does no harm.
    private static let trainedModels: Set<String> = ["hearth-nano"]

    /// The style for a model with that name (`general.name`).
    /// - Parameter answersPlans: whether the model was trained on plans; it was then also trained on the short text, in all languages.
    package static func style(
        modelName: String?, answersPlans: Bool = false, in language: StoryLanguage
    ) -> Style {
        answersPlans || language == .english && modelName.map(trainedModels.contains) == true ? .brief : .guarded
    }

    /// The style for a model.
    static func style(of model: TextModel, in language: StoryLanguage) -> Style {
        style(modelName: model.name, answersPlans: model.answersPlans, in: language)
    }

    /// The conversation whose answer is the story.
    /// - Parameters:
    ///   - child: a child who appears in the story.
    ///   - length: nil and `medium` add nothing to the prompt.
    package static func messages(
        for subject: StorySubject, in language: StoryLanguage, style: Style, child: StoryChild? = nil,
        length: StoryLength? = nil
    ) -> [ChatMessage] {
        let title = subject.title(in: language)
        let user =
            switch language {
            case .english: "Tell a bedtime story about \(title)."
            case .spanish: "Cuenta un cuento para dormir sobre \(title). Escríbelo en español."
            case .simplifiedChinese: "请用中文讲一个关于\(title)的睡前故事。"
            }
        return [
            ChatMessage(role: .system, content: system(language, style)),
            ChatMessage(
                role: .user,
                content: ([user] + wants(language, child, length)).joined(separator: language.sentenceSeparator)),
        ]
    }

    private static func wants(_ language: StoryLanguage, _ child: StoryChild?, _ length: StoryLength?) -> [String] {
        var wants: [String] = []
        switch (language, child?.name) {
        case (_, nil): break
        case (.english, let name?): wants.append("A child called \(name) is in it.")
        case (.spanish, let name?): wants.append("En él aparece \(name), la criatura que lo escucha.")
        case (.simplifiedChinese, let name?): wants.append("故事里有一个叫\(name)的孩子。")
        }
        switch (language, length) {
        case (_, nil), (_, .medium): break
        case (.english, .short): wants.append("Keep it short, about 100 words.")
        case (.english, .long): wants.append("Tell it in three parts, 600 to 900 words in all.")
        case (.spanish, .short): wants.append("Que sea corto, de unas 100 palabras.")
        case (.spanish, .long): wants.append("Cuéntalo en tres partes, con 600 a 900 palabras en total.")
        case (.simplifiedChinese, .short): wants.append("短一点，两百字左右。")
        case (.simplifiedChinese, .long): wants.append("分三段讲，一共一千到一千五百字。")
        }
        return wants
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
        // The longer list includes the short one; every extra word delays the first spoken one.
        let themes = FilterLanguage(tag: language.rawValue).map { NegativePrompt.text(for: $0) } ?? ""
        let kept = style == .guarded && !themes.isEmpty ? themes : gentle
        return [role, kept, end].joined(separator: language.sentenceSeparator)
    }
}
