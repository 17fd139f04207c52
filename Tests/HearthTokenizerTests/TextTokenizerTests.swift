import HearthTestSupport
import HearthTokenizer
import Testing

@Suite("Tokenizer against SentencePiece and Hugging Face tokenizers", .timeLimit(.minutes(20)))
struct TokenizerTests {
    @Test(arguments: GemmaFixtures.tokenizers)
    func encodesEveryGolden(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        let goldens = try GemmaFixtures.json(name, as: TokenizerGoldens.self)
        #expect(goldens.encode.count == 82)
        for row in goldens.encode {
            let text = bytes(hex: row.utf8)
            #expect(tokenizer.encode(bytes: text) == row.ids, "\(row.text)")
            #expect(tokenizer.encode(row.text) == row.ids, "\(row.text)")
            #expect(tokenizer.encode(bytes: text, parseSpecial: true) == row.ids_parse_special, "\(row.text)")
        }
    }

    @Test(arguments: GemmaFixtures.tokenizers)
    func decodesEveryGolden(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        let goldens = try GemmaFixtures.json(name, as: TokenizerGoldens.self)
        for row in goldens.encode {
            #expect(hex(try tokenizer.decode(row.ids)) == row.decoded_utf8, "\(row.text)")
            #expect(hex(try tokenizer.decode(row.ids, showSpecial: true)) == row.decoded_special_utf8)
        }
        for row in goldens.decode {
            #expect(hex(try tokenizer.decode(row.ids)) == row.utf8, "\(row.ids)")
            #expect(hex(try tokenizer.decode(row.ids, showSpecial: true)) == row.utf8_show_special)
            #expect(Array(try tokenizer.text(of: row.ids).unicodeScalars) == Array(row.lossy.unicodeScalars))
        }
    }

    @Test(arguments: GemmaFixtures.tokenizers)
    func beginTokenComesOnceAndOnlyWhenAsked(_ name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        #expect(tokenizer.encode("", addBOS: true) == [2])
        #expect(tokenizer.encode("a", addBOS: true) == [2] + tokenizer.encode("a"))
    }

    @Test func idsOutOfRangeAreNamed() throws {
        let tokenizer = try GemmaFixtures.tokenizer("tokenizer-llama")
        for id: TokenID in [-1, 512, .max, .min] {
            #expect(throws: TokenizerError.tokenOutOfRange(id: Int(id), count: 512)) { try tokenizer.decode([2, id]) }
            #expect(throws: TokenizerError.tokenOutOfRange(id: Int(id), count: 512)) { try tokenizer.piece(id) }
        }
    }

    @Test func piecesAreReadable() throws {
        let tokenizer = try GemmaFixtures.tokenizer("tokenizer-llama")
        #expect(try tokenizer.pieces([2, 280, 16, 22, 9]) == ["<bos>", " a", "  ", "<0x00>", "\n"])
    }
}
