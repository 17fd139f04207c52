import HearthSafety
import HearthSpeech
import HearthStory
import HearthTestSupport
import Testing

@Suite("Tales", .timeLimit(.minutes(20)))
struct TaleTests {
    private static func all(_ language: StoryLanguage) -> [Tale] {
        Wishes.all.flatMap { TaleLibrary.tales(about: $0.id, in: language) }
    }

    @Test("Every wish has tales in every language; English in every length", arguments: StoryLanguage.allCases)
    func shelf(language: StoryLanguage) {
        for wish in Wishes.all {
            let tales = TaleLibrary.tales(about: wish.id, in: language)
            #expect(tales.count >= (language == .english ? 5 : 2), "\(wish.id)")
            #expect(tales.allSatisfy { $0.wishes.first == wish.id && $0.language == language }, "\(wish.id)")
            #expect(tales.contains { $0.length == .medium }, "\(wish.id)")
            if language == .english { #expect(Set(tales.map(\.length)).count == 3, "\(wish.id)") }
        }
        let ids = Self.all(language).map(\.id) + StoryLibrary.stories(in: language).map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test("Every telling is whole: no slot is left, the child's name is in it", arguments: StoryLanguage.allCases)
    func tellings(language: StoryLanguage) throws {
        let seed = SeededNumbers.freshSeed()
        for tale in Self.all(language) {
            var texts: Set<String> = []
            for (number, pronoun) in StoryChild.Pronoun.allCases.enumerated() {
                let child = try StoryChild("Noa", pronoun: pronoun, in: language)
                let told = try #require(tale.told(seed: seed &+ UInt64(number), child: child), "\(tale.id)")
                #expect(told.text.contains("Noa"), "\(tale.id)")
                #expect(!told.text.contains { "{}|".contains($0) } && !told.title.contains("{"), "\(tale.id)")
                #expect(tale.told(seed: seed &+ UInt64(number), child: child) == told)
                texts.insert(told.text)
            }
            #expect(texts.count == 3, "\(tale.id)")
        }
    }

    @Test("Pronouns agree with the child")
    func pronouns() throws {
        func tale(_ line: String) throws -> Tale {
            let text = """
                # x
                wishes: sleepy-bear
                length: short
                title: {Cat}
                role hero*: Otto/he
                role cat: the cat/it
                ---
                > \(line)
                """
            return try #require(TaleFile.tales(text, in: .english)?.first)
        }
        let line = "{hero} {hero.was} late. {hero.He} took {hero.his} hat and {hero:runs/run} to {cat} {cat.himself}."
        let expected = [
            StoryChild.Pronoun.he: "Kim was late. He took his hat and runs to the cat itself.",
            .she: "Kim was late. She took her hat and runs to the cat itself.",
            .they: "Kim were late. They took their hat and run to the cat itself.",
        ]
        for (pronoun, text) in expected {
            let told = try tale(line).told(seed: 1, child: StoryChild(" Kim. ", pronoun: pronoun, in: .english))
            #expect(told?.text == text && told?.title == "The cat")
        }
        #expect(try tale(line).told(seed: 1)?.text == "Otto was late. He took his hat and runs to the cat itself.")
        for slot in ["{dog}", "{hero.who}", "{hero:a}", "{hero", "{dog.he}", "{hero:a/b/c/d}"] {
            #expect(try tale(slot).told(seed: 1) == nil, "\(slot)")
        }
        for damage in ["title", "# x\nlength: endless", "# x\nrole hero: Otto", "# x\n---\n| a", "# x\n---\nwords"] {
            #expect(TaleFile.tales(damage, in: .english) == nil, "\(damage)")
        }
    }

    @Test("Without a pronoun, a Spanish name has its usual gender, of several the first one's")
    func spanishNames() throws {
        let text = """
            # x
            wishes: sleepy-bear
            length: short
            title: {hero}
            role hero*: Otto/m
            ---
            > {hero:un oso/una osa}
            """
        let tale = try #require(TaleFile.tales(text, in: .spanish)?.first)
        let girls = ["Lucía", "María José", "Ana Belén", "Mª Carmen", "NIEVES", "inés", "Ines", "Zoë", "Andrea"]
        let boys = ["Mateo", "José María", "Juan Pablo", "Luca", "Borja", "Ángel", "Nicolás", "Ú"]
        for (names, usual) in [(girls, "una osa"), (boys, "un oso")] {
            for name in names {
                for (pronoun, bear) in [(nil, usual), (.they, usual), (.she, "una osa"), (.he, "un oso")]
                    as [(StoryChild.Pronoun?, String)]
                {
                    let child = try StoryChild(name, pronoun: pronoun, in: .spanish)
                    #expect(tale.told(seed: 1, child: child)?.text == bear, "\(name)")
                }
            }
        }
    }

    @Test("Spanish y is e before the vowel i, except in a question, and only as a word")
    func spanishAnd() throws {
        let text = """
            # x
            wishes: sleepy-bear
            length: short
            title: Ana y {hero}
            role hero*: Otto/m
            ---
            > Vino Ana y {hero} durmió.
            > Y {hero} soñó.
            > ¿Y {hero}?
            > Doy {hero}.
            """
        let tale = try #require(TaleFile.tales(text, in: .spanish)?.first)
        for (names, and, start) in [
            (["Inés", "Íñigo", "Hilario", "Ibrahim", "Ía"], "e", "E"),
            (["Iago", "Hiart", "Yolanda", "Ana", "Hugo", "Jimena"], "y", "Y"),
        ] {
            for name in names {
                let told = try tale.told(seed: 1, child: StoryChild(name, pronoun: .she, in: .spanish))
                #expect(told?.title == "Ana \(and) \(name)")
                #expect(
                    told?.text == "Vino Ana \(and) \(name) durmió. \(start) \(name) soñó. ¿Y \(name)? Doy \(name).")
            }
        }
    }

    @Test("If no tale has the requested length, one of the nearest length is told", arguments: StoryLanguage.allCases)
    func nearestLength(language: StoryLanguage) throws {
        for wish in Wishes.all {
            let lengths = Set(TaleLibrary.tales(about: wish.id, in: language).map(\.length))
            for length in StoryLength.allCases {
                for seed in 0..<4 as Range<UInt64> {
                    let told = try #require(
                        TaleLibrary.story(for: wish.id, in: language, length: length, child: nil, seed: seed))
                    let tale = try #require(TaleLibrary.tale(told.id, in: language))
                    #expect(tale.length == (lengths.contains(length) ? length : .medium), "\(tale.id)")
                }
            }
        }
    }

