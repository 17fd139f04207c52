import Foundation
import HearthStory
import HearthTestSupport
import Testing

/// Slots of a text that are filled while it streams.
@Suite("Slot filler", .timeLimit(.minutes(20)))
struct SlotFillerTests {
    /// A plan and an answer, written and filled by the training scripts (Tests/Fixtures/stories/make_plans.py).
    private struct Golden: Decodable {
        var language: StoryLanguage
        var length: StoryLength
        var wish: String
        var tags: [String]
        var cast: [[String]]
        var words: [String]
        var prompt: String
        var text: String
        /// nil for an answer that is to be rejected.
        var filled: String?

        var plan: StoryPlan {
            StoryPlan(
                language: language, length: length, wish: wish, tags: tags,
                cast: cast.map { Tale.Person(name: $0[0], pronoun: $0[1]) }, words: words)
        }

        static func all() throws -> [Golden] {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Fixtures/stories/plans.json")
            return try JSONDecoder().decode([Golden].self, from: Data(contentsOf: path))
        }
    }

    private func plan(_ language: StoryLanguage = .english, _ cast: (String, String)...) -> StoryPlan {
        StoryPlan(
            language: language, wish: "sleepy-bear", cast: cast.map { Tale.Person(name: $0.0, pronoun: $0.1) },
            words: ["red"])
    }

    /// What a filler returns for a text that comes in random pieces.
    private func streamed(_ text: String, _ plan: StoryPlan, _ random: inout SeededNumbers) -> String {
        var filler = plan.filler
        var result = ""
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            let size = Int.random(in: 1...8, using: &random)
            result += filler.feed(String(String.UnicodeScalarView(rest.prefix(size))))
            rest = rest.dropFirst(size)
        }
        return result + filler.finish()
    }

    private func whole(_ text: String, _ plan: StoryPlan) -> String {
        var filler = plan.filler
        return filler.feed(text) + filler.finish()
    }

    @Test("Plans are stated, and answers filled or rejected, as in training, however the text is split")
    func goldens() throws {
        var random = SeededNumbers.fresh()
        let rows = try Golden.all()
        #expect(rows.count > 30 && rows.contains { $0.filled == nil })
        for row in rows {
            #expect(row.plan.prompt == row.prompt)
            #expect(SlotFiller.filled(row.text, row.plan) == row.filled)
            for _ in 0..<8 {
                let text = streamed(row.text, row.plan, &random)
                if let filled = row.filled {
                    #expect(text == filled)
                } else {
                    #expect(text.unicodeScalars.contains(SlotFiller.fault))
                }
            }
        }
    }

    @Test("No text, however broken or split, leaves a part of a slot", arguments: StoryLanguage.allCases)
    func noMarkers(language: StoryLanguage) {
        var random = SeededNumbers.fresh()
        let parts = [
            "{", "}", "{a}", "{B}", "{g}", "{x}", "{a.he}", "{b.His}", "{a.ta}", "{a:está/están}", "{b:runs/run}",
            "{a:x}",
            "{a", "a}", ".he}", ":", "/", "\n\n", " ", ". ", "y ", "Y ", "¿Y ", "he", "his", "here", "él", "e\u{301}l",
            "ella", "他", "它", "它们", "们", "\u{FFFC}", "\u{301}", "{\u{301}", "Once", "。", "plan", "👩‍👧",
            String(repeating: "o", count: 50),
        ]
        let plan = plan(
            language, ("Inés", language == .english ? "she" : language == .spanish ? "f" : "她"), ("the cat", "it"))
        for _ in 0..<400 {
            let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            .joined()
            let result = whole(text, plan)
            #expect(streamed(text, plan, &random) == result, "\(text.debugDescription)")
            #expect(!result.unicodeScalars.contains { $0 == "{" || $0 == "}" }, "\(text.debugDescription)")
        }
    }

    @Test("English forms go by the pronoun")
    func english() {
        let text = "{A} {a.was} here, {a.he} {a:runs/run} {a.himself}, a {a:boy/girl/child}; {b}'s {x} hat."
        for (pronoun, expected) in [
            ("he", "Mina was here, he runs himself, a boy; the cat's red hat."),
            ("she", "Mina was here, she runs herself, a girl; the cat's red hat."),
            ("they", "Mina were here, they run themself, a child; the cat's red hat."),
        ] {
            #expect(SlotFiller.filled(text, plan(.english, ("Mina", pronoun), ("the cat", "it"))) == expected)
        }
        #expect(
            SlotFiller.filled("{B} slept. {X}.", plan(.english, ("Mina", "she"), ("the cat", "it")))
                == "The cat slept. Red.")
    }

    @Test("Spanish agrees with the gender, and y is e before the sound of i")
    func spanish() {
        let text = "Ana y {a}, {a:cansado/cansada}. ¿Y {a}? Y {a} y {b}. Hoy {a}."
        #expect(
            SlotFiller.filled(text, plan(.spanish, ("Inés", "f"), ("Leo", "m")))
                == "Ana e Inés, cansada. ¿Y Inés? E Inés y Leo. Hoy Inés.")
        #expect(
            SlotFiller.filled(text, plan(.spanish, ("Íñigo", "m"), ("Iván", "m")))
                == "Ana e Íñigo, cansado. ¿Y Íñigo? E Íñigo e Iván. Hoy Íñigo.")
        #expect(SlotFiller.filled("{a.he}", plan(.spanish, ("Inés", "f"))) == nil)
    }

    @Test("Chinese pronouns are the role's", arguments: ["他", "她", "它"])
    func chinese(pronoun: String) {
        let plan = plan(.simplifiedChinese, ("小雨", pronoun))
        #expect(SlotFiller.filled("{a}睡了，{a.ta}笑了。", plan) == "小雨睡了，\(pronoun)笑了。")
        #expect(SlotFiller.filled("它们睡了。", plan) == "它们睡了。")
        #expect(SlotFiller.filled("它睡了。", plan) == nil)
        #expect(SlotFiller.filled("他们睡了。", plan) == nil)
        #expect(SlotFiller.filled("{a:一/二}", plan) == nil)
    }

    @Test(
        "What cannot be filled, and a pronoun outside of a slot, is marked",
        arguments: [
            "{c} slept.", "{a.they} slept.", "{} slept.", "{a slept.", "a} slept.", "{a:x/y/z/w} slept.",
            "{a:his/their} hat.",
            "He slept.", "They saw her.", "It was his.", "{a\n} slept.", "\u{FFFC}.",
            "{a:" + String(repeating: "so ", count: 60) + "/x}",
        ])
    func faults(text: String) {
        #expect(SlotFiller.filled(text, plan(.english, ("Mina", "she"))) == nil)
    }

    @Test("A word that only begins like a pronoun is one of its own")
    func words() {
        let text = "Here the hero heard this; they shed hers_elf."
        #expect(SlotFiller.filled(text, plan(.english, ("Mina", "she"))) == text)
    }
}
