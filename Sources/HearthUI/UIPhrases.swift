internal import Foundation
package import HearthRuntime
package import HearthStory

/// What the views say, in the language of the stories: labels and values for VoiceOver, and lines on the screen. A child may hear
/// it, so that no word is about models or memory.
package struct UIPhrases: Sendable, Equatable {
    private let language: StoryLanguage

    package init(_ language: StoryLanguage) { self.language = language }

    private func text(_ english: String, _ spanish: String, _ chinese: String) -> String {
        switch language {
        case .english: english
        case .spanish: spanish
        case .simplifiedChinese: chinese
        }
    }

    /// What the moon stands for.
    package var storyteller: String { text("Storyteller", "Cuentacuentos", "讲故事的人") }

    /// What the moon says of a state. Percent in steps of ten: VoiceOver reads each change.
    package func value(_ state: ModelState) -> String {
        switch state {
        case .unavailable: text("is taking a break", "se ha tomado un descanso", "正在休息")
        case .cold: text("is asleep", "duerme", "睡着了")
        case .warming(let progress):
            text(
                "is waking up, \(Self.tens(progress)) percent",
                "se está despertando, \(Self.tens(progress)) por ciento",
                "正在醒来，百分之\(Self.tens(progress))")
        case .ready: text("is ready", "ya está listo", "准备好了")
        case .failed: text("cannot tell stories now", "ahora no puede contar cuentos", "现在讲不了故事")
        }
    }

    /// What happens when a card is chosen.
    package var wishHint: String { text("Tells this story", "Cuenta este cuento", "讲这个故事") }

    /// Of the paragraph whose sentence is heard.
    package var isBeingRead: String { text("is being read", "se está leyendo", "正在朗读") }

    /// In place of a story that has not begun.
    package var isThinking: String {
        text("The story begins in a moment.", "El cuento empieza enseguida.", "故事马上就开始。")
    }

    /// Whole tens of a hundred, 0 to 100.
    private static func tens(_ share: Double) -> Int {
        guard share.isFinite else { return 0 }
        return Int((min(1, max(0, share)) * 10).rounded(.down)) * 10
    }
}
