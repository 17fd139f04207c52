/// Phrases around a story, in its language. Children may hear them: no technical terms, nothing frightening.
package struct StoryPhrases: Sendable {
    private let language: StoryLanguage

    /// The phrases of a language.
    package init(_ language: StoryLanguage) { self.language = language }

    /// The line that closes a story ended early.
    package var closing: String {
        switch language {
        case .english: "And there we let them rest for tonight, warm and safe, until the story goes on another day."
        case .spanish:
            "Y ahí los dejamos descansar por esta noche, calentitos y a salvo, hasta que el cuento siga otro día."
        case .simplifiedChinese: "今晚就让他们在这里暖暖和和、平平安安地休息吧，故事改天再接着讲。"
        }
    }

    /// Explains why a finished story is told.
    package func notice(_ reason: HandoverReason) -> String {
        let why = cause(reason)
        return switch language {
        case .english: "\(why); here is a story prepared earlier."
        case .spanish: "\(why); aquí tienes un cuento preparado antes."
        case .simplifiedChinese: "\(why)，先来听一个早就准备好的故事吧。"
        }
    }

    /// Explains why a story pauses; nil if it does not.
    package func pause(_ reason: HandoverReason) -> String? {
        guard [.heat, .memory, .background, .unavailable].contains(reason) else { return nil }
        let why = cause(reason)
        return switch language {
        case .english: "\(why); the story goes on in a moment."
        case .spanish: "\(why); el cuento sigue enseguida."
        case .simplifiedChinese: "\(why)，故事马上接着讲。"
        }
    }

    /// Explains why a story is generated more slowly.
    package func slower(isLowPower: Bool) -> String {
        switch (language, isLowPower) {
        case (.english, true): "The device is saving power; the story comes a little more slowly."
        case (.english, false): "The device is a little warm; the story comes a little more slowly."
        case (.spanish, true): "El dispositivo está ahorrando energía; el cuento va un poco más despacio."
        case (.spanish, false): "El dispositivo está un poco caliente; el cuento va un poco más despacio."
        case (.simplifiedChinese, true): "设备正在省电，故事会讲得慢一点。"
        case (.simplifiedChinese, false): "设备有点热，故事会讲得慢一点。"
        }
    }

    /// The first half of a notice.
    private func cause(_ reason: HandoverReason) -> String {
        switch language {
        case .english: english(reason)
        case .spanish: spanish(reason)
        case .simplifiedChinese: chinese(reason)
        }
    }

    private func english(_ reason: HandoverReason) -> String {
        switch reason {
        case .heat: "The device is a little warm"
        case .memory: "The device is a little low on memory just now"
        case .background: "The storyteller is taking a little break"
        case .size: "This device is too small for the storyteller"
        case .unavailable, .failed: "The storyteller needs a little rest"
        case .missing: "The storyteller is not here yet"
        case .language: "The storyteller does not speak English yet"
        case .stopped: "That story has ended early"
        case .theme: "There is no bedtime story about that"
        }
    }

    private func spanish(_ reason: HandoverReason) -> String {
        switch reason {
        case .heat: "El dispositivo está un poco caliente"
        case .memory: "Ahora mismo el dispositivo anda un poco justo de sitio"
        case .background: "El cuentacuentos se ha tomado un pequeño descanso"
        case .size: "Este dispositivo es demasiado pequeño para el cuentacuentos"
        case .unavailable, .failed: "El cuentacuentos necesita descansar un poco"
        case .missing: "El cuentacuentos todavía no ha llegado"
        case .language: "El cuentacuentos todavía no habla español"
        case .stopped: "Ese cuento ha terminado antes de tiempo"
        case .theme: "Sobre eso no hay ningún cuento para dormir"
        }
    }

    private func chinese(_ reason: HandoverReason) -> String {
        switch reason {
        case .heat: "设备有点热"
        case .memory: "设备现在有点忙不过来"
        case .background: "讲故事的人休息一小会儿"
        case .size: "这台设备太小，讲故事的人住不下"
        case .unavailable, .failed: "讲故事的人需要歇一歇"
        case .missing: "讲故事的人还没有来"
        case .language: "讲故事的人还不会说中文"
        case .stopped: "刚才的故事提前讲完了"
        case .theme: "没有关于这个的睡前故事"
        }
    }
}
