/// The parts of UTF-8 that tokenizing needs (Unicode 16, table 3-7: well-formed byte sequences).
package enum UTF8Scan {
    /// U+2581, which represents a space inside pieces.
    static let spaceSymbol: [UInt8] = [0xE2, 0x96, 0x81]

    @inline(__always)
    static func isSpaceSymbol<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes, _ index: Int, _ end: Int
    ) -> Bool where Bytes.Index == Int {
        bytes[index] == 0xE2 && end - index >= 3 && bytes[index + 1] == 0x96 && bytes[index + 2] == 0x81
    }

    /// Length in bytes of the character at `index`; 1 if no valid character begins there.
    @inline(__always)
    package static func length(_ bytes: [UInt8], _ index: Int, _ end: Int) -> Int {
        let first = bytes[index]
        if first < 0x80 { return 1 }
        let (length, second) = expectation(first)
        guard length > 1, end - index >= length, second.contains(bytes[index + 1]) else { return 1 }
        for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(bytes[index + offset]) { return 1 }
        return length
    }

    /// Number of bytes at the end that could be the beginning of an incomplete character.
    static func unfinishedTail(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let start = bytes.count - back
            let (length, second) = expectation(bytes[start])
            if length == 0 { continue }  // a continuation byte: the character begins earlier
            guard length > back else { return 0 }
            if back >= 2, !second.contains(bytes[start + 1]) { return 0 }
            return back
        }
        return 0
    }

    /// The length implied by a first byte, and the range of its second byte; 0 for a continuation byte, 1 for ASCII and for
    /// bytes that are never valid.
    @inline(__always)
    private static func expectation(_ first: UInt8) -> (length: Int, second: ClosedRange<UInt8>) {
        switch first {
        case 0x80...0xBF: (0, 0x80...0xBF)
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        default: (1, 0x80...0xBF)
        }
    }
}
