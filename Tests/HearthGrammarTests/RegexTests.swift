import Foundation
import HearthGrammar
import HearthTestSupport
import Testing

@Suite("Regular expressions", .timeLimit(.minutes(20))) struct RegexTests {
    /// A random expression, and whether it matches the empty text. Only what cannot be empty is repeated: a search that backtracks,
    /// as Foundation's, ends a repetition at its first empty round and so misses matches of `(?:(?:a*?)*?)?`.
    private static func expression(_ depth: Int, _ random: inout SeededNumbers) -> (text: String, canBeEmpty: Bool) {
        func inner() -> (text: String, canBeEmpty: Bool) { expression(depth - 1, &random) }
        func repeatable() -> String {
            let inner = inner()
            return inner.canBeEmpty ? inner.text + "b" : inner.text
        }
        switch random.below(depth > 0 ? 10 : 4) {
        case 0: return ("a", false)
        case 1: return ("b", false)
        case 2: return (["[ab]", "[^a]", "\\d", ".", "[b-d0]", "\\w"][random.below(6)], false)
        case 3: return ("c", false)
        case 4, 5:
            let (first, second) = (inner(), inner())
            return (first.text + second.text, first.canBeEmpty && second.canBeEmpty)
        case 6:
            let (first, second) = (inner(), inner())
            return ("(?:\(first.text)|\(second.text))", first.canBeEmpty || second.canBeEmpty)
        case 7:
            let sign = ["*", "+", "?", "*?"][random.below(4)]
            return ("(\(repeatable()))\(sign)", sign != "+")
        case 8:
            let least = random.below(3)
            return ("(?:\(repeatable())){\(least),\(2 + random.below(2))}", least == 0)
        default:
            let inner = inner()
            return (random.below(2) == 0 ? "(^\(inner.text)|b)" : "(?:\(inner.text)|a$)", inner.canBeEmpty)
        }
    }

    @Test("Random expressions, as whole matches, compared with Foundation's")
    func random() throws {
        var random = SeededNumbers.fresh()
        for _ in 0..<300 {
            let text = Self.expression(4, &random).text
            let other = try NSRegularExpression(pattern: "\\A(?:\(text))\\z")
            guard let grammar = try satisfiable({ () throws(GrammarError) in try Grammar(regex: text) }) else {
                continue
            }
            for _ in 0..<40 {
                let word = String((0..<random.below(7)).map { _ in Array("abc01d")[random.below(6)] })
                let matches = other.firstMatch(in: word, range: NSRange(0..<word.utf16.count)) != nil
                #expect((try grammar.verdict(of: word.utf8) == .accepted) == matches, "\(text) \(word)")
            }
        }
    }

    @Test("Repetitions of what can be empty match every number of rounds")
    func emptyRounds() throws {
        try expect(try Grammar(regex: "(^(((a)*?)*?)?|b)"), accepts: ["", "a", "aa", "b"], rejects: ["ab", "bb"])
        try expect(try Grammar(regex: "(?:a?){2,3}"), accepts: ["", "a", "aaa"], rejects: ["aaaa"])
        try expect(try Grammar(regex: "(?:(?:a*)+|b)*c"), accepts: ["c", "abaac"], rejects: ["", "ab"])
    }

    @Test("Characters beyond ASCII, escapes, properties")
    func characters() throws {
        try expect(try Grammar(regex: #"[à-ü]+\u{1F600}?\cJ?"#), accepts: ["é", "éü😀\n"], rejects: ["e", "ÿ", "😀"])
        try expect(try Grammar(regex: #"\p{Lu}\P{L}\s"#), accepts: ["Ä1\u{a0}"], rejects: ["ä1 "])
        try expect(try Grammar(regex: "[^a]"), accepts: ["😀", "é", "\n"], rejects: ["a", "", "ab"])
        // Broken UTF-8 is no character.
        #expect(try Grammar(regex: ".*").verdict(of: [0x61, 0xFF]) == .rejected(at: 1))
        #expect(try Grammar(regex: ".*").verdict(of: [0xED, 0xA0, 0x80]) == .rejected(at: 1))
        #expect(try Grammar(regex: ".").verdict(of: [0xF0, 0x9F]) == .rejected(at: 2))
    }

    @Test("What is not regular is refused, what is none is said")
    func errors() {
        for text in ["a(?=b)", "(?<!a)b", "(a)\\1", "\\bword", "(?i)a"] {
            #expect(throws: GrammarError.self, "\(text)") { _ = try Grammar(regex: text) }
        }
        for text in ["(", "a)", "*a", "a{2,1}", "[b-a]", "[a", "\\", "a**"] {
            do {
                _ = try Grammar(regex: text)
                Issue.record("\(text) is accepted")
            } catch {
                if case .malformed = error { continue }
                Issue.record("\(text): \(error)")
            }
        }
    }
}
