internal import HearthCoreMLFormat

/// Weights that are 8-bit integers times a scale of their output.
struct ByteWeights {
    /// What a weight's step is worth, for each output.
    let scales: [Float]
    /// The sum of each output's weights: whole numbers.
    let sums: [Float]
    /// Whole numbers from −128 to 127, in the order of the constant; empty where they were not asked for.
    let values: [Float]

    /// Nil for other weights: of more bits, with scales that differ within an output, with codes that do not fit a signed byte
    /// once their offset is subtracted.
    /// - Parameter values: whether the weights themselves are wanted.
    init?(_ id: CoreMLGraph.TensorID, outputs: Int, _ graph: CoreMLGraph, values keepsValues: Bool = false) throws {
        guard case .expression(let expression, _)? = graph.constants[id], let linear = expression.linearCodes(),
            graph.tensors[id].shape.first == outputs, outputs > 0, linear.codes.count == graph.tensors[id].count,
            !linear.codes.isEmpty, linear.codes.count % outputs == 0
        else { return nil }
        let each = linear.codes.count / outputs
        var scales: [Float] = []
        var sums: [Float] = []
        var values: [Float] = []
        if keepsValues { values.reserveCapacity(linear.codes.count) }
        for output in 0..<outputs {
            let scale = linear.scales[output * each]
            guard scale.isFinite else { return nil }
            var sum: Float = 0
            for place in output * each..<(output + 1) * each {
                let weight = linear.codes[place] - linear.offsets[place]
                guard linear.scales[place] == scale, (-128...127).contains(weight), weight == weight.rounded() else {
                    return nil
                }
                sum += weight
                if keepsValues { values.append(weight) }
            }
            // Beyond 2²⁴ a float has not every whole number.
            guard abs(sum) <= 16_777_216 else { return nil }
            scales.append(scale)
            sums.append(sum)
        }
        (self.scales, self.sums, self.values) = (scales, sums, values)
    }
}
