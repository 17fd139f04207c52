internal import HearthSystem

/// Messages of weights in the forms that networks of layers have, as coremltools' `quantization_utils` writes them.
extension NeuralNetworkWeights {
    /// Single precision.
    package static func message(floats: [Float]) -> [UInt8] {
        var writer = WireWriter()
        writer.numbers(1, numbers(floats))
        return writer.array
    }

    /// Half precision.
    /// - Parameter bytes: little-endian.
    package static func message(halves bytes: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.bytes(2, ByteRange(copying: bytes))
        return writer.array
    }

    /// Codes of 1 to 8 bits: value = scale · code + bias, with one scale and bias for all, or one for each channel that comes
    /// out.
    package static func message(codes: [UInt8], bits: Int, scales: [Float], biases: [Float]) -> [UInt8] {
        message(codes, bits) { writer in
            writer.nested(101) { writer in
                writer.numbers(1, numbers(scales))
                writer.numbers(2, numbers(biases))
            }
        }
    }

    /// Indices of 1 to 8 bits into a table of as many values as they have.
    package static func message(indices: [UInt8], bits: Int, table: [Float]) -> [UInt8] {
        message(indices, bits) { writer in
            writer.nested(102) { writer in writer.numbers(1, numbers(table)) }
        }
    }

    private static func message(
        _ codes: [UInt8], _ bits: Int, _ meaning: (inout WireWriter) -> Void
    ) -> [UInt8] {
        var writer = WireWriter()
        writer.bytes(30, ByteRange(copying: packed(codes, bits: bits)))
        writer.nested(40) { writer in
            writer.integer(1, bits)
            meaning(&writer)
        }
        return writer.array
    }

    private static func numbers(_ values: [Float]) -> WireNumbers {
        WireNumbers(.fixed32, values.map { UInt64($0.bitPattern) })
    }

    /// One code after the other, the highest bit of the first in the highest of the first byte.
    private static func packed(_ codes: [UInt8], bits: Int) -> [UInt8] {
        guard bits < 8 else { return codes }
        var bytes = [UInt8](repeating: 0, count: (codes.count * bits + 7) / 8)
        for (index, code) in codes.enumerated() {
            let bit = index * bits
            let window = UInt16(code) << UInt16(16 - bits - bit & 7)
            bytes[bit >> 3] |= UInt8(window >> 8)
            if bit & 7 + bits > 8 { bytes[bit >> 3 + 1] |= UInt8(truncatingIfNeeded: window) }
        }
        return bytes
    }
}
