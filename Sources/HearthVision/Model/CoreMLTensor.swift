/// Numbers in up to sixteen dimensions, row by row: what goes into a model and what comes out.
public struct CoreMLTensor: Sendable, Equatable {
    /// The dimensions, slowest first; empty for a single number.
    public var shape: [Int]
    /// The elements, as many as the product of the dimensions.
    public var values: [Float]

    /// A tensor of `values`, of which there are as many as the product of `shape`.
    public init(shape: [Int], values: [Float]) {
        self.shape = shape
        self.values = values
    }

    /// The same value everywhere.
    package init(shape: [Int], repeating value: Float = 0) {
        self.init(shape: shape, values: [Float](repeating: value, count: shape.reduce(1, *)))
    }

    /// Elements.
    var count: Int { values.count }
}
