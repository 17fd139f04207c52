/// A linearly quantized weight, element by element: value = (code − offset) · scale, rounded to half precision where the
/// weight is of that type. All numbers are finite or not as the file has them.
public struct LinearCodes: Sendable {
    /// Whole numbers.
    public let codes: [Float]
    /// The least number that a code of this type can be: 0, or negative.
    public let lowest: Float
    /// Bits of a code.
    public let bits: Int
    /// Of each element.
    public let scales: [Float]
    /// Of each element.
    public let offsets: [Float]
    /// Whether products are rounded to half precision.
    public let roundsToHalf: Bool
    /// Neighbours along the second axis (inputs, of most weights) that share scale and offset.
    public let inputBlock: Int
}
