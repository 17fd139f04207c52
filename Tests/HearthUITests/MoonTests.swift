import HearthRuntime
import HearthStory
import HearthUI
import Testing

@Suite("The moon of a model", .timeLimit(.minutes(20)))
struct MoonTests {
    @Test("fills while the model warms, and is veiled where it does not come")
    func phases() {
        #expect(MoonPhase(.cold).lit == 0 && !MoonPhase(.cold).isVeiled)
        #expect(MoonPhase(.ready).lit == 1 && !MoonPhase(.ready).isVeiled)
        #expect(MoonPhase(.warming(progress: 0.6)).lit == 0.6)
        for state in [ModelState.unavailable(reason: "The device is hot."), .failed(message: "no such file")] {
            #expect(MoonPhase(state).lit == 0 && MoonPhase(state).isVeiled)
        }
    }

    @Test("shows a sliver as soon as work begins, and never more than a full moon")
    func bounds() {
        let begun = MoonPhase(.warming(progress: 0)).lit
        #expect(begun > 0 && begun < 0.1)
        #expect(MoonPhase(.warming(progress: .nan)).lit == begun)
        #expect(MoonPhase(.warming(progress: -3)).lit == begun)
        #expect(MoonPhase(.warming(progress: 7)).lit == 1)
    }

    @Test("the outline covers the share of the disc that is lit", arguments: [0.04, 0.25, 0.5, 0.75, 1, 3])
    func area(lit: Double) {
        let points = MoonPhase.outline(lit: lit, steps: 400)
        let doubled = points.indices.reduce(0.0) { sum, index in
            let (a, b) = (points[index], points[(index + 1) % points.count])
            return sum + a.x * b.y - b.x * a.y
        }
        #expect(abs(abs(doubled) / 2 / .pi - min(1, lit)) < 0.001)
        #expect(points.allSatisfy { $0.x * $0.x + $0.y * $0.y < 1.000_001 })
        // It waxes from the right.
        #expect(points.contains { $0.x > 0.99 })
    }

    @Test("has no outline where nothing is lit")
    func nothing() {
        #expect(MoonPhase.outline(lit: 0).isEmpty)
        #expect(MoonPhase.outline(lit: -1).isEmpty)
    }

    @Test("VoiceOver says something else for each state, in each language, and no word of machines")
    func values() {
        let states: [ModelState] = [
            .cold, .warming(progress: 0.5), .ready, .unavailable(reason: "reason"), .failed(message: "message"),
        ]
        let said = StoryLanguage.allCases.flatMap { language in
            states.map { UIPhrases(language).value($0) } + [UIPhrases(language).storyteller]
        }
        #expect(Set(said).count == said.count)
        for text in said {
            for word in ["model", "modelo", "模型", "memor", "reason", "message"] { #expect(!text.contains(word)) }
        }
    }

    @Test("VoiceOver hears tens of a percent, not every step")
    func tens() {
        let phrases = UIPhrases(.english)
        #expect(phrases.value(.warming(progress: 0.57)) == "is waking up, 50 percent")
        #expect(phrases.value(.warming(progress: 0.59)) == phrases.value(.warming(progress: 0.51)))
        #expect(phrases.value(.warming(progress: 9)) == "is waking up, 100 percent")
        #expect(phrases.value(.warming(progress: .nan)) == "is waking up, 0 percent")
    }
}
