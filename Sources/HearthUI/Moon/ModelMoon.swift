#if canImport(SwiftUI)
public import HearthRuntime
public import HearthStory
public import SwiftUI

/// A moon that fills while a model warms up: dark when cold, full when ready, behind a cloud when unavailable or failed.
///
///     ModelMoon(state: store.state)
///         .frame(width: 64, height: 64)
///
/// VoiceOver reads it as the storyteller and its state. If the system setting Reduce Motion is on, phases change without
/// animation.
public struct ModelMoon: View {
    private let phase: MoonPhase
    private let value: String
    private let label: String
    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @Environment(\.colorScheme) private var colorScheme

    /// Creates a moon.
    /// - Parameters:
    ///   - state: the model's state, from `ModelStore`.
    ///   - language: the language for VoiceOver.
    public init(state: ModelState, language: StoryLanguage = .english) {
        phase = MoonPhase(state)
        let phrases = UIPhrases(language)
        (label, value) = (phrases.storyteller, phrases.value(state))
    }

    /// The disc, its lit part, and the cloud.
    public var body: some View {
        ZStack {
            Circle().fill(Color.gray.opacity(colorScheme == .dark ? 0.25 : 0.35))
            LitMoon(lit: phase.lit).fill(Color.yellow)
            if phase.isVeiled {
                Image(systemName: "cloud.fill").resizable().scaledToFit().foregroundStyle(.secondary)
            }
        }
        .aspectRatio(1, contentMode: .fit)
        .animation(reduceMotion ? nil : .easeInOut, value: phase.lit)
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(label)
        .accessibilityValue(value)
        .accessibilityAddTraits(.updatesFrequently)
    }
}

/// The lit part, as a shape that can be animated between phases.
private nonisolated struct LitMoon: Shape {
    var lit: Double
    var animatableData: Double {
        get { lit }
        set { lit = newValue }
    }

    func path(in rect: CGRect) -> Path {
        let radius = min(rect.width, rect.height) / 2
        let points = MoonPhase.outline(lit: lit).map {
            CGPoint(x: rect.midX + CGFloat($0.x) * radius, y: rect.midY + CGFloat($0.y) * radius)
        }
        var path = Path()
        path.addLines(points)
        path.closeSubpath()
        return path
    }
}
#endif
