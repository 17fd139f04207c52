import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct BitPackingTests {
    @Test("the example of the format: 0 to 7 in three bits")
    func example() {
        let bytes: [UInt8] = [0x88, 0xc6, 0xfa]
        #expect(BitPacking.pack([0, 1, 2, 3, 4, 5, 6, 7] as [UInt8], bits: 3) == bytes)
        #expect(bytes.withUnsafeBytes { BitPacking.unpack($0, bits: 3, count: 8) } == [0, 1, 2, 3, 4, 5, 6, 7])
        // Four bits: the first element is the low half.
        #expect(BitPacking.pack([1, 2, 3] as [UInt8], bits: 4) == [0x21, 0x03])
    }

    @Test("packing and unpacking are inverse, bit by bit as the rule says")
    func inverse() {
        var random = SeededNumbers(seed: 3)
        for bits in 1...8 {
            for _ in 0..<50 {
                let values = (0..<random.below(70)).map { _ in
                    UInt8(truncatingIfNeeded: random.next()) >> UInt8(8 - bits)
                }
                let bytes = BitPacking.pack(values, bits: bits)
                #expect(bytes.count == BitPacking.byteCount(values.count, bits: bits))
                #expect(bytes.withUnsafeBytes { BitPacking.unpack($0, bits: bits, count: values.count) } == values)
                for (index, value) in values.enumerated() {
                    for bit in 0..<bits {
                        let place = index * bits + bit
                        #expect(bytes[place / 8] >> UInt8(place % 8) & 1 == value >> UInt8(bit) & 1)
                    }
                }
                // Fewer bytes than elements: what is there, and no more.
                let short = bytes.dropLast(min(2, bytes.count))
                let part = Array(short).withUnsafeBytes { BitPacking.unpack($0, bits: bits, count: values.count) }
                #expect(part.count == short.count * 8 / bits || part.count == values.count)
                #expect(part[...] == values.prefix(part.count))
            }
        }
    }

    @Test("half precision: every number there is, and rounding to the nearest even one")
    func halfPrecision() {
        // The formula of IEEE 754, independent of the bits that the decoder moves.
        for bits in UInt16.min ... .max {
            let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023))
            let value = Float16Bits.float(bits)
            if exponent == 31 {
                #expect(fraction == 0 ? value.isInfinite : value.isNaN)
                continue
            }
            let magnitude =
                exponent == 0
                ? fraction * 0x1p-24
                : (1 + fraction / 1024) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
            if Double(value) != (bits & 0x8000 == 0 ? magnitude : -magnitude) {
                Issue.record("\(bits) became \(value)")
            }
            if Float16Bits.rounded(Double(value)) != value { Issue.record("\(value) is not its own nearest") }
        }
        #expect(Float16Bits.rounded(1 + 0x1p-11) == 1)
        #expect(Float16Bits.rounded(1 + 3 * 0x1p-11) == 1 + 0x1p-9)
        #expect(Float16Bits.rounded(0x1p-25) == 0)
        #expect(Float16Bits.rounded(0x1.8p-24) == 0x1p-23)
        #expect(Float16Bits.rounded(65519) == 65504)
        #expect(Float16Bits.rounded(65520) == .infinity)
        #expect(Float16Bits.rounded(-65520) == -.infinity)
    }

    @Test("bytes of eight-bit floats, by the published tables")
    func eightBitFloats() {
        func decode(_ bits: UInt8, _ type: MILDataType) -> Float {
            [bits].withUnsafeBytes { ElementDecoder.floats($0, type, 1)[0] }
        }
        #expect(decode(0x7e, .float8E4M3FN) == 448)
        #expect(decode(0x01, .float8E4M3FN) == 0x1p-9)
        #expect(decode(0x08, .float8E4M3FN) == 0x1p-6)
        #expect(decode(0xb8, .float8E4M3FN) == -1)
        #expect(decode(0x7f, .float8E4M3FN).isNaN)
        #expect(decode(0x7b, .float8E5M2) == 57344)
        #expect(decode(0x01, .float8E5M2) == 0x1p-16)
        #expect(decode(0x7c, .float8E5M2) == .infinity)
    }

    @Test("narrow integers with a sign")
    func signedNibbles() {
        let bytes = BitPacking.pack((0..<16).map { UInt8($0) }, bits: 4)
        let values = bytes.withUnsafeBytes { ElementDecoder.integers($0, .int4, 16) }
        #expect(values == Array(0...7) + Array(-8 ... -1))
    }
}
