import Foundation
import HearthSafety
import HearthTestSupport
import Testing

/// Lines of a case file beside this one.
func cases<Case: Decodable>(_ name: String) throws -> [Case] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(Case.self, from: Data($0.utf8)) }
}

@Suite("Output filter", .timeLimit(.minutes(20)))
struct OutputFilterTests {
    struct Case: Decodable {
        var id: String
        var lang: String
        var text: String
        var expect: String
        var must_not_contain: [String]?
    }

    let filter = OutputFilter()

    @Test("Every case has its verdict, and what passes is left alone")
    func caseFile() throws {
        let all: [Case] = try cases("filter_cases.jsonl")
        #expect(all.count > 200)
        for one in all {
            let verdict = filter.judge(one.text, in: FilterLanguage(tag: one.lang))
            #expect(verdict.action.rawValue == one.expect, "\(one.id) \(one.text) → \(verdict.text)")
            for word in one.must_not_contain ?? [] { #expect(!verdict.text.contains(word), "\(one.id)") }
            if one.expect == "pass" { #expect(Array(verdict.text.utf8) == Array(one.text.utf8)) }
        }
    }

    @Test("Every lexicon can be read, and has enough words", arguments: FilterLanguage.allCases)
    func lexicons(_ language: FilterLanguage) throws {
        let lexicon = try LexiconLibrary.shared.parse(language.rawValue)
        #expect(lexicon.entries.count > 500 && lexicon.entries.allSatisfy { $0.rule != .pass })
        let innocent = try lexicon.innocentEntries()
        #expect(innocent.count > 100 && innocent.allSatisfy { $0.rule == .pass })
        #expect(!lexicon.ending.isEmpty)
        // What is said instead is innocent itself, and so is the last line.
        for text in Set(lexicon.entries.map(\.replacement)).union([lexicon.ending]) {
            #expect(filter.judge(text, in: language).action == .pass, "\(text)")
        }
    }

    @Test("A line that cannot be read is named")
    func brokenLexicon() {
        #expect(throws: LexiconError.line(file: "x", number: 2, problem: "there is no paradigm 'v'")) {
            try LexiconParser.parse("= kill violence swap\nkill/v > catch", file: "x")
        }
        #expect(throws: LexiconError.self) { try LexiconParser.parse("kill > catch", file: "x") }
        #expect(throws: LexiconError.self) { try LexiconParser.parse("= a b c", file: "x") }
        #expect(throws: LexiconError.self) { try LexiconParser.parse("@nonsense", file: "x") }
        // Innocent phrases are expanded when they are needed.
        let broken = try? LexiconParser.parse("\n~ shooting star, {a", file: "x")
        #expect(throws: LexiconError.line(file: "x", number: 2, problem: "a brace is not closed")) {
            try broken?.innocentEntries()
        }
    }

    @Test("A form counts where its signs allow it, and only there")
    func signs() throws {
        func finds(_ words: String, _ language: FilterLanguage, _ text: String, letters: String = "") throws -> Bool {
            let source = "@letters \(letters)\n@marks optional\n= kill violence swap\n\(words) > catch\n"
            let lexicon = CompiledLexicon(language: language, sources: [try LexiconParser.parse(source, file: "x")])
            return SentenceJudge(lexicon: lexicon, sentence: text).verdict().action != .pass
        }
        let kana = "がだばぱ"
        #expect(try finds("(は)ばか(だ)", .japanese, "おまえはばかだ", letters: kana))
        #expect(try !finds("(は)ばか(だ)", .japanese, "おまえはばかり", letters: kana))
        #expect(try !finds("(は)ばか(だ)", .japanese, "これそばかだ", letters: kana))
        // A word and the compounds that end with it are two entries.
        #expect(try finds("messer, 3*messer", .german, "ein Jagdmesser"))
        #expect(try finds("messer, 3*messer", .german, "ein Messer"))
        #expect(try !finds("messer, 3*messer", .german, "ein Essmessern"))
        // A mark may be forgotten, or hide a letter; one that the language writes there is part of another word.
        #expect(try finds("dégage", .french, "degage", letters: "é"))
        #expect(try !finds("dégage", .french, "dégagé", letters: "é"))
        #expect(try finds("matar", .spanish, "mátár", letters: "á"))
        #expect(throws: LexiconError.self) { try finds("(は)ばか(だ)者", .japanese, "") }
        #expect(try !finds("kill, killing > catch\n- killing\nslay", .english, "killing"))
    }

