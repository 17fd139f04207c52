import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthTokenizer
import Testing

/// Files that broke other runtimes, rebuilt on a sound fixture with one thing made wrong.
@Suite("Vocabulary: the replay list", .timeLimit(.minutes(20)))
struct VocabularyTests {
    /// Loads a fixture after `change`.
    private func load(
        _ name: String = "tokenizer-llama", _ change: (inout GGUFBuilder, GGUFFile) throws -> Void
    ) throws -> Vocabulary {
        let file = try GGUFFile(path: GemmaFixtures.path(name + ".gguf"))
        var builder = GGUFBuilder(copying: file)
        try change(&builder, file)
        return try Vocabulary(gguf: GGUFFile(MappedFile(copying: builder.bytes())))
    }

    private func tokens(_ file: GGUFFile) throws -> [[UInt8]] {
        let strings = try #require(try file.metadata.strings(Key.tokens))
        return (0..<strings.count).compactMap { strings[$0] }
    }

    @Test(arguments: GemmaFixtures.tokenizers)
    func soundFileLoads(_ name: String) throws {
        let vocabulary = try load(name) { _, _ in }
        #expect(vocabulary.count == 512)
        #expect(vocabulary.special.bos == 2)
        #expect(vocabulary.special.eos == 1)
        #expect(vocabulary.addsBOS)
        #expect(vocabulary.stopIDs == [1, 8])
        #expect(try vocabulary.kind(of: 1) == .control)
    }

