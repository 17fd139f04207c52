import HearthSystem
import HearthTestSupport
import HearthTokenizer
import Testing

/// A vocabulary made of few letters, so that random text hits merges, ties, overlaps and markers all the time.
private struct RandomVocabulary {
    let reference: ReferenceTokenizer
    let tokenizer: TextTokenizer

    static let letters = ["a", "b", "c", "\u{2581}", "é", "🙂", "<", ">", "|", "\n"]

    init(seed: UInt64, byRank: Bool) throws {
        var random = Xoshiro256(seed: seed)
        func word(_ most: Int, _ letters: [String]) -> String {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
                .joined()
        }
        var pieces = (0...255).map { "<0x\(Vocabulary.hex(UInt8($0)))>" }
        var kinds = [TokenKind](repeating: .byte, count: 256)
        let raw = Self.letters.map { $0 == "\u{2581}" ? " " : $0 }
        for _ in 0..<6 {
            pieces.append(word(4, raw))
            kinds.append([.userDefined, .control, .unknown].randomElement(using: &random) ?? .control)
        }
        for letter in Self.letters where Bool.random(using: &random) || letter == "a" {
            pieces.append(letter)
            kinds.append(.normal)
        }
        for _ in 0..<60 {
            pieces.append(word(5, Self.letters))
            kinds.append([.normal, .normal, .unused, .control].randomElement(using: &random) ?? .normal)
        }
        // Few different scores: ties are the rule.
        let scores = pieces.map { _ in Float(Int.random(in: -4...0, using: &random)) }
        var merges: [(String, String)]?
        if byRank {
            merges = (0..<80).map { _ in (word(2, Self.letters), word(2, Self.letters)) }
            for piece in pieces.suffix(60) where piece.unicodeScalars.count > 1 {
                let cut = piece.index(piece.startIndex, offsetBy: piece.count / 2)
                if cut > piece.startIndex { merges?.append((String(piece[..<cut]), String(piece[cut...]))) }
            }
        }
        let vocabulary = try Vocabulary(pieces: pieces, kinds: kinds, scores: scores, merges: merges)
        tokenizer = TextTokenizer(vocabulary)
        reference = ReferenceTokenizer(
            pieces: pieces.map { Array($0.utf8) }, kinds: kinds, scores: scores,
            merges: merges.map { $0.map { (Array($0.0.utf8), Array($0.1.utf8)) } })
    }

    /// Letters of the vocabulary, real spaces, and now and then a byte that is not UTF-8.
    static func text(_ random: inout Xoshiro256, length: Int) -> [UInt8] {
        (0..<length).flatMap { _ -> [UInt8] in
            switch Int.random(in: 0..<20, using: &random) {
            case 0: [UInt8.random(in: 0x80...0xFF, using: &random)]
            case 1...4: [0x20]
            default: Array((letters.randomElement(using: &random) ?? "a").utf8)
            }
        }
    }
}

@Suite("Tokenizer: fast equals plain", .timeLimit(.minutes(20)))
struct TokenizerPropertyTests {
    @Test(arguments: [false, true], [false, true])
    func randomTextOnRandomVocabularies(byRank: Bool, parseSpecial: Bool) throws {
        for seed: UInt64 in 0..<15 {
            let vocabulary = try RandomVocabulary(seed: seed, byRank: byRank)
            var random = Xoshiro256(seed: seed + 1000)
            for length in [1, 2, 5, 12, 30, 120] {
                let text = RandomVocabulary.text(&random, length: length)
                let fast = vocabulary.tokenizer.encode(bytes: text, parseSpecial: parseSpecial)
                let plain = vocabulary.reference.encode(text, parseSpecial: parseSpecial)
                #expect(fast == plain, "seed \(seed), \(String(decoding: text, as: UTF8.self).debugDescription)")
            }
        }
    }

    @Test(arguments: GemmaFixtures.tokenizers)
    func decodingGivesTheBytesBack(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        var random = Xoshiro256(seed: 7)
        for length in 0..<200 {
            let text = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try tokenizer.decode(tokenizer.encode(bytes: text)) == text)
        }
    }

    @Test(arguments: GemmaFixtures.tokenizers)
    func textNeverBecomesAControlToken(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        for index in 0..<TokenID(tokenizer.vocabulary.count) {
            let kind = try tokenizer.vocabulary.kind(of: index)
            guard kind == .control || kind == .unknown else { continue }
            let piece = try tokenizer.vocabulary.bytes(of: index)
            let ids = tokenizer.encode(bytes: piece)
            #expect(!ids.contains(index))
            #expect(try tokenizer.decode(ids) == piece)
            #expect(tokenizer.encode(bytes: piece, parseSpecial: true) == [index])
        }
    }

    /// Counts of pair look-ups, not wall time: twice the text may cost twice the work, and a little for the tail.
    @Test(arguments: GemmaFixtures.tokenizers)
    func noTextIsQuadratic(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        let units = ["a", " ", "\n", "<", "🙂", "<start_of", "<|tu", "\u{2581}", "ab ", "e\u{301}", "th", "</b", "\t"]
        for unit in units {
            func lookups(_ length: Int) -> Int {
                var tokens: [TokenID] = []
                let text = Array(String(repeating: unit, count: length / unit.utf8.count).utf8)
                return tokenizer.append(text, matching: .all, to: &tokens)
            }
            let (small, large) = (lookups(2_000), lookups(16_000))
            #expect(large <= 9 * small + 64, "\(unit.debugDescription): \(small) then \(large)")
            #expect(large <= 3 * 16_000)
        }
    }

    /// Wall time only as a guard against hanging: a quadratic step would take minutes.
    @Test(.timeLimit(.minutes(20)), arguments: GemmaFixtures.tokenizers)
    func longRunsOfAnythingEnd(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        for unit in ["a", " ", "\n", "<", "🙂", "<start_of_tur", "\u{2581}"] {
            let text = Array(String(repeating: unit, count: 20_000 / unit.utf8.count).utf8)
            #expect(try tokenizer.decode(tokenizer.encode(bytes: text)).count == text.count - droppedBytes(text))
        }
        // Text that holds U+2581 itself decodes to spaces: two bytes fewer each.
        func droppedBytes(_ text: [UInt8]) -> Int { text.first == 0xE2 ? text.count / 3 * 2 : 0 }
    }

    @Test func thousandsOfSpecialTokensCostNoMoreThanFew() throws {
        let specials = (0..<5_000).map { "<unused\($0)>" }
        let bytes = (0...255).map { "<0x\(Vocabulary.hex(UInt8($0)))>" }
        let vocabulary = try Vocabulary(
            pieces: bytes + specials,
            kinds: bytes.map { _ in .byte } + specials.map { _ in .control },
            scores: [Float](repeating: 0, count: 5_256))
        let tokenizer = TextTokenizer(vocabulary)
        let text = String(repeating: "<unused", count: 4_000) + "<unused4999>" + "<unused5000>"
        let ids = tokenizer.encode(text, parseSpecial: true)
        #expect(ids.count == 4_000 * 7 + 1 + 12)
        #expect(ids[28_000] == 256 + 4_999)
    }
}
