/// The character classes of the filter. Raw values as in `scripts/make-unicode-tables`.
enum ScalarClass: UInt8, Sendable {
    case other, blank, mark, ignorable, digit, latin, cyrillic, greek, arabic, han, hiragana, katakana, hangul, letter
    case pictograph

    /// Whether it is a letter of a script other than Chinese, Japanese or Korean.
    var isAlphabetic: Bool {
        switch self {
        case .latin, .cyrillic, .greek, .arabic, .letter: true
        default: false
        }
    }
    var isCJK: Bool { self == .han || self == .hiragana || self == .katakana }
    var isLetter: Bool { isAlphabetic || isCJK || self == .hangul }
}

/// Classes and folds of Unicode scalars: compatibility decomposition with full case folding (UAX #15, `NFKC_Casefold`
/// before the composition).
package struct UnicodeTable: Sendable {
    /// The table of this build; empty if `FoldingTables.embedded` is a failure, in which case no text may be judged.
    package static let shared = (try? FoldingTables.loaded.get())?.unicode ?? UnicodeTable()

    /// The end of the table: above are no letters in use, only tags and private use.
    private static let limit: UInt32 = 0x32400

    private var classes: [UInt8]
    /// Block of 256 scalars → the block of its entries in `entries`; block 0 is empty.
    private var blocks: [UInt16]
    private var entries: [UInt16]
    /// Entry → the start of its scalars in `scalars`.
    private var starts: [Int32]
    private var scalars: [UInt32]

    private init() { self.init(checkedClasses: [], checkedFolds: []) }

    /// Decodes the tables.
    /// - Throws: `LexiconError` if a file's bytes do not match the checksum at its end.
    init(classes: [UInt8], folds: [UInt8]) throws(LexiconError) {
        self.init(
            checkedClasses: try Self.checked(classes, "unicode-classes.bin"),
            checkedFolds: try Self.checked(folds, "unicode-folds.bin"))
    }

    /// The bytes before the check sum.
    static func checked(_ bytes: [UInt8], _ file: String) throws(LexiconError) -> ArraySlice<UInt8> {
        guard let content = CheckSum.content(of: bytes) else {
            throw .damaged(file: file, problem: "its check sum is wrong")
        }
        return content
    }

    private init(checkedClasses classBytes: ArraySlice<UInt8>, checkedFolds foldBytes: ArraySlice<UInt8>) {
        classes = [UInt8](repeating: 0, count: Int(Self.limit))
        var reader = NumberReader(classBytes)
        var value: UInt32 = 0
        var kind: UInt8 = 0
        while let distance = reader.next(), let next = reader.next() {
            let end = min(value + distance, Self.limit)
            if value < end, kind != 0 { for scalar in value..<end { classes[Int(scalar)] = kind } }
            value = end
            kind = UInt8(truncatingIfNeeded: next)
        }
        blocks = [UInt16](repeating: 0, count: Int(Self.limit >> 8) + 1)
        entries = [UInt16](repeating: 0, count: 256)
        starts = [0]
        scalars = []
        reader = NumberReader(foldBytes)
        value = 0
        while let distance = reader.next(), let count = reader.next() {
            value += distance
            starts.append(Int32(scalars.count))
            for _ in 0..<count { scalars.append(reader.next() ?? 0xFFFD) }
            guard value < Self.limit else { continue }
            let block = Int(value >> 8)
            if blocks[block] == 0 {
                blocks[block] = UInt16(entries.count >> 8)
                entries += [UInt16](repeating: 0, count: 256)
            }
            entries[Int(blocks[block]) << 8 + Int(value & 0xFF)] = UInt16(starts.count - 1)
        }
        starts.append(Int32(scalars.count))
    }

    func kind(of scalar: UInt32) -> ScalarClass {
        if scalar < Self.limit { return ScalarClass(rawValue: classes[Int(scalar)]) ?? .other }
        return (0xE0000...0xE0FFF).contains(scalar) ? .ignorable : .other
    }

    /// The fold of the scalar; nil if it folds to itself.
    package func fold(of scalar: UInt32) -> ArraySlice<UInt32>? {
        guard scalar < Self.limit else { return nil }
        let entry = Int(entries[Int(blocks[Int(scalar >> 8)]) << 8 + Int(scalar & 0xFF)])
        guard entry > 0 else { return nil }
        return scalars[Int(starts[entry])..<Int(starts[entry + 1])]
    }
}

/// Reads the LEB128 numbers of a table.
private struct NumberReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    mutating func next() -> UInt32? {
        var result: UInt32 = 0
        var shift: UInt32 = 0
        while at < bytes.count, shift < 28 {
            let byte = bytes[at]
            at += 1
            result |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        return nil
    }
}