    @Test(arguments: ["<0x-1>", "<0x-f>", "<0xZZ>", "<0xf>", "<0x100>", "", "<0x 1>", "0x0A", "<0x0A>>"])
    func byteTokensAreTwoHexDigits(_ text: String) throws {
        #expect(throws: TokenizerError.badByteToken(file: "memory", key: Key.tokens, index: 22, text: text)) {
            try load { builder, file in
                var tokens = try tokens(file)
                tokens[22] = Array(text.utf8)
                builder.set(Key.tokens, .array(GGUFArray(byteStrings: tokens)))
            }
        }
    }

    @Test func scoresDeclaredUInt8AreRefused() {
        #expect(throws: FileError.self) {
            try load { builder, _ in builder.set(Key.scores, .array(GGUFArray([UInt8](repeating: 0, count: 512)))) }
        }
    }

    @Test func tokenTypesDeclaredUInt8AreRefused() {
        #expect(
            throws: TokenizerError.wrongType(
                file: "memory", key: Key.kinds, expected: "an array of INT32", found: "an array of UINT8")
        ) {
            try load { builder, _ in builder.set(Key.kinds, .array(GGUFArray([UInt8](repeating: 1, count: 512)))) }
        }
    }

    @Test func tokenTypeThatIsNoArrayIsRefused() {
        #expect(throws: FileError.self) { try load { builder, _ in builder.set(Key.kinds, .int32(1)) } }
    }

    @Test func tokenTypeOutsideItsValuesIsRefused() {
        for value: Int32 in [0, 7, -1, 257] {
            #expect(throws: TokenizerError.badValue(file: "memory", key: Key.kinds, index: 0, value: "\(value)")) {
                try load { builder, _ in
                    builder.set(Key.kinds, .array(GGUFArray([value] + [Int32](repeating: 1, count: 511))))
                }
            }
        }
    }

    @Test func arraysShorterOrLongerThanTokensAreRefused() {
        for count in [0, 511, 513] {
            #expect(throws: TokenizerError.lengthMismatch(file: "memory", key: Key.scores, expected: 512, found: count))
            {
                try load { builder, _ in
                    builder.set(Key.scores, .array(GGUFArray([Float](repeating: 0, count: count))))
                }
            }
            #expect(throws: TokenizerError.lengthMismatch(file: "memory", key: Key.kinds, expected: 512, found: count))
            {
                try load { builder, _ in
                    builder.set(Key.kinds, .array(GGUFArray([Int32](repeating: 1, count: count))))
                }
            }
        }
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity])
    func scoresMustBeFinite(_ score: Float) {
        #expect(throws: TokenizerError.nonFiniteValue(file: "memory", key: Key.scores, index: 300)) {
            try load { builder, _ in
                var scores = [Float](repeating: 0, count: 512)
                scores[300] = score
                builder.set(Key.scores, .array(GGUFArray(scores)))
            }
        }
    }

    @Test(arguments: ["ab", "ab ", " ab", ""])
    func mergeWithoutASpaceIsRefused(_ merge: String) {
        #expect(throws: TokenizerError.badMerge(file: "memory", key: Key.merges, index: 1)) {
            try load("tokenizer-gemma4") { builder, _ in
                builder.set(Key.merges, .array(GGUFArray(strings: ["a b", merge])))
            }
        }
    }

    @Test(arguments: ["bos", "eos", "eot", "unknown"])
    func specialIDsMustExist(_ name: String) {
        let key = "tokenizer.ggml.\(name)_token_id"
        for value: UInt32 in [512, .max] {
            #expect(
                throws: TokenizerError.specialTokenOutOfRange(file: "memory", key: key, id: Int(value), count: 512)
            ) {
                try load { builder, _ in builder.set(key, .uint32(value)) }
            }
        }
        #expect(throws: TokenizerError.specialTokenOutOfRange(file: "memory", key: key, id: -1, count: 512)) {
            try load { builder, _ in builder.set(key, .int32(-1)) }
        }
    }

    @Test("A padding token that does not exist is none", arguments: [GGUFValue.uint32(512), .uint32(.max), .int32(-1)])
    func paddingNeedNotExist(_ value: GGUFValue) throws {
        #expect(try load { _, _ in }.special.padding == 0)
        #expect(try load { builder, _ in builder.set(Key.padding, value) }.special.padding == nil)
    }

    @Test(arguments: [Key.tokens, Key.scores, Key.kinds, Key.model])
    func missingKeysAreNamed(_ key: String) {
        #expect(throws: TokenizerError.missingKey(file: "memory", key: key)) {
            try load { builder, _ in builder.remove(key) }
        }
    }

    @Test func tokensThatAreNoStringsAreRefused() {
        #expect(throws: FileError.self) {
            try load { builder, _ in builder.set(Key.tokens, .array(GGUFArray([Int32](repeating: 0, count: 512)))) }
        }
        #expect(throws: TokenizerError.lengthMismatch(file: "memory", key: Key.tokens, expected: 1, found: 0)) {
            try load { builder, _ in
                builder.set(Key.tokens, .array(GGUFArray(strings: [])))
                builder.set(Key.kinds, .array(GGUFArray([Int32]())))
                builder.set(Key.scores, .array(GGUFArray([Float]())))
            }
        }
    }

    @Test func piecesBeyondTheLimitAreRefused() {
        let long = TokenizerLimits.pieceBytes + 1
        #expect(
            throws: TokenizerError.limitExceeded(
                file: "memory", key: Key.tokens, value: long, limit: TokenizerLimits.pieceBytes)
        ) {
            try load { builder, file in
                var tokens = try tokens(file)
                tokens[400] = [UInt8](repeating: 0x61, count: long)
                builder.set(Key.tokens, .array(GGUFArray(byteStrings: tokens)))
            }
        }
    }

    @Test func otherTokenizersAreNamed() {
        #expect(
            throws: TokenizerError.unsupportedTokenizer(file: "memory", key: "tokenizer.ggml.model", name: "gpt2")
        ) {
            try load { builder, _ in builder.set("tokenizer.ggml.model", .string("gpt2")) }
        }
    }

    @Test func ofEqualPiecesTheFirstWins() throws {
        let vocabulary = try load { builder, file in
            var tokens = try tokens(file)
            tokens[400] = tokens[344]
            builder.set(Key.tokens, .array(GGUFArray(byteStrings: tokens)))
        }
        #expect(vocabulary.id(of: "a") == 344)
        #expect(TextTokenizer(vocabulary).encode("a") == [344])
    }

    @Test func bytesWithoutTokenNeedAnUnknownToken() throws {
        #expect(throws: TokenizerError.unencodableByte(file: "vocabulary", key: Key.tokens, byte: 0)) {
            try Vocabulary(pieces: ["a"], kinds: [.normal], scores: [0])
        }
        let vocabulary = try Vocabulary(pieces: ["a", "?"], kinds: [.normal, .unknown], scores: [0, 0])
        #expect(TextTokenizer(vocabulary).encode("abé") == [0, 1, 1, 1])
    }

    @Test func mergesChooseTheAlgorithmWhateverTheName() throws {
        let tokenizer = TextTokenizer(
            try load("tokenizer-gemma4") { builder, _ in
                builder.set("tokenizer.ggml.model", .string("llama"))
                builder.set("tokenizer.ggml.pre", .string("gemma4"))
                builder.remove(Key.scores)
            })
        for row in try GemmaFixtures.json("tokenizer-gemma4", as: TokenizerGoldens.self).encode {
            #expect(tokenizer.encode(row.text) == row.ids)
        }
    }

    @Test func messagesSayWhereAndWhatToDo() {
        let error = TokenizerError.nonFiniteValue(file: "a.gguf", key: Key.scores, index: 7)
        #expect(
            error.localizedDescription
                == "entry 7 is not a finite number (a.gguf, tokenizer.ggml.scores). The model file is damaged or was "
                + "made by a faulty converter; download or convert it again.")
    }
}