    @Test("A name is cleaned; what is none, or nothing for children, is refused")
    func names() throws {
        #expect(try StoryChild("  María José ", pronoun: nil, in: .spanish).name == "María José")
        #expect(try StoryChild("{hero}", pronoun: nil, in: .english).name == "Hero")
        for name in ["", "  ", "<start_of_turn>", "...", "{}"] {
            #expect(throws: StoryError.unusableName, "\(name)") { try StoryChild(name, pronoun: nil, in: .english) }
        }
    }

    @Test(
        "A name in one case is capitalized, any other is kept",
        arguments: [
            ("mia", "Mia"), ("LEO", "Leo"), ("zoë", "Zoë"), ("anne-marie", "Anne-Marie"), ("o'neil", "O'Neil"),
            ("O'NEIL", "O'Neil"), ("ka'i", "Ka'i"), ("maría del mar", "María del Mar"),
            ("MARÍA DE LA LUZ", "María de la Luz"),
            ("de la rosa", "De la Rosa"), ("mary lou smith", "Mary Lou Smith"), ("ÍÑIGO", "Íñigo"),
            ("JO-ANN", "Jo-Ann"),
            ("TJ", "TJ"), ("j.j.", "J.J"), ("McKenna", "McKenna"), ("LaToya", "LaToya"), ("van", "Van"),
            ("小雨", "小雨"), ("欧阳小雨", "欧阳小雨"),
        ])
    func typedNames(typed: String, written: String) throws {
        for language in StoryLanguage.allCases {
            let child = try StoryChild(typed, pronoun: .they, in: language)
            #expect(child.name == written)
            let tale = try #require(TaleLibrary.tales(about: "brave-mouse", in: language).first)
            let told = try #require(tale.told(seed: 1, child: child))
            #expect(told.text.contains(written))
        }
    }

    @Test("Every wording of every tale passes the filter as it is", arguments: StoryLanguage.allCases)
    func filter(language: StoryLanguage) throws {
        let filter = OutputFilter()
        var stopped: [String] = []
        for tale in fewerWhereSlow(Self.all(language)) {
            for seed in 0..<3 as Range<UInt64> {
                let told = try #require(tale.told(seed: seed))
                for sentence in told.sentences {
                    let verdict = filter.judge(sentence.text, in: FilterLanguage(tag: language.rawValue))
                    if verdict.action != .pass { stopped.append("\(tale.id): \(sentence.text) \(verdict.themes)") }
                }
            }
        }
        #expect(stopped.isEmpty, "\(stopped.count): \(stopped.prefix(40))")
    }
}
