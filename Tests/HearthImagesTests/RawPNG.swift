/// A PNG as its chunks, to be changed and written again with right checksums.
struct RawPNG {
    var chunks: [(type: String, content: [UInt8])] = []

    init() {}

    init(_ bytes: [UInt8]) {
        var at = 8
        while at + 12 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard at + 12 + length <= bytes.count else { break }
            chunks.append(
                (String(decoding: bytes[at + 4..<at + 8], as: UTF8.self), Array(bytes[at + 8..<at + 8 + length])))
            at += 12 + length
        }
    }

    static func header(_ width: UInt32, _ height: UInt32, depth: UInt8 = 8, color: UInt8 = 2) -> [UInt8] {
        word(width) + word(height) + [depth, color, 0, 0, 0]
    }

    static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    var bytes: [UInt8] {
        var result: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for chunk in chunks {
            let body = Array(chunk.type.utf8) + chunk.content
            result += Self.word(UInt32(chunk.content.count)) + body + Self.word(Self.checksum(body))
        }
        return result
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    /// CRC-32 of ISO 3309.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
    }

    /// A zlib stream of `count` zeros, 1000 times as short: blocks of one Huffman code for one long match each.
    static func zeros(_ count: Int) -> [UInt8] {
        // Fixed codes: literal 0 is 00110000; length 258 is 11000101; distance 1 is 00000.
        var bits = BitWriter()
        bits.put(0b011, 3)
        bits.putReversed(0b0011_0000, 8)
        var written = 1
        while written + 258 <= count {
            bits.putReversed(0b1100_0101, 8)
            bits.putReversed(0, 5)
            written += 258
        }
        while written < count {
            bits.putReversed(0b0011_0000, 8)
            written += 1
        }
        bits.putReversed(0, 7)
        // Adler-32: one sum stays 1, the other counts.
        return [0x78, 0x9C] + bits.finish() + word(UInt32(count % 65521) << 16 | 1)
    }
}

private struct BitWriter {
    private var bytes: [UInt8] = []
    private var current = 0
    private var count = 0

    mutating func put(_ value: Int, _ bits: Int) {
        for bit in 0..<bits {
            current |= (value >> bit & 1) << count
            count += 1
            if count == 8 {
                bytes.append(UInt8(current))
                (current, count) = (0, 0)
            }
        }
    }

    /// Huffman codes go in from their highest bit.
    mutating func putReversed(_ value: Int, _ bits: Int) {
        for bit in (0..<bits).reversed() { put(value >> bit & 1, 1) }
    }

    mutating func finish() -> [UInt8] { count > 0 ? bytes + [UInt8(current)] : bytes }
}
