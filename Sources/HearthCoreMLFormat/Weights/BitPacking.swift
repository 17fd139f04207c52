/// Integers of one to eight bits in one stream, the first in the lowest bits of the first byte.
///
/// Element i of width b has the bits i·b to i·b + b - 1; one that crosses a byte keeps its low bits in the first.
package enum BitPacking {
    /// Bytes that `count` integers of `bits` take.
    package static func byteCount(_ count: Int, bits: Int) -> Int { (count * bits + 7) / 8 }

    /// The first `count` integers; fewer where the bytes end before.
    package static func unpack(_ bytes: UnsafeRawBufferPointer, bits: Int, count: Int) -> [UInt8] {
        precondition((1...8).contains(bits))
        let available = bytes.count * 8 / bits
        let mask = UInt16(1 << bits) - 1
        return [UInt8](unsafeUninitializedCapacity: min(max(count, 0), available)) { result, initialized in
            for index in 0..<result.count {
                let bit = index * bits
                var window = UInt16(bytes[bit >> 3])
                if bit & 7 + bits > 8 { window |= UInt16(bytes[bit >> 3 + 1]) << 8 }
                result[index] = UInt8(truncatingIfNeeded: window >> UInt16(bit & 7) & mask)
            }
            initialized = result.count
        }
    }

    /// The stream of `values`, of which the low `bits` are taken; unused bits of the last byte are 0.
    package static func pack(_ values: some Collection<UInt8>, bits: Int) -> [UInt8] {
        precondition((1...8).contains(bits))
        var result: [UInt8] = []
        result.reserveCapacity(byteCount(values.count, bits: bits))
        var window: UInt32 = 0
        var filled = 0
        for value in values {
            window |= (UInt32(value) & (1 << UInt32(bits) - 1)) << UInt32(filled)
            filled += bits
            while filled >= 8 {
                result.append(UInt8(truncatingIfNeeded: window))
                window >>= 8
                filled -= 8
            }
        }
        if filled > 0 { result.append(UInt8(truncatingIfNeeded: window)) }
        return result
    }
}
