/// A linearly quantized weight, element by element: value = (code − offset) · scale, rounded to half precision where the
/// weight is of that type. All numbers are finite or not as the file has them.
package struct LinearCodes: Sendable {
    /// Whole numbers.
    package let codes: [Float]
    /// The least number that a code of this type can be: 0, or negative.
    package let lowest: Float
    /// Bits of a code.
    package let bits: Int
    /// Of each element.
    package let scales: [Float]
    /// Of each element.
    package let offsets: [Float]
    /// Whether products are rounded to half precision.
    package let roundsToHalf: Bool
    /// Neighbours along the second axis (inputs, of most weights) that share scale and offset.
    package let inputBlock: Int
}
