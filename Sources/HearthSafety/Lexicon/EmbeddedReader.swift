/// Reads the little-endian numbers of an embedded file, front to back.
struct EmbeddedReader {
    private let data: ArraySlice<UInt8>
    private var at = 0

    init(_ data: ArraySlice<UInt8>) { self.data = data }

    var isAtEnd: Bool { at == data.count }

    /// The next bytes; nil if there are fewer.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= data.count - at else { return nil }
        defer { at += count }
        return data.dropFirst(at).prefix(count)
    }

    /// The next numbers; nil if there are fewer.
    mutating func array<Number: FixedWidthInteger>(_ count: Int, of type: Number.Type) -> [Number]? {
        let size = MemoryLayout<Number>.size
        guard count >= 0, count <= (data.count - at) / size else { return nil }
        defer { at += count * size }
        return data.withUnsafeBytes { raw in
            (0..<count).map { Number(littleEndian: raw.loadUnaligned(fromByteOffset: at + $0 * size, as: type)) }
        }
    }
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo) over little-endian words of 64 bits instead of bytes, which is eight times faster.
struct CheckSum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Adds bytes; the last word is filled up with zeros.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        let whole = bytes.count / 8
        var sum = value
        func add(_ word: UInt64) { sum = (sum ^ word) &* 0x100_0000_01B3 }
        bytes.withUnsafeBytes { raw in
            for index in 0..<whole {
                add(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
            }
        }
        let rest = bytes.dropFirst(whole * 8)
        if !rest.isEmpty { add(Self.word(rest)) }
        value = sum
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What precedes the check sum at the end of a file; nil if the sum is another one.
    /// - Parameter others: other files that the sum covers, after the content.
    static func content(of bytes: [UInt8], with others: [[UInt8]] = []) -> ArraySlice<UInt8>? {
        let content = bytes.dropLast(8)
        var sum = CheckSum()
        sum.add(content)
        for other in others { sum.add(other[...]) }
        return !content.isEmpty && sum.value == word(bytes.suffix(8)) ? content : nil
    }
}