    @Test("Nothing crosses the seam between two sentences")
    func seams() {
        func action(_ parts: [String]) -> [String] {
            var seam = Seam()
            return parts.map {
                let verdict = filter.judge($0, in: .english, after: seam)
                seam = verdict.seam
                return verdict.action.rawValue + ": " + verdict.text
            }
        }
        #expect(action(["the wolf wanted to ki", "ll the pig"])[1] == "swap:  the pig")
        #expect(action(["it was mur", "der"])[1].hasPrefix("stop"))
        #expect(action(["Shut", "up, said the cat."])[1].hasPrefix("swap"))
        #expect(action(["The sun set.", "A star came out."]) == ["pass: The sun set.", "pass: A star came out."])
    }

    @Test("The hundredth bad word is found like the first")
    func nothingWearsDown() {
        for _ in 0..<100 { #expect(filter.judge("The wolf had a gun.", in: .english).action == .swap) }
    }

    @Test("Soft words keep case, number and article")
    func swaps() {
        #expect(filter.judge("An idiot, he said.", in: .english).text == "A silly goose, he said.")
        #expect(filter.judge("KNIVES lay there.", in: .english).text == "SPOONS lay there.")
        #expect(filter.judge("He killed two.", in: .english).text == "He caught two.")
        #expect(filter.judge("El lobo mató.", in: .spanish).text == "El lobo atrapó.")
        #expect(filter.judge("해적은 칼을 꺼냈어요.", in: .korean).text == "해적은 숟가락을 꺼냈어요.")
    }

    @Test("An unknown language is judged by what needs none")
    func unknownLanguage() {
        #expect(filter.judge("Die Sonne war hell.", in: nil).action == .pass)
        #expect(filter.judge("Look, a 🔫!", in: nil).action == .swap)
        #expect(FilterLanguage(tag: "pt-BR") == .portuguese)
        #expect(FilterLanguage(tag: "zh_TW") == .traditionalChinese)
        #expect(FilterLanguage(tag: "zh-CN") == .simplifiedChinese)
        for tag in ["tlh", "", " ", "englisch", "enx", "-"] { #expect(FilterLanguage(tag: tag) == nil, "\(tag)") }
    }

    @Test(
        "Tags with blanks, locales, three-letter codes and names are resolved",
        arguments: [
            (" en", .english), ("en ", .english), ("English", .english), ("eng", .english), ("en_US.UTF-8", .english),
            ("zh_TW.UTF-8", .traditionalChinese), ("zho-Hant", .traditionalChinese), ("Chinese", .simplifiedChinese),
            ("ger", .german), ("de@euro", .german), ("PORTUGUESE", .portuguese), ("jpn", .japanese),
        ] as [(String, FilterLanguage)])
    func looseTags(_ tag: String, _ language: FilterLanguage) {
        #expect(FilterLanguage(tag: tag) == language)
    }

    @Test(
        "Hostile texts are folded to a bounded number of units, and judged without harm",
        arguments: ["k.", "k ", "*", "1", "<b", "&#", "a\u{301}", "死", "die ", "1l!|", "\u{200B}"])
    func hostile(_ unit: String) {
        let text = String(repeating: unit, count: 3000)
        let verdict = filter.judge(text, in: .english)
        #expect(verdict.matches.count <= 64)
        #expect(filter.judge(text, in: .japanese).matches.count <= 64)
    }

    @Test("Themes to avoid are there in the story languages")
    func negativePrompts() {
        #expect(NegativePrompt.languages == ["en", "es", "zh-Hans"])
        for language in [FilterLanguage.english, .spanish, .simplifiedChinese] {
            #expect(NegativePrompt.text(for: language).count > 60)
        }
    }
}
