extension [Float] {
    /// Numbers from their bytes, lowest first; a rest of less than four bytes is left out.
    package init(littleEndianBytes bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { buffer in
            (0..<buffer.count / 4).map { index in
                let bits = buffer.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
                return Float(bitPattern: UInt32(littleEndian: bits))
            }
        }
    }
}

extension FixedWidthInteger {
    /// The bytes of the integer, lowest first.
    package var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}
