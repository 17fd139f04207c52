internal import Foundation
package import HearthRuntime
package import HearthStory

/// Texts of the views in the language of the stories: labels and values for VoiceOver, and lines on the screen. Children may
/// hear them, so they avoid technical terms.
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

    /// The VoiceOver label of the moon.
    package var storyteller: String { text("Storyteller", "Cuentacuentos", "讲故事的人") }

    /// The VoiceOver value of the moon for a state. Percentages change in steps of ten, because VoiceOver reads each change.
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

    /// The VoiceOver hint of a wish's card.
    package var wishHint: String { text("Tells this story", "Cuenta este cuento", "讲这个故事") }

    /// The VoiceOver value of the paragraph being spoken.
    package var isBeingRead: String { text("is being read", "se está leyendo", "正在朗读") }

    /// Shown until a story starts.
    package var isThinking: String {
        text("The story begins in a moment.", "El cuento empieza enseguida.", "故事马上就开始。")
    }

    /// A fraction as a percentage, rounded down to a multiple of ten, 0 to 100.
    private static func tens(_ share: Double) -> Int {
        guard share.isFinite else { return 0 }
        return Int((min(1, max(0, share)) * 10).rounded(.down)) * 10
    }
}
