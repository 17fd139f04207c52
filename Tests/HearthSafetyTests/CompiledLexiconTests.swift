import Foundation
import HearthSafety
import HearthTestSupport
import Testing

/// The files made by `scripts/make-lexicons`, against what the filter compiles of the texts.
@Suite("Compiled lexicons", .timeLimit(.minutes(20)))
struct CompiledLexiconTests {
    static let languages = FilterLanguage.allCases.map(Optional.some) + [nil]

    @Test("Each file has the words, phrases and patterns of its text", arguments: languages)
    func same(_ language: FilterLanguage?) throws {
        let library = LexiconLibrary.shared
        let names = LexiconLibrary.files(for: language)
        let texts = try names.map { try library.parse($0) }
        for (name, text) in zip(names, CompiledLexicon(language: language, sources: texts).sources) {
            let file = try #require(
                library.compiled(name, for: language), "\(name).lexicon is stale: run scripts/make-lexicons")
            for set in [\CompiledSource.words, \.phrases] {
                let (found, expected) = (file[keyPath: set].all, text[keyPath: set].all)
                #expect(found.map(\.word) == expected.map(\.word), "\(name)")
                #expect(found.map(\.patterns) == expected.map(\.patterns), "\(name)")
            }
            #expect(file.affixes == text.affixes, "\(name)")
            #expect(
                [file.ending, file.vowels, file.ownLetters, file.shortWords]
                    == [text.ending, text.vowels, text.ownLetters, text.shortWords], "\(name)")
        }
    }

    /// All sentences of the fixtures in a language, as they are and in disguise.
    private func sentences(_ language: FilterLanguage) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        var found: [String] = []
        for name in ["unseen", "unseen-2", "unseen-3", "unseen-4", "idioms", "idioms/unseen"] {
            let file = folder.appendingPathComponent("\(name)/\(language.rawValue).txt")
            found += try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        return found.flatMap { text in
            [text, text.map(String.init).joined(separator: " "), text.replacingOccurrences(of: "i", with: "1")]
        }
    }

    @Test("Verdicts and matches are those of the texts", arguments: FilterLanguage.allCases)
    func verdicts(_ language: FilterLanguage) throws {
        let texts = OutputFilter(
            library: LexiconLibrary { $0.hasSuffix(".lexicon") ? nil : EmbeddedFile.bytes($0) })
        var counts: [Verdict.Action: Int] = [:]
        for sentence in fewerWhereSlow(try sentences(language)) {
            for known in [language, nil] {
                let expected = texts.judge(sentence, in: known)
                let verdict = OutputFilter().judge(sentence, in: known)
                #expect(verdict == expected, "\(sentence)")
                counts[verdict.action, default: 0] += 1
            }
        }
        #expect(counts.count == 3)
    }

    @Test("Without a file, or with a damaged one, the text is compiled")
    func damaged() throws {
        let sentence = "The wolf had a gun, and two knives."
        let expected = OutputFilter().judge(sentence, in: .english)
        #expect(expected.action == .swap)
        let bytes = try #require(EmbeddedFile.bytes("en.lexicon"))
        var changed = bytes
        changed[bytes.count / 2] ^= 4
        let damages: [[UInt8]?] = [nil, [], Array(bytes.prefix(7)), bytes.dropLast(), changed, bytes + [0]]
        for damage in damages {
            let library = LexiconLibrary { $0 == "en.lexicon" ? damage : EmbeddedFile.bytes($0) }
            #expect(library.compiled("en", for: .english) == nil)
            #expect(OutputFilter(library: library).judge(sentence, in: .english) == expected)
        }
    }

    @Test("A changed text counts at once")
    func changedText() throws {
        let text = try #require(EmbeddedFile.text("en.txt"))
        let changed = text.replacingOccurrences(of: "= murder violence stop", with: "= murder violence stop\nflumpet")
        #expect(changed != text)
        let library = LexiconLibrary { $0 == "en.txt" ? Array(changed.utf8) : EmbeddedFile.bytes($0) }
        #expect(OutputFilter(library: library).judge("A flumpet!", in: .english).action == .stop)
        #expect(OutputFilter().judge("A flumpet!", in: .english).action == .pass)
    }

    @Test("The files are smaller than four times the texts")
    func size() throws {
        func bytes(_ ending: String) throws -> Int {
            let folder = EmbeddedFileTests.folder
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(ending) }
                .reduce(0) { try $0 + Data(contentsOf: folder.appendingPathComponent($1)).count }
        }
        #expect(try bytes(".lexicon") < 4 * bytes(".txt"))
    }

    @Test("The graph finds what a plain search finds, and numbers the words in their order")
    func graph() {
        var generator = SeededNumbers(seed: 7)
        for _ in 0..<40 {
            let words = Set(
                (0..<12).map { _ in
                    (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                        UInt32.random(in: 0x61...0x63, using: &generator)
                    }
                }
            ).sorted { $0.lexicographicallyPrecedes($1) }
            let text = (0..<200).map { _ in UInt32.random(in: 0x60...0x63, using: &generator) }
            let graph = WordGraph(words)
            for start in text.indices {
                var found: Set<[Int]> = []
                graph.forEachWord(in: text, from: start) { found.insert([$0, $1]) }
                var expected: Set<[Int]> = []
                for (number, word) in words.enumerated() where text[start...].starts(with: word) {
                    expected.insert([start + word.count, number])
                }
                #expect(found == expected)
            }
            var visited: [[UInt32]] = []
            graph.visit(from: ()) { _, _ in
                ()
            } _: { word, number, _ in
                #expect(number == visited.count)
                visited.append(word)
            }
            #expect(visited == words)
        }
    }
}
