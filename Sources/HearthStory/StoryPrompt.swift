public import HearthText

/// The words that a model gets for a wish.
///
/// The English text is part of the bundled model: it was trained on exactly these two messages. Another text there
/// needs another training.
public enum StoryPrompt {
    /// The conversation whose answer is the story.
    public static func messages(for wish: Wish, in language: StoryLanguage) -> [ChatMessage] {
        let title = wish.title(in: language)
        let (system, user) =
            switch language {
            case .english:
                (
                    "You tell bedtime stories to children from three to eight. Use short, warm sentences. Keep it "
                        + "gentle: no violence, weapons, blood, death, fear or cruelty. End with everyone safe and asleep.",
                    "Tell a bedtime story about \(title)."
                )
            case .spanish:
                (
                    "Cuentas cuentos para dormir a niños de tres a ocho años. Escribe en español, con frases cortas y "
                        + "cálidas. Que todo sea suave: sin violencia, armas, sangre, muerte, miedo ni crueldad. Al final "
                        + "todos están a salvo y dormidos.",
                    "Cuenta un cuento para dormir sobre \(title). Escríbelo en español."
                )
            case .simplifiedChinese:
                (
                    "你给三到八岁的孩子讲睡前故事。请用简体中文，句子要简短、温暖。故事要温柔：没有暴力、武器、流血、死亡、恐惧或残忍。结尾时，大家都平平安安地睡着了。",
                    "请用中文讲一个关于\(title)的睡前故事。"
                )
            }
        return [ChatMessage(role: .system, content: system), ChatMessage(role: .user, content: user)]
    }
}
