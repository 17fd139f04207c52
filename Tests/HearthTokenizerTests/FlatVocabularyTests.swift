import Foundation
import HearthSystem
import HearthTestSupport
import HearthTokenizer
import Testing

/// A vocabulary from a file of flat arrays is the vocabulary that the file was made from, and no damage to the file
/// leads out of it.
@Suite("Vocabulary: flat file", .timeLimit(.minutes(20)))
struct FlatVocabularyTests {
    private func vocabulary(_ name: String) throws -> Vocabulary { try GemmaFixtures.tokenizer(name).vocabulary }

    private func bytes(_ file: MappedFile) -> [UInt8] { file.withUnsafeBytes { Array($0) } }

    private func mapped(_ bytes: [UInt8]) -> MappedFile { MappedFile(copying: bytes, path: "tokens.bin") }

    @Test(arguments: GemmaFixtures.tokenizers)
    func everyGoldenIsTheSame(_ name: String) throws {
        let built = try vocabulary(name)
        let tokenizer = TextTokenizer(try Vocabulary(flat: built.flatFile()))
        let goldens = try GemmaFixtures.json(name, as: TokenizerGoldens.self)
        for row in goldens.encode {
            let text = HearthTestSupport.bytes(hex: row.utf8)
            #expect(tokenizer.encode(bytes: text) == row.ids, "\(row.text)")
            #expect(tokenizer.encode(bytes: text, parseSpecial: true) == row.ids_parse_special, "\(row.text)")
            #expect(hex(try tokenizer.decode(row.ids)) == row.decoded_utf8, "\(row.text)")
        }
        for row in goldens.decode { #expect(hex(try tokenizer.decode(row.ids)) == row.utf8) }
    }

    @Test(arguments: GemmaFixtures.tokenizers)
    func everyFieldIsTheSame(_ name: String) throws {
        let built = try vocabulary(name)
        let flat = try Vocabulary(flat: built.flatFile())
        #expect(flat.count == built.count && flat.special == built.special && flat.addsBOS == built.addsBOS)
        #expect(flat.stopIDs == built.stopIDs && flat.byteTokens == built.byteTokens)
        for id in 0..<TokenID(built.count) {
            #expect(try flat.bytes(of: id) == built.bytes(of: id))
            #expect(try flat.kind(of: id) == built.kind(of: id))
        }
        #expect(bytes(flat.flatFile()) == bytes(built.flatFile()), "a second writing changes nothing")
    }

    @Test func vocabulariesWithoutSpecialTokensOrWithFewPieces() throws {
        let small = try Vocabulary(
            pieces: ["<unk>", "a", "b", "ab"], kinds: [.unknown, .normal, .normal, .normal], scores: [0, -1, -2, -3])
        let flat = TextTokenizer(try Vocabulary(flat: small.flatFile()))
        #expect(flat.encode("abba") == TextTokenizer(small).encode("abba"))
        #expect(flat.vocabulary.special.unknown == 0 && flat.vocabulary.special.bos == nil)
    }

    /// Where each header field and each table field begins.
    @Test func everyFieldOfHeaderAndTableIsChecked() throws {
        let original = bytes(try vocabulary("tokenizer-llama").flatFile())
        let sections = Int(original[12])
        for index in 0..<(32 + sections * 24) {
            var damaged = original
            damaged[index] ^= 0x10
            #expect(throws: FileError.self, "byte \(index)") { try Vocabulary(flat: mapped(damaged)) }
        }
    }

    @Test func truncatedAnywhereIsRefused() throws {
        let original = bytes(try vocabulary("tokenizer-llama").flatFile())
        let file = try SectionTable(original)
        let borders = file.entries.flatMap { [$0.offset, $0.offset + $0.bytes / 2, $0.offset + $0.bytes] }
        for cut in [0, 1, 7, 8, 31, 32, 33, original.count - 1] + borders where cut < original.count {
            #expect(throws: FileError.self, "\(cut)") { try Vocabulary(flat: mapped(Array(original[..<cut]))) }
        }
        #expect(throws: FileError.self) { try Vocabulary(flat: mapped(original + [0])) }
    }

    /// Damage behind a sound header: sections swapped, moved, cut, of other sizes.
    @Test func tablesThatLieAreRefusedOrHarmless() throws {
        let original = bytes(try vocabulary("tokenizer-gemma4").flatFile())
        let table = try SectionTable(original)
        for index in table.entries.indices {
            let end = UInt64(original.count)
            let identities: [UInt64] = [0, 1, 16, 99, 0xFFFF_FFFF]
            let sizes: [UInt64] = [0, 1, 3, 8, 0xFFFF_FFFF]
            let offsets: [UInt64] = [0, 1, 64, end, end - 1, .max, .max - 63, 1 << 63]
            let counts: [UInt64] = [0, 1, 255, 257, end, 1 << 32, 1 << 61, .max]
            for (field, values) in [(0, identities), (4, sizes), (8, offsets), (16, counts)] {
                for value in values {
                    var damaged = original
                    table.set(index, field, value, &damaged)
                    try use(damaged)
                }
            }
        }
    }

    /// 20,000 under the address sanitizer (`make sanitize`), fewer where speed is wanted.
    static let fuzzRuns = ProcessInfo.processInfo.environment["HEARTH_FUZZ_RUNS"].flatMap { Int($0) } ?? 1500

    @Test(arguments: GemmaFixtures.tokenizers)
    func noMutationLeadsOutOfTheFile(_ name: String) throws {
        let original = bytes(try vocabulary(name).flatFile())
        let table = try SectionTable(original)
        var random = Xoshiro256(seed: 20_261_121)
        var accepted = 0
        for _ in 0..<Self.fuzzRuns / GemmaFixtures.tokenizers.count {
            var damaged = original
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                // Small sections as often as large ones: most of the bytes are one table of flags.
                guard let entry = table.entries.randomElement(using: &random), entry.bytes > 0 else { continue }
                let at = entry.offset + Int.random(in: 0..<entry.bytes, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: damaged[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: damaged[at] = UInt8.random(in: 0...255, using: &random)
                case 2:
                    for index in at..<min(at + 8, entry.offset + entry.bytes) { damaged[index] = 0xFF }
                case 3:
                    let count = min(Int.random(in: 1...4096, using: &random), entry.offset + entry.bytes - at)
                    for index in at..<at + count { damaged[index] = UInt8.random(in: 0...255, using: &random) }
                default:
                    let index = Int.random(in: 0..<table.entries.count, using: &random)
                    let field = [8, 16].randomElement(using: &random) ?? 8
                    table.set(index, field, UInt64.random(in: 0...UInt64(original.count), using: &random), &damaged)
                }
            }
            if try use(damaged) { accepted += 1 }
        }
        #expect(accepted > Self.fuzzRuns / 20, "most damage is only seen when it is met")
    }

    /// Loads and, if that works, tokenizes and decodes; results may be wrong, but all ids are tokens.
    @discardableResult
    private func use(_ bytes: [UInt8]) throws -> Bool {
        let vocabulary: Vocabulary
        do throws(FileError) {
            vocabulary = try Vocabulary(flat: mapped(bytes))
        } catch {
            return false
        }
        let tokenizer = TextTokenizer(vocabulary)
        let text =
            "The <start_of_turn>user fox\n\n\n saw 27 stars; ¿qué? 小狐狸 <|turn>\u{0}\u{1F98A} <0x41> aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        for special in [false, true] {
            let ids = tokenizer.encode(text, addBOS: true, parseSpecial: special)
            #expect(ids.allSatisfy { $0 >= 0 && $0 < vocabulary.count })
            _ = try tokenizer.decode(ids, showSpecial: true)
        }
        _ = try tokenizer.decode(0..<TokenID(min(vocabulary.count, 64)))
        for name in ["<bos>", "<end_of_turn>", "a"] { _ = vocabulary.id(of: name) }
        return true
    }
}

/// The table of a section file, for damaging it behind a checksum that holds.
private struct SectionTable {
    struct Entry {
        var offset: Int
        var bytes: Int
    }
    var entries: [Entry]

    init(_ bytes: [UInt8]) throws {
        func number(_ at: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[at + $1]) << ($1 * 8) }
        }
        entries = (0..<number(12, 4)).map { index in
            let at = 32 + index * 24
            return Entry(offset: number(at + 8, 8), bytes: number(at + 16, 8) * number(at + 4, 4))
        }
        try #require(entries.count > 10)
    }

    /// Changes a field of a row, and makes the checksum right again.
    func set(_ index: Int, _ field: Int, _ value: UInt64, _ bytes: inout [UInt8]) {
        let size = field < 8 ? 4 : 8
        for byte in 0..<size {
            bytes[32 + index * 24 + field + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8))
        }
        // FNV-1a, 64 bits.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for at in Array(0..<24) + Array(32..<32 + entries.count * 24) {
            hash = (hash ^ UInt64(bytes[at])) &* 0x100_0000_01b3
        }
        for byte in 0..<8 { bytes[24 + byte] = UInt8(truncatingIfNeeded: hash >> UInt64(byte * 8)) }
    }
}
