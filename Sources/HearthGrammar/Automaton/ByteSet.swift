/// A set of bytes.
struct ByteSet: Hashable, Sendable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init() {}
    init(_ range: ClosedRange<UInt8>) { for byte in range { insert(byte) } }
    init(_ bytes: some Sequence<UInt8>) { for byte in bytes { insert(byte) } }

    var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

    mutating func insert(_ byte: UInt8) {
        let bit = UInt64(1) << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        default: words.3 |= bit
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return word >> UInt64(byte & 63) & 1 == 1
    }

    func union(_ other: ByteSet) -> ByteSet {
        var result = self
        result.words.0 |= other.words.0
        result.words.1 |= other.words.1
        result.words.2 |= other.words.2
        result.words.3 |= other.words.3
        return result
    }

    static func == (a: ByteSet, b: ByteSet) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// Equivalence classes of bytes: bytes of a class are in the same sets of a grammar.
struct ByteClasses: Sendable {
    private(set) var classOf = [UInt8](repeating: 0, count: 256)
    /// One byte of each class.
    private(set) var representatives: [UInt8] = [0]

    var count: Int { representatives.count }

    /// The representative of the byte's class.
    func representative(_ byte: UInt8) -> UInt8 { representatives[Int(classOf[Int(byte)])] }

    /// Refines the classes, so that bytes inside and outside the set are in different ones.
    mutating func split(by set: ByteSet) {
        var inside = [Int](repeating: -1, count: 256)
        var hasOutside = [Bool](repeating: false, count: 256)
        for byte in 0..<256 where !set.contains(UInt8(byte)) { hasOutside[Int(classOf[byte])] = true }
        for byte in 0..<256 where set.contains(UInt8(byte)) {
            let old = Int(classOf[byte])
            guard hasOutside[old] else { continue }
            if inside[old] < 0 {
                inside[old] = representatives.count
                representatives.append(UInt8(byte))
            }
            classOf[byte] = UInt8(inside[old])
        }
        for old in 0..<256 where inside[old] >= 0 {
            // The old class may have lost its representative.
            guard let stays = classOf.firstIndex(of: UInt8(old)) else { continue }
            representatives[old] = UInt8(stays)
        }
    }
}
