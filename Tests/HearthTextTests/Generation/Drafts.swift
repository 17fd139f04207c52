import HearthSystem
import HearthText
import HearthTokenizer

/// Tables of drafts made by the tests, with the hash as `Training/make_draft.py` words it.
enum Drafts {
    /// A table that knows, of every run of up to `longest` tokens of `text`, what follows there.
    /// - Parameter wrong: tokens in place of the right ones, by their position.
    static func table(
        of text: [TokenID], longest: Int = 3, vocabularyCount: Int, chance: UInt32 = 15, wrong: [Int: TokenID] = [:]
    ) throws -> DraftTable {
        var slots = [UInt32](repeating: 0, count: 1 << 13)
        for position in text.indices.dropFirst() {
            for length in 1...min(longest, position) {
                let hash = digest(text[position - length..<position])
                let first = Int(hash >> 53) * 4
                let check = UInt32(hash & 0xFFF)
                let word = UInt32(wrong[position] ?? text[position]) | chance << 16 | check << 20
                let place = (first..<first + 4).first { slots[$0] == 0 || slots[$0] >> 20 == check } ?? first
                slots[place] = word
            }
        }
        return try DraftTable(
            file(numbers: [UInt32(vocabularyCount), UInt32(longest)], slots: slots), vocabularyCount: vocabularyCount)
    }

    static func file(numbers: [UInt32], slots: [UInt32]) -> MappedFile {
        var file = SectionFileBuilder(magic: DraftTable.magic, version: DraftTable.version)
        file.append(1, FlatArray(numbers))
        file.append(2, FlatArray(slots))
        return file.file()
    }

    private static func digest(_ run: ArraySlice<TokenID>) -> UInt64 {
        run.reversed().reduce(UInt64(0)) { hash, token in
            let product = (hash ^ UInt64(token + 1)) &* 0x9E37_79B9_7F4A_7C15
            return product ^ (product >> 29)
        }
    }
}
