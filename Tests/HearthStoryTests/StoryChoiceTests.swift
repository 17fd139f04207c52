import HearthSafety
import HearthStory
import Testing

@Suite("Stories chosen by other stories")
struct StoryChoiceTests {
    private func tales(_ language: StoryLanguage) -> [Tale] {
        Wishes.all.flatMap { TaleLibrary.tales(about: $0.id, in: language) }
    }

    private func request(_ choice: StoryChoice, _ language: StoryLanguage = .english) throws -> StoryRequest {
        var request = StoryRequest(.wish(try #require(choice.wish(in: language))), in: language)
        request.choice = choice
        return request
    }

    @Test("The same again: the words of the telling that the seed gave", arguments: StoryLanguage.allCases)
    func again(language: StoryLanguage) throws {
        let child = try StoryChild("Mina", pronoun: .she, in: language)
        for seed in 1...20 as ClosedRange<UInt64> {
            var first = StoryRequest(.wish(try #require(Wishes.drawn(by: seed))), in: language)
            first.child = seed % 2 == 0 ? child : nil
            let told = try #require(first.tale(seed: seed))
            var second = try request(.story(told.id), language)
            second.child = first.child
            #expect(second.tale(seed: seed) == told)
            #expect(second.tale(seed: seed + 1)?.id == told.id)
        }
    }

    @Test("Another like it: about the same wish, and never itself", arguments: StoryLanguage.allCases)
    func another(language: StoryLanguage) throws {
        for tale in tales(language) {
            let other = try #require(try request(.like(tale.id), language).tale(seed: 7))
            #expect(other.wishes.first == tale.wishes.first && other.id != tale.id)
            #expect(TaleLibrary.tale(other.id, in: language) != nil)
        }
        for story in StoryLibrary.stories(in: language) {
            let other = try #require(try request(.like(story.id), language).tale(seed: 7))
            #expect(other.id != story.id && StoryLibrary.story(other.id, in: language) != nil)
        }
    }

    @Test("Another evening: the friends keep their names, and nobody else has them", arguments: StoryLanguage.allCases)
    func evenings(language: StoryLanguage) throws {
        let child = try StoryChild("Mina", pronoun: .she, in: language)
        for tale in tales(language) {
            var request = try request(.after(tale.id, evening: 2), language)
            request.child = child
            let seed: UInt64 = 11
            let cast = tale.cast(seed: TaleLibrary.tellingSeed(seed), child: child)
            let evening = try #require(request.tale(seed: seed), "\(tale.id)")
            #expect(request.tale(seed: seed) == evening)
            #expect(evening.id != tale.id && evening.wishes.first == tale.wishes.first)
            let paragraphs = evening.text.split(separator: "\n\n")
            let frame = (paragraphs.first ?? "") + (paragraphs.last ?? "")
            #expect(frame.contains("Mina") && !frame.contains("{"))
            if let other = tale.roles.first(where: { $0.name != tale.hero }).flatMap({ cast[$0.name] }) {
                let listens = frame.lowercased().contains(other.name.lowercased())
                #expect(listens == (tale.friend != nil), "\(tale.id)")
            }
            #expect(!paragraphs.dropFirst().dropLast().joined().contains("Mina"), "\(tale.id)")
        }
    }

    @Test(
        "Another evening: whoever lives apart from the hero does not come to listen",
        arguments: [
            ("the-kite-on-the-crescent", StoryLanguage.simplifiedChinese, false),
            ("guarding-the-persimmons", .simplifiedChinese, true),
            // They write letters, or one dances and the other knocks from below.
            ("dear-castle", .english, false), ("the-broom-downstairs", .english, false),
            ("the-moon-in-the-pail", .english, true),
            ("el-techo-de-abajo", .spanish, false), ("como-se-dobla-un-globo", .spanish, true),
        ])
    func apart(id: String, language: StoryLanguage, meets: Bool) throws {
        let tale = try #require(TaleLibrary.tale(id, in: language))
        #expect(tale.roles.count >= 2 && (tale.friend != nil) == meets)
        let evening = try #require(request(.after(id, evening: 2), language).tale(seed: 3))
        let sky: [StoryLanguage: String] = [.english: "moon", .spanish: "luna", .simplifiedChinese: "星星"]
        let opening = evening.text.split(separator: "\n\n")[0].lowercased()
        #expect(opening.contains(try #require(sky[language])) != meets)
    }

    @Test("Another evening: whoever listens is nobody in the tale", arguments: StoryLanguage.allCases)
    func listeners(language: StoryLanguage) {
        let all = tales(language)
        for tale in all {
            for other in all where other.id != tale.id && other.wishes.first == tale.wishes.first {
                for listener in tale.friend?.people ?? [] {
                    let roles = other.roles.filter { $0.people.allSatisfy { listener.name.contains($0.name) } }
                    #expect(roles.isEmpty, "\(tale.id), \(other.id): \(listener.name)")
                }
            }
        }
    }

    @Test("No evening's tale comes back before all of the wish were told; long ones come last")
    func order() throws {
        let all = TaleLibrary.tales(about: "friendly-dragon", in: .english)
        let first = try #require(all.first { $0.length == .medium })
        let ids = try (2...all.count).map { evening in
            try #require(try request(.after(first.id, evening: evening)).tale(seed: 5)).id
        }
        #expect(Set(ids + [first.id]) == Set(all.map(\.id)))
        let long = try #require(all.first { $0.length == .long })
        #expect(ids.last == long.id)
    }

    @Test("What stands around another evening's tale passes the filter", arguments: StoryLanguage.allCases)
    func frames(language: StoryLanguage) throws {
        let frames = try #require(TaleEvening.frames[language])
        #expect(frames.count == 2 && frames.allSatisfy { $0.paragraphs.count == 2 })
        let people = [
            "hero": Tale.Person(name: "Mina", pronoun: language == .english ? "she" : "f"),
            "friend": Tale.Person(name: "Bruno", pronoun: language == .english ? "he" : "m"),
        ]
        let filter = OutputFilter()
        for frame in frames {
            // In Spanish a dash of dialogue begins a paragraph.
            for paragraph in frame.paragraphs {
                #expect(!paragraph.dropFirst().joined().contains { $0.hasPrefix("—") }, "\(frame.id)")
            }
            for seed in 1...60 as ClosedRange<UInt64> {
                let text = try #require(frame.told(seed: seed, cast: people)).text
                #expect(filter.judge(text, in: FilterLanguage(tag: language.rawValue)).action == .pass, "\(text)")
            }
        }
    }

    @Test("What stands around a Spanish tale agrees with two girls")
    func twoGirls() throws {
        let frames = try #require(TaleEvening.frames[.spanish])
        let people = [
            "hero": Tale.Person(name: "Nieves", pronoun: "f"), "friend": Tale.Person(name: "Naira", pronoun: "f"),
        ]
        for frame in frames {
            for seed in 1...60 as ClosedRange<UInt64> {
                let text = try #require(frame.told(seed: seed, cast: people)).text
                #expect(!text.contains("juntos") && !text.contains("dormido"), "\(text)")
            }
        }
    }

    @Test("Around a Spanish tale, a title has its article, and y is e before an i")
    func titles() throws {
        let child = try StoryChild("Inés", pronoun: .she, in: .spanish)
        for (id, friend) in [("como-se-dobla-un-globo", "la tía "), ("el-faro-de-los-restos", "el farero ")] {
            for seed in 1...30 as ClosedRange<UInt64> {
                var request = try request(.after(id, evening: 2), .spanish)
                request.child = child
                let paragraphs = try #require(request.tale(seed: seed)).text.split(separator: "\n\n")
                let frame = (paragraphs.first ?? "") + " " + (paragraphs.last ?? "")
                #expect(frame.lowercased().contains(friend), "\(frame)")
                #expect(!frame.contains(/[yY] (Inés|tía|farero)/) && !frame.contains(/[.:] (Tía|Farero)/), "\(frame)")
            }
        }
    }

    @Test("Ids that there are not, and finished stories that cannot go on")
    func unknown() {
        #expect(StoryChoice.story("nobody").wish(in: .english) == nil)
        #expect(StoryChoice.after("the-lowest-note", evening: 2).wish(in: .english) == nil)
        #expect(StoryChoice.like("the-lowest-note").wish(in: .english) != nil)
        // Each language has its own.
        #expect(StoryChoice.story("the-hoard").wish(in: .spanish) == nil)
    }
}
