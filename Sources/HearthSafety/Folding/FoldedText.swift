/// A text in the form that words are looked for in, with the way back to the source.
struct FoldedText: Sendable {
    /// One letter or sign each; a run of blanks is one blank.
    private(set) var scalars: [UInt32] = []
    private(set) var kinds: [ScalarClass] = []
    /// UTF-8 offsets in the source.
    private(set) var starts: [Int32] = []
    private(set) var ends: [Int32] = []
    /// How many marks that belong to the language's own letters each unit carries.
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

    /// Takes a mark on the last unit: `letter` is what base and mark make in the language, nil where they make nothing.
    /// Only the first mark can make a letter: in a heap of marks none is meant.
    mutating func mark(_ letter: UInt32?, to end: Int32) {
        marksOnLast += 1
        if marksOnLast == 1, let letter {
            replaceLast(letter, hasOwnMark: true)
        }
        extendLast(to: end)
    }

    /// What belongs to the last unit without being one reaches to `end`.
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

    /// A letter, digit or mark: what keeps a word from ending or beginning beside it. CJK letters stand for themselves.
    func isWordUnit(_ index: Int) -> Bool {
        guard index >= 0, index < count else { return false }
        return kinds[index].isAlphabetic || kinds[index] == .digit || kinds[index] == .hangul
    }

    /// Whether the unit `outside` makes one word with its neighbour `inside`. Korean particles follow Latin words
    /// without a blank.
    func joins(_ inside: Int, _ outside: Int) -> Bool {
        guard isWordUnit(outside) else { return false }
        return kinds[outside] != .hangul || kinds[inside] == .hangul
    }

    /// The units as text, for people.
    func text(_ range: Range<Int>) -> String {
        var result = ""
        for scalar in scalars[range] { result.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
        return result
    }

    /// The same without the units for which `isLeftOut` is true.
    func dropping(_ isLeftOut: [Bool]) -> FoldedText {
        var result = FoldedText()
        for index in 0..<count where !isLeftOut[index] {
            result.append(scalars[index], kinds[index], from: starts[index], to: ends[index])
        }
        return result
    }
}
