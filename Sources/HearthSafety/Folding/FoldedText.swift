/// A text folded for searching, with offsets into the source.
struct FoldedText: Sendable {
    /// One letter or sign each; a run of white space is one space.
    private(set) var scalars: [UInt32] = []
    private(set) var kinds: [ScalarClass] = []
    /// UTF-8 offsets in the source.
    private(set) var starts: [Int32] = []
    private(set) var ends: [Int32] = []
    /// Whether each unit carries a diacritic that belongs to the language's own letters.
    private(set) var hasOwnMark: [Bool] = []
    private var marksOnLast = 0

    var count: Int { scalars.count }

    mutating func reserve(_ count: Int) {
        scalars.reserveCapacity(count)
        kinds.reserveCapacity(count)
        starts.reserveCapacity(count)
        ends.reserveCapacity(count)
        hasOwnMark.reserveCapacity(count)
    }

    mutating func append(_ scalar: UInt32, _ kind: ScalarClass, from start: Int32, to end: Int32) {
        scalars.append(scalar)
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
        hasOwnMark.append(false)
        marksOnLast = 0
    }

    /// Applies a mark to the last unit: `letter` is the language's letter of base and mark, nil if there is none. Only the
    /// first mark can form a letter: stacked marks are a disguise.
    mutating func mark(_ letter: UInt32?, to end: Int32) {
        marksOnLast += 1
        if marksOnLast == 1, let letter {
            replaceLast(letter, hasOwnMark: true)
        }
        extendLast(to: end)
    }

    /// Extends the last unit to `end`, for source text that forms no unit of its own.
    mutating func extendLast(to end: Int32) {
        if !ends.isEmpty { ends[ends.count - 1] = end }
    }

    mutating func replaceLast(_ scalar: UInt32, hasOwnMark own: Bool) {
        scalars[scalars.count - 1] = scalar
        if own { hasOwnMark[hasOwnMark.count - 1] = true }
    }

    mutating func replace(_ index: Int, _ scalar: UInt32, _ kind: ScalarClass) {
        scalars[index] = scalar
        kinds[index] = kind
    }

    /// Whether the unit continues a word, so that none starts or ends next to it: a letter or digit. Chinese and Japanese
    /// characters do not.
    func isWordUnit(_ index: Int) -> Bool {
        guard index >= 0, index < count else { return false }
        return kinds[index].isAlphabetic || kinds[index] == .digit || kinds[index] == .hangul
    }

    /// Whether the unit `outside` belongs to the same word as its neighbor `inside`. Korean particles follow Latin words
    /// without a space.
    func joins(_ inside: Int, _ outside: Int) -> Bool {
        guard isWordUnit(outside) else { return false }
        return kinds[outside] != .hangul || kinds[inside] == .hangul
    }

    /// The units as text, for display.
    func text(_ range: Range<Int>) -> String {
        var result = ""
        for scalar in scalars[range] { result.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
        return result
    }

    /// The text without the units for which `isLeftOut` is true.
    func dropping(_ isLeftOut: [Bool]) -> FoldedText {
        var result = FoldedText()
        for index in 0..<count where !isLeftOut[index] {
            result.append(scalars[index], kinds[index], from: starts[index], to: ends[index])
        }
        return result
    }
}
