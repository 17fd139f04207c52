import HearthSystem

/// A slice of a tensor: along each axis a range with a stride, as in Python.
package struct NeuralNetworkSlice: Sendable, Equatable {
    /// First elements; negative ones count from the end.
    package var begin: [Int]
    /// Whether an axis begins where it begins, whatever `begin` says.
    package var beginMask: [Bool]
    /// First elements that are left out.
    package var end: [Int]
    /// Whether an axis ends where it ends.
    package var endMask: [Bool]
    /// Steps.
    package var stride: [Int]
    /// Axes of which one element is taken, and which go.
    package var squeezeMask: [Bool]
}

/// A product of matrices over leading axes that broadcast.
package struct NeuralNetworkMatmul: Sendable, Equatable {
    /// Whether the operands' last two axes are exchanged first.
    package var transposesLeft = false, transposesRight = false
    /// Sizes of the weights, where the right operand is constant: [rows, columns]. They are stored column after column.
    package var weightShape: [Int] = []
    /// The right operand; nil where it is an input.
    package var weights: NeuralNetworkWeights?
    /// One a column.
    package var bias: NeuralNetworkWeights?
}

extension NeuralNetworkMatmul {
    init(_ field: WireField) throws(WireFault) {
        var (rows, columns, hasBias) = (0, 0, false)
        var reader = WireReader(try field.input.child(field.bytes("batchedMatmul")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: transposesLeft = try inner.bool("transposeA")
            case 2: transposesRight = try inner.bool("transposeB")
            case 5: rows = try inner.integer("weightMatrixFirstDimension")
            case 6: columns = try inner.integer("weightMatrixSecondDimension")
            case 7: hasBias = try inner.bool("hasBias")
            case 8: weights = try inner.single("weights", weights)
            case 9: bias = try inner.single("bias", bias)
            default: break
            }
        }
        if !hasBias || weights == nil { bias = nil }
        guard weights != nil else { return }
        for (name, value) in [("weightMatrixFirstDimension", rows), ("weightMatrixSecondDimension", columns)]
        where !(1...1 << 30).contains(value) {
            throw WireFault(name) { .outOfRange($0, value: "\(value)") }
        }
        weightShape = [rows, columns]
        try weights?.check("weights", count: LayerNumbers.product(weightShape))
        try bias?.check("bias", count: columns)
    }
}
