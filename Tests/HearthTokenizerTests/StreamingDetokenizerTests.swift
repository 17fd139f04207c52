import HearthSystem
import HearthTestSupport
import HearthTokenizer
import Testing

@Suite("Streaming detokenizer", .timeLimit(.minutes(20)))
struct StreamingDetokenizerTests {
    /// All outputs, one a token, then the rest.
    private func stream(_ tokenizer: TextTokenizer, _ ids: [TokenID], showSpecial: Bool = false) throws -> [String] {
        var stream = StreamingDetokenizer(tokenizer, showSpecial: showSpecial)
        var outputs: [String] = []
        for id in ids { outputs.append(try stream.append(id)) }
        return outputs + [stream.finish()]
    }

    /// Every byte of `text` as a token of its own.
    private func byteIDs(_ tokenizer: TextTokenizer, _ text: String) -> [TokenID] {
        text.utf8.map { tokenizer.vocabulary.byteTokens[Int($0)] }
    }

    @Test(arguments: GemmaFixtures.tokenizers, [false, true])
    func outputsJoinedAreTheLossyDecoding(_ name: String, _ showSpecial: Bool) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        var random = Xoshiro256(seed: 11)
        let bytesOnly = tokenizer.vocabulary.byteTokens
        for round in 0..<400 {
            let ids = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                // Every other round bytes only, where broken UTF-8 is the rule, with a preference for lead bytes.
                round % 2 == 0
                    ? TokenID.random(in: 0..<TokenID(tokenizer.vocabulary.count), using: &random)
                    : bytesOnly[
                        [0xF0, 0x9F, 0x99, 0x82, 0xE2, 0xED, 0xA0, 0xCC, 0x81, 0x41].randomElement(using: &random) ?? 0]
            }
            let joined = try stream(tokenizer, ids, showSpecial: showSpecial).joined()
            let whole = try tokenizer.text(of: ids, showSpecial: showSpecial)
            #expect(Array(joined.utf8) == Array(whole.utf8), "\(ids)")
        }
    }

    @Test(arguments: [
        "👨‍👩‍👧‍👦", "🇩🇪🇪🇸🇨🇳", "e\u{301}\u{323}", "한국어", "\u{1112}\u{1161}\u{11AB}", "a\r\nb", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👍🏽", "क्षि",
    ])
    func neverHalfAGraphemeCluster(_ text: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer("tokenizer-llama")
        let outputs = try stream(tokenizer, byteIDs(tokenizer, text))
        #expect(outputs.joined() == text)
        #expect(outputs.flatMap { Array($0) } == Array(text))
    }

    @Test func newlinesComeAtOnceAndLettersOneTokenLater() throws {
        let tokenizer = try GemmaFixtures.tokenizer("tokenizer-llama")
        #expect(try stream(tokenizer, byteIDs(tokenizer, "a\nbc")) == ["", "a\n", "", "b", "c"])
    }

    @Test func tenThousandMarksAreLetGoInParts() throws {
        let tokenizer = try GemmaFixtures.tokenizer("tokenizer-llama")
        let text = "a" + String(repeating: "\u{301}", count: 10_000)
        let outputs = try stream(tokenizer, byteIDs(tokenizer, text))
        #expect(Array(outputs.joined().utf8) == Array(text.utf8))
        #expect(outputs.allSatisfy { $0.utf8.count <= TokenizerLimits.heldBackBytes + 4 })
    }

    @Test func idsOutOfRangeLeaveTheStateAlone() throws {
        let tokenizer = try GemmaFixtures.tokenizer("tokenizer-llama")
        var stream = StreamingDetokenizer(tokenizer)
        #expect(try stream.append(344) == "")
        #expect(throws: TokenizerError.tokenOutOfRange(id: 512, count: 512)) { try stream.append(512) }
        #expect(stream.finish() == "a")
        #expect(stream.finish() == "")
    }
}
