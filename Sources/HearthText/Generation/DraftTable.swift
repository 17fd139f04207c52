package import HearthSystem
package import HearthTokenizer

/// An n-gram table of likely next tokens, used as the draft model of speculative decoding (`GenerationLoop`).
///
/// It is a file next to the model (`NAME.draft` for `NAME.gguf`) that `Training/make_draft.py` makes from the model's training
/// texts. For each run of a few tokens it holds the most likely next token, with its probability in sixteenths. It is not
/// trusted, as it affects only speed and never the text: a drafted token is kept only if the model chooses it too.
///
/// Sections (`SectionFile`): 1, number of tokens in the vocabulary and length of the longest run, 32 bits each; 2, slots of 32
/// bits: token in bits 0 to 15, probability in bits 16 to 19 (0: empty), check in bits 20 to 31. A run is hashed starting with
/// its newest token; the upper bits of the hash select four adjacent slots, the lowest twelve are the check.
package struct DraftTable: Sendable {
    package static let magic = Array("HearthDt".utf8)
    package static let version: UInt32 = 1
    /// Maximum run length accepted from a file.
    private static let mostTokens = 16
    private static let slotsOfRun = 4

    /// Length of the longest run in tokens.
    package let longestRun: Int
    private let vocabularyCount: Int
    private let slots: FlatArray<UInt32>
    /// Right shift that turns a hash into the index of a group of slots.
    private let shift: UInt64

    /// Loads the table of a model's file; nil if there is none, or it is not usable.
    package init?(besideModel path: String, vocabularyCount: Int) {
        guard path.hasSuffix(".gguf") else { return nil }
        do {
            let file = try MappedFile(path: String(path.dropLast(".gguf".count)) + ".draft")
            try self.init(file, vocabularyCount: vocabularyCount)
        } catch {
            return nil
        }
    }

    /// - Throws: `FileError.damagedTable`, also if the table is for another vocabulary.
    package init(_ file: MappedFile, vocabularyCount: Int) throws(FileError) {
        let sections = try SectionFile(file, magic: Self.magic, version: Self.version)
        let numbers = try sections.array(1, of: UInt32.self)
        slots = try sections.array(2, of: UInt32.self)
        guard numbers.count == 2, numbers[0] == vocabularyCount, (1...UInt32(Self.mostTokens)).contains(numbers[1]),
            slots.count >= 2 * Self.slotsOfRun, slots.count.nonzeroBitCount == 1
        else {
            throw .damagedTable(.init(file: file.path, field: "table of drafts"), problem: "not usable with this model")
        }
        longestRun = Int(numbers[1])
        self.vocabularyCount = vocabularyCount
        shift = UInt64(64 - (slots.count / Self.slotsOfRun).trailingZeroBitCount)
    }

    /// The most likely token after `text` and its probability, for the longest known run.
    package func next(after text: [TokenID]) -> (token: TokenID, chance: Float)? {
        var hash: UInt64 = 0
        var found: UInt32 = 0
        for back in 1...longestRun where back <= text.count {
            hash = (hash ^ (UInt64(UInt32(bitPattern: text[text.count - back])) + 1)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            let check = UInt32(truncatingIfNeeded: hash & 0xFFF)
            let first = Int(hash >> shift) * Self.slotsOfRun
            for slot in first..<first + Self.slotsOfRun {
                let word = slots[slot]
                if word >> 20 == check, word >> 16 & 15 != 0 {
                    found = word
                    break
                }
            }
        }
        let token = TokenID(found & 0xFFFF)
        guard found != 0, token < vocabularyCount else { return nil }
        return (token, (Float(found >> 16 & 15) + 0.5) / 16)
    }
}
