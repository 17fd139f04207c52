/// Numbers of half precision (IEEE 754 binary16), as floats.
package enum HalfPrecision {
    /// The nearest number of half precision, ties to the even one; infinite beyond 65504.
    package static func rounded(_ value: Float) -> Float { Float16Bits.rounded(Double(value)) }
}
