import Foundation
import HearthSafety
import Testing

/// Sentences that the lexicons were not written from; see `Fixtures/unseen/README.md`.
@Suite("Sentences written without the lexicons", .timeLimit(.minutes(20)))
struct UnseenSentenceTests {
    struct Sentence {
        var text: String
        /// The word that must not be heard; nil for an innocent sentence.
        var word: String?
    }

    static func sentences(_ language: FilterLanguage, in set: String = "unseen") throws -> [Sentence] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(set)")
        let file = folder.appendingPathComponent("\(language.rawValue).txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let text = String(line.dropFirst(2))
            guard line.hasPrefix("!") else { return Sentence(text: text) }
            let word = text.split(separator: "[").last?.split(separator: "]").first.map(String.init)
            return Sentence(text: text, word: word)
        }
    }

    let filter = OutputFilter()

    @Test("At least 97 in 100 are caught and at most 2 in 100 are held back", arguments: FilterLanguage.allCases)
    func plain(_ language: FilterLanguage) throws {
        let all = try Self.sentences(language)
        let harmful = all.filter { $0.word != nil }.map { $0.text.filter { $0 != "[" && $0 != "]" } }
        let innocent = all.filter { $0.word == nil }.map(\.text)
        #expect(harmful.count >= 60 && innocent.count >= 40)
        let missed = harmful.filter { filter.judge($0, in: language).action == .pass }
        #expect(missed.count * 100 <= harmful.count * 3, "\(missed)")
        let blocked = innocent.filter { filter.judge($0, in: language).action != .pass }
        #expect(blocked.count * 100 <= innocent.count * 2 + 100, "\(blocked)")
    }

    /// Which ones fail is not printed: these sets measure what was mended without them, see the README of each.
    @Test(
        "Later sets: about 9 in 10 caught, at most 3 in 20 held back", arguments: FilterLanguage.allCases,
        [(name: "unseen-2", count: 50, least: 27), ("unseen-3", 50, 25), ("unseen-4", 60, 35)])
    func laterSets(_ language: FilterLanguage, _ set: (name: String, count: Int, least: Int)) throws {
        let all = try Self.sentences(language, in: set.name)
        let judged = all.map { sentence in
            filter.judge(sentence.text.filter { $0 != "[" && $0 != "]" }, in: language).action != .pass
        }
        let caught = zip(all, judged).count { $0.word != nil && $1 }
        let blocked = zip(all, judged).count { $0.word == nil && $1 }
        #expect(all.count == set.count)
        #expect(caught >= set.least)
        #expect(blocked <= 3)
    }

    /// Mended with its misses at hand, so they are named.
    @Test(
        "The fifth set: at least 57 of 60 caught, at most 3 held back",
        arguments: [FilterLanguage.english, .spanish, .german, .french, .simplifiedChinese])
    func fifthSet(_ language: FilterLanguage) throws {
        let all = try Self.sentences(language, in: "unseen-5")
        #expect(all.count { $0.word != nil } == 60 && all.count == 120)
        let judged = all.map { sentence in
            filter.judge(sentence.text.filter { $0 != "[" && $0 != "]" }, in: language).action != .pass
        }
        let missed = zip(all, judged).filter { $0.word != nil && !$1 }.map { $0.0.text }
        let blocked = zip(all, judged).filter { $0.word == nil && $1 }.map { $0.0.text }
        #expect(missed.count <= 3, "\(missed)")
        #expect(blocked.count <= 3, "\(blocked)")
    }

    /// Tricks that apply to a word in any script, and those for scripts with single letters.
    private static let anywhere: [@Sendable (String) -> String] = [
        { $0.map(String.init).joined(separator: "\u{200B}") },
        { $0.map(String.init).joined(separator: "\u{AD}") },
        { "\u{202A}" + $0.map(String.init).joined(separator: "\u{2060}") + "\u{202C}" },
        { $0.decomposedStringWithCanonicalMapping },
        { word in word.unicodeScalars.prefix(1).map { "&#\($0.value);" }.joined() + word.dropFirst() },
    ]
    private static let lettered: [@Sendable (String) -> String] = [
        { $0.map(String.init).joined(separator: " ") },
        { $0.map(String.init).joined(separator: "-") },
        { $0.map(String.init).joined(separator: "*") },
        { word in word.prefix(1) + "<i>" + word.dropFirst().prefix(1) + "</i>" + word.dropFirst(2) },
        { $0.unicodeScalars.map { "\($0)\u{336}\u{308}" }.joined() },
        { word in
            guard let second = word.dropFirst().first else { return word }
            return word.prefix(1) + String(repeating: second, count: 5) + word.dropFirst(2)
        },
    ]

    @Test("Disguised, each by another trick in turn", arguments: FilterLanguage.allCases)
    func disguised(_ language: FilterLanguage) throws {
        let hasLetters = !language.isUnspaced && language != .korean
        let tricks = hasLetters ? Self.anywhere + Self.lettered : Self.anywhere
        // Phrases have blanks of their own, and a word of two letters cannot be spelled out.
        let words = try Self.sentences(language).filter { ($0.word?.count ?? 0) > (hasLetters ? 3 : 0) }
        var tried = 0
        var missed: [String] = []
        for (index, sentence) in words.enumerated() {
            guard let word = sentence.word, !word.contains(" "), !word.contains("'") else { continue }
            for trick in [tricks[index % tricks.count], tricks[(index + 4) % tricks.count]] {
                let text = sentence.text.replacingOccurrences(of: "[\(word)]", with: trick(word))
                    .filter { $0 != "[" && $0 != "]" }
                tried += 1
                if filter.judge(text, in: language).action == .pass { missed.append(text) }
            }
        }
        #expect(tried > 60)
        #expect(missed.count * 100 <= tried * 3, "\(missed)")
    }
}
