/// Conversion to half precision for exactly representable numbers: ten significand bits after the leading one, fewer below 2⁻¹⁴.
enum HalfBits {
    /// Whether a number is exactly representable in half precision.
    static func holds(_ value: Float) -> Bool { of(value) != nil }

    /// The half-precision bits of a finite number; nil if it is not exactly representable.
    static func of(_ value: Float) -> UInt16? {
        let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
        if value == 0 { return sign }
        guard value.isFinite, value.isNormal else { return nil }
        let exponent = Int(value.exponent)
        guard exponent <= 15, exponent >= -24 else { return nil }
        // Significand bits that do not fit in half precision.
        let lost = exponent >= -14 ? 13 : 13 + (-14 - exponent)
        guard value.significandBitPattern & ((1 << UInt32(min(lost, 23))) - 1) == 0 else { return nil }
        let significand = UInt16(truncatingIfNeeded: value.significandBitPattern >> 13)
        if exponent >= -14 { return sign | UInt16(exponent + 15) << 10 | significand }
        return sign | (significand | 0x400) >> UInt16(-14 - exponent)
    }
}
