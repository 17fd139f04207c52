internal import HearthSystem

/// Elements of a tensor out of packed little-endian bytes, which hold as many as are asked for.
package enum ElementDecoder {
    package static func floats(_ bytes: UnsafeRawBufferPointer, _ type: MILDataType, _ count: Int) -> [Float] {
        switch type {
        case .float32: numbers(bytes, UInt32.self, count) { Float(bitPattern: $0) }
        case .float64: numbers(bytes, UInt64.self, count) { Float(Double(bitPattern: $0)) }
        case .float16: numbers(bytes, UInt16.self, count) { Float16Bits.float($0) }
        case .bfloat16: numbers(bytes, UInt16.self, count) { Float(bitPattern: UInt32($0) << 16) }
        case .float8E4M3FN: numbers(bytes, UInt8.self, count) { float8E4M3FN($0) }
        // The same exponent as half precision, two bits of fraction.
        case .float8E5M2: numbers(bytes, UInt8.self, count) { Float16Bits.float(UInt16($0) << 8) }
        default: integers(bytes, type, count).map { Float($0) }
        }
    }

    package static func integers(_ bytes: UnsafeRawBufferPointer, _ type: MILDataType, _ count: Int) -> [Int] {
        switch type {
        case .int8: numbers(bytes, Int8.self, count) { Int($0) }
        case .uint8, .bool: numbers(bytes, UInt8.self, count) { Int($0) }
        case .int16: numbers(bytes, Int16.self, count) { Int($0) }
        case .uint16: numbers(bytes, UInt16.self, count) { Int($0) }
        case .int32: numbers(bytes, Int32.self, count) { Int($0) }
        case .uint32: numbers(bytes, UInt32.self, count) { Int($0) }
        case .int64: numbers(bytes, Int64.self, count) { Int($0) }
        case .uint64: numbers(bytes, UInt64.self, count) { Int(clamping: $0) }
        case .int4: BitPacking.unpack(bytes, bits: 4, count: count).map { Int(Int8(bitPattern: $0 << 4) >> 4) }
        case .uint1, .uint2, .uint3, .uint4, .uint6:
            BitPacking.unpack(bytes, bits: type.bits, count: count).map { Int($0) }
        default: []
        }
    }

    private static func numbers<T: FixedWidthInteger, R>(
        _ bytes: UnsafeRawBufferPointer, _ type: T.Type, _ count: Int, _ convert: (T) -> R
    ) -> [R] {
        let size = MemoryLayout<T>.size
        let count = min(count, bytes.count / size)
        var result: [R] = []
        result.reserveCapacity(count)
        for index in 0..<count {
            result.append(convert(T(littleEndian: bytes.loadUnaligned(fromByteOffset: index * size, as: T.self))))
        }
        return result
    }

    /// Four bits of exponent with bias 7, three of fraction, no infinities (OCP 8-bit floating point, E4M3).
    static func float8E4M3FN(_ bits: UInt8) -> Float {
        let magnitude = bits & 0x7f
        if magnitude == 0x7f { return .nan }
        let (exponent, fraction) = (Int(magnitude >> 3), Float(magnitude & 7))
        let scale: Float = exponent == 0 ? 0x1p-6 : Float(sign: .plus, exponent: exponent - 7, significand: 1)
        let value = exponent == 0 ? fraction / 8 * scale : (1 + fraction / 8) * scale
        return bits & 0x80 == 0 ? value : -value
    }
}
