package import HearthSystem
package import HearthTokenizer

/// What a model is likely to say next, by the last few tokens: what `GenerationLoop` has checked many at once.
///
/// A file beside the model (`NAME.draft` beside `NAME.gguf`) that `Training/make_draft.py` makes of the model's training texts.
/// It decides how fast a text comes and never what it says, so it is not trusted with anything: every token of it is one
/// that the model chooses as well, or is thrown away. Of each run of a few tokens it holds the likeliest next one, with
/// its chance in sixteenths.
///
/// Sections (`SectionFile`): 1, tokens of the vocabulary and length of the longest run, 32 bits each; 2, slots of 32 bits: token in
/// bits 0 to 15, chance in bits 16 to 19 (0: empty), check in bits 20 to 31. A run's hash takes its newest token first; the
/// upper bits choose four neighbouring slots, the lowest twelve are the check.
package struct DraftTable: Sendable {
    package static let magic = Array("HearthDt".utf8)
    package static let version: UInt32 = 1
    /// No run is longer, whatever a file says.
    private static let mostTokens = 16
    private static let slotsOfRun = 4

    /// Tokens of the longest run.
    package let longestRun: Int
    private let vocabularyCount: Int
    private let slots: FlatArray<UInt32>
    /// What a hash is shifted by for the number of its slots.
    private let shift: UInt64

    /// The table beside a model's file; nil where there is none that is of use.
    package init?(besideModel path: String, vocabularyCount: Int) {
        guard path.hasSuffix(".gguf") else { return nil }
        do {
            let file = try MappedFile(path: String(path.dropLast(".gguf".count)) + ".draft")
            try self.init(file, vocabularyCount: vocabularyCount)
        } catch {
            return nil
        }
    }

    /// - Throws: `FileError.damagedTable`, also where it is of another vocabulary.
    package init(_ file: MappedFile, vocabularyCount: Int) throws(FileError) {
        let sections = try SectionFile(file, magic: Self.magic, version: Self.version)
        let numbers = try sections.array(1, of: UInt32.self)
        slots = try sections.array(2, of: UInt32.self)
        guard numbers.count == 2, numbers[0] == vocabularyCount, (1...UInt32(Self.mostTokens)).contains(numbers[1]),
            slots.count >= 2 * Self.slotsOfRun, slots.count.nonzeroBitCount == 1
        else {
            throw .damagedTable(.init(file: file.path, field: "table of drafts"), problem: "of no use with this model")
        }
        longestRun = Int(numbers[1])
        self.vocabularyCount = vocabularyCount
        shift = UInt64(64 - (slots.count / Self.slotsOfRun).trailingZeroBitCount)
    }

    /// The likeliest token after `text`, by the longest run that is known, and its chance.
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
