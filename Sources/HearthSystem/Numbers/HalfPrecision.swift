/// Numbers of half precision (IEEE 754 binary16), as floats.
package enum HalfPrecision {
    /// The nearest number of half precision, ties to the even one; infinite beyond 65504.
    package static func rounded(_ value: Float) -> Float { Float16Bits.rounded(Double(value)) }
}

/// Half precision by its bits: Swift has the type itself on some of the systems only.
package enum Float16Bits {
    package static func float(_ bits: UInt16) -> Float {
        let sign = UInt32(bits & 0x8000) << 16
        let exponent = UInt32(bits >> 10 & 0x1f)
        let fraction = UInt32(bits & 0x3ff)
        if exponent == 0x1f { return Float(bitPattern: sign | 0x7f80_0000 | fraction << 13) }
        if exponent == 0 {
            let value = Float(fraction) * 0x1p-24
            return sign == 0 ? value : -value
        }
        return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }

    /// The nearest number of half precision, ties to the even one, as a float.
    package static func rounded(_ value: Double) -> Float {
        guard value.isFinite, value != 0 else { return Float(value) }
        let magnitude = abs(value)
        // Numbers of half precision below 2^-14 are 2^-24 apart; above, 2^-10 of their power of two.
        let step =
            magnitude < 0x1p-14 ? 0x1p-24 : Double(sign: .plus, exponent: magnitude.exponent - 10, significand: 1)
        let result = (magnitude / step).rounded(.toNearestOrEven) * step
        let limited = result > 65504 ? Double.infinity : result
        return Float(value < 0 ? -limited : limited)
    }
}
