import HearthStory
import HearthTestSupport
import Testing

@Suite("Story plan", .timeLimit(.minutes(20)))
struct StoryPlanTests {
    @Test(
        "Every wish has plans of every length in every language, drawn by the seed", arguments: StoryLanguage.allCases)
    func drawn(language: StoryLanguage) throws {
        var random = SeededNumbers.fresh()
        for wish in Wishes.all {
            for length in [nil] + StoryLength.allCases.map(Optional.some) {
                let seed = UInt64.random(in: .min ... .max, using: &random)
                func draw(_ seed: UInt64) -> StoryPlan? {
                    StoryPlan.drawn(for: wish.id, in: language, length: length, child: nil, seed: seed)
                }
                let plan = try #require(draw(seed), "\(wish.id)")
                #expect(plan == draw(seed))
                #expect(plan.length == length ?? plan.length && (length != nil || plan.length != .long))
                #expect((1...StoryPlan.roles.count).contains(plan.cast.count))
                #expect(Set(plan.cast.map(\.name)).count == plan.cast.count, "\(plan)")
                #expect(!plan.tags.isEmpty && !plan.tags.contains("apart"))
                let lines = plan.prompt.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines[0] == "{plan} \(language.rawValue) \(plan.length.rawValue) \(wish.id)")
                #expect(lines.count == 2 + plan.cast.count + plan.words.count)
                #expect(lines.allSatisfy { !$0.isEmpty && $0.last != " " })
                #expect(plan.prompt.count { "{}".contains($0) } == 2)
                // All roles can be filled.
                let slots = StoryPlan.roles.prefix(plan.cast.count).map { "{\($0)}" }.joined(separator: "\n")
                #expect(SlotFiller.filled(slots, plan) == plan.cast.map(\.name).joined(separator: "\n"))
            }
        }
    }

    @Test("Other seeds give other plans")
    func variety() throws {
        let plans = (0..<40).compactMap {
            StoryPlan.drawn(for: "friendly-dragon", in: .english, length: .medium, child: nil, seed: $0)
        }
        #expect(Set(plans.map(\.prompt)).count > 8)
        #expect(Set(plans.map { $0.cast[0].name }).count > 4)
        #expect(Set(plans.map { $0.cast[0].pronoun }).count > 1)
    }

    @Test("A child is the hero, and its name is not told to the model", arguments: StoryLanguage.allCases)
    func child(language: StoryLanguage) throws {
        let child = try StoryChild("Zuzanna", pronoun: .she, in: language)
        let pronoun = [StoryLanguage.english: "she", .spanish: "f", .simplifiedChinese: "她"][language]
        for seed in UInt64(0)..<10 {
            let plan = try #require(
                StoryPlan.drawn(for: "kind-giant", in: language, length: .short, child: child, seed: seed))
            #expect(plan.cast[0].name == "Zuzanna" && plan.cast[0].pronoun == pronoun)
            #expect(!plan.cast.dropFirst().contains { $0.name == "Zuzanna" })
            #expect(!plan.prompt.contains("Zuzanna"))
        }
    }

    @Test("What somebody is called is told unless it is a name")
    func descriptions() {
        let plan = StoryPlan(
            language: .english, wish: "sleepy-bear", tags: ["home", "rain"],
            cast: [
                .init(name: "the bear", pronoun: "he"), .init(name: "the cat", pronoun: "it"),
                .init(name: "Émile", pronoun: "he"),
            ],
            words: ["Tuesday"])
        #expect(plan.prompt == "{plan} en medium sleepy-bear\nhome, rain\na he\nb it: the cat\nc he\nx: Tuesday")
    }

    @Test("The judge counts what slots cannot rule out")
    func judge() {
        let plan = StoryPlan(
            language: .english, length: .short, wish: "sleepy-bear", cast: [.init(name: "Mina", pronoun: "she")])
        let judge = SlotJudge(plan)
        let sound = "{A} went out to look at the old red boat. "
        #expect(judge.cost(of: sound, isComplete: false) == 0)
        #expect(judge.cost(of: sound + "{q} went too.", isComplete: false) > 0)
        #expect(judge.cost(of: sound + "Then she slept.", isComplete: false) > 0)
        #expect(judge.cost(of: sound + sound, isComplete: false) > 0)
        #expect(judge.cost(of: sound, isComplete: true) > 0, "a story that ends too early")
        let lines = (0..<100).map { "{A} counted sheep number \($0)." }
        #expect(judge.cost(of: lines.prefix(20).joined(separator: " "), isComplete: true) == 0)
        #expect(judge.cost(of: lines.joined(separator: " "), isComplete: false) > 0, "a story that is too long")
    }

    @Test("The candidate whose slots can be filled is the best")
    func best() throws {
        let plan = StoryPlan(language: .english, wish: "sleepy-bear", cast: [.init(name: "Mina", pronoun: "she")])
        let candidates = ["{q} slept.", "{a} saw {a.him} and his hat.", "{a} slept."].map {
            StoryChooser.Candidate($0, isFollowed: true)
        }
        let best = try #require(StoryChooser.best(of: candidates, after: "", cost: SlotJudge(plan).cost))
        #expect(best.index == 2 && best.isSound)
    }
}
