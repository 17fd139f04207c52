/// A tensor of float32 values with up to sixteen dimensions, row-major.
public struct CoreMLTensor: Sendable, Equatable {
    /// The dimensions, slowest first; empty for a scalar.
    public var shape: [Int]
    /// The elements, row-major; as many as the product of the dimensions.
    public var values: [Float]

    /// A tensor; `values` must have as many elements as the product of `shape`.
    public init(shape: [Int], values: [Float]) {
        self.shape = shape
        self.values = values
    }

    /// The same value everywhere.
    package init(shape: [Int], repeating value: Float = 0) {
        self.init(shape: shape, values: [Float](repeating: value, count: shape.reduce(1, *)))
    }

    /// Elements.
    package var count: Int { values.count }
}
