/// x · scale + shift, one scale and shift for each channel: what batch norm, a multiplication by constants, an addition
/// of constants and a division by constants are.
struct ChannelAffine {
    var scale: [Float]
    var shift: [Float]

    /// Scales and shifts that may be multiplied into each other and into weights without leaving the range in which float32
    /// has all its digits. What a file scales by more, forth and back perhaps, is computed as it stands.
    private static let scales: ClosedRange<Float> = 0x1p-24...0x1p24
    private static let shifts: Float = 0x1p100

    /// Whether it may become a part of something else.
    var canFold: Bool {
        scale.allSatisfy { $0 == 0 || Self.scales.contains(abs($0)) } && shift.allSatisfy { abs($0) <= Self.shifts }
    }

    /// A step as such a function of its first non-constant operand along `axis` of it; nil for any other step, and where
    /// float32 has no such numbers.
    static func of(
        _ step: GraphStep, axis: Int, in graph: CoreMLGraph
    ) throws -> (x: CoreMLGraph.TensorID, affine: ChannelAffine)? {
        guard let found = try any(step, axis, graph),
            (found.affine.scale + found.affine.shift).allSatisfy({ $0.isFinite })
        else { return nil }
        return found
    }

    private static func any(
        _ step: GraphStep, _ axis: Int, _ graph: CoreMLGraph
    ) throws -> (x: CoreMLGraph.TensorID, affine: ChannelAffine)? {
        guard let first = step.inputs.first ?? nil else { return nil }
        let shape = graph.tensors[first].shape
        switch step.operation {
        case .batchNorm(let epsilon):
            guard axis == 1, step.inputs.count >= 3, let mean = try graph.values(of: step.inputs[1]),
                let variance = try graph.values(of: step.inputs[2])
            else { return nil }
            let gamma = try graph.values(of: step.inputs.count > 3 ? step.inputs[3] : nil)
            let beta = try graph.values(of: step.inputs.count > 4 ? step.inputs[4] : nil)
            if step.inputs.count > 3, step.inputs[3] != nil, gamma == nil { return nil }
            if step.inputs.count > 4, step.inputs[4] != nil, beta == nil { return nil }
            let scale = variance.indices.map { index in
                Float(Double(gamma?[index] ?? 1) / (Double(variance[index]) + Double(epsilon)).squareRoot())
            }
            let shift = mean.indices.map { index in
                Float(Double(beta?[index] ?? 0) - Double(mean[index]) * Double(scale[index]))
            }
            return (first, ChannelAffine(scale: scale, shift: shift))
        case .unary(.linear(let alpha, let beta)):
            guard shape.indices.contains(axis) else { return nil }
            return (
                first,
                ChannelAffine(
                    scale: [Float](repeating: alpha, count: shape[axis]),
                    shift: [Float](repeating: beta, count: shape[axis]))
            )
        case .binary(let function):
            return try binary(function, step, axis, graph)
        default: return nil
        }
    }

    private static func binary(
        _ function: GraphBinary, _ step: GraphStep, _ axis: Int, _ graph: CoreMLGraph
    ) throws -> (x: CoreMLGraph.TensorID, affine: ChannelAffine)? {
        guard step.inputs.count == 2, let left = step.inputs[0], let right = step.inputs[1] else { return nil }
        let isReversed = graph.constants[left] != nil
        let (x, other) = isReversed ? (right, left) : (left, right)
        // A constant of higher rank makes the result larger than x.
        guard graph.constants[x] == nil, let output = step.outputs.first,
            graph.tensors[output].shape == graph.tensors[x].shape,
            let values = try graph.axisValues(other, of: x, axis: axis)
        else { return nil }
        let ones = [Float](repeating: 1, count: values.count)
        let zeros = [Float](repeating: 0, count: values.count)
        switch (function, isReversed) {
        case (.multiply, _): return (x, ChannelAffine(scale: values, shift: zeros))
        case (.add, _): return (x, ChannelAffine(scale: ones, shift: values))
        case (.subtract, false): return (x, ChannelAffine(scale: ones, shift: values.map { -$0 }))
        case (.subtract, true): return (x, ChannelAffine(scale: ones.map { -$0 }, shift: values))
        case (.divide, false):
            // The reciprocal of what is no normal number, or has none, has lost digits.
            guard values.allSatisfy({ $0.isNormal && (1 / $0).isNormal }) else { return nil }
            return (x, ChannelAffine(scale: values.map { 1 / $0 }, shift: zeros))
        default: return nil
        }
    }

    /// Whether this function, then another one is one such function with the same numbers: (x + 3) · 1.1 is exactly 0 at −3, and
    /// x · 1.1 + 3.3 is not; nor may two shifts become one that is rounded.
    func isExact(before next: ChannelAffine) -> Bool {
        shift.indices.allSatisfy { index in
            let (shift, scale) = (shift[index], next.scale[index])
            return shift == 0
                || (scale == 0 || abs(scale).significand == 1)
                    && Double(shift * scale + next.shift[index])
                        == Double(shift) * Double(scale) + Double(next.shift[index])
        }
    }

    /// This function, then another one.
    func then(_ next: ChannelAffine) -> ChannelAffine {
        ChannelAffine(
            scale: zip(scale, next.scale).map { $0 * $1 },
            shift: shift.indices.map { shift[$0] * next.scale[$0] + next.shift[$0] })
    }
}

extension CoreMLGraph {
    /// The values of a constant; nil if there is none.
    package func values(of id: TensorID?) throws -> [Float]? {
        guard let id else { return nil }
        return try constants[id]?.floats()
    }

    /// A constant as one value for each place along `axis` of x; nil where it is none, or varies along another axis.
    package func axisValues(_ id: TensorID, of x: TensorID, axis: Int) throws -> [Float]? {
        guard constants[id] != nil, tensors[x].shape.indices.contains(axis) else { return nil }
        let (size, rank) = (tensors[x].shape[axis], tensors[x].shape.count)
        let shape = tensors[id].shape
        guard shape.count <= rank else { return nil }
        if tensors[id].count == 1 {
            return try scalar(id).map { [Float](repeating: $0, count: size) }
        }
        guard shape.reduce(1, *) == size else { return nil }
        let padded = [Int](repeating: 1, count: rank - shape.count) + shape
        guard padded[axis] == size else { return nil }
        return try values(of: id)
    }

    /// Whether a constant is stored in fewer bits than a number has; such a weight is left as it is.
    package func isCompressed(_ id: TensorID) -> Bool {
        if case .expression? = constants[id] { true } else { false }
    }
}

/// Batch norm, scales and biases around a convolution or a linear layer become part of its weights; those that follow each
/// other become one.
///
/// In front of a layer a shift cannot move: where it makes a zero, the products of both parts only nearly cancel; and padding
/// stands for zeros behind the shift. What rounds to codes and back stays as it is (`GraphIndex.isCoding`).
enum AffineFolding: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        try graph.rewrite { graph, index, place in
            let step = graph.steps[place]
            guard let output = step.outputs.first, let next = index.soleUser(of: output),
                !index.isCoding(place, graph), !index.isCoding(next, graph)
            else { return false }
            if let layer = WeightedStep(step, graph) { return try foldBehind(&graph, layer, place, next) }
            guard let (x, affine) = try ChannelAffine.of(step, axis: 1, in: graph), affine.canFold
            else { return false }
            if let layer = WeightedStep(graph.steps[next], graph), graph.steps[next].inputs[0] == output {
                return try foldAhead(&graph, affine, x, layer, next)
            }
            guard let (_, second) = try ChannelAffine.of(graph.steps[next], axis: 1, in: graph),
                graph.tensors[output].shape.count >= 2, second.canFold, affine.isExact(before: second),
                affine.then(second).canFold
            else { return false }
            merge(&graph, x, affine.then(second), next)
            return true
        }
    }

    private static func foldBehind(
        _ graph: inout CoreMLGraph, _ layer: WeightedStep, _ place: Int, _ next: Int
    ) throws -> Bool {
        let step = graph.steps[place]
        guard let (x, affine) = try ChannelAffine.of(graph.steps[next], axis: layer.outputAxis, in: graph),
            x == step.outputs[0], affine.canFold
        else { return false }
        let isScaling = affine.scale.contains { $0 != 1 }
        guard !isScaling || !graph.isCompressed(layer.weight) else { return false }
        let bias = try graph.values(of: layer.bias) ?? [Float](repeating: 0, count: layer.outputs)
        guard bias.count == layer.outputs, affine.scale.count == layer.outputs else { return false }
        if isScaling {
            guard let weight = try graph.values(of: layer.weight) else { return false }
            let id = graph.addConstant(
                graph.tensors[layer.weight].name, shape: graph.tensors[layer.weight].shape,
                layer.scaled(weight, byOutput: affine.scale))
            graph.steps[place].inputs[1] = id
        }
        graph.setBias(of: place, zip(bias, zip(affine.scale, affine.shift)).map { $0 * $1.0 + $1.1 })
        graph.steps[place].outputs = graph.steps[next].outputs
        graph.steps[next].outputs = []
        return true
    }

    private static func foldAhead(
        _ graph: inout CoreMLGraph, _ affine: ChannelAffine, _ x: CoreMLGraph.TensorID, _ layer: WeightedStep,
        _ next: Int
    ) throws -> Bool {
        guard layer.inputAxis(rank: graph.tensors[x].shape.count) == 1, !graph.isCompressed(layer.weight),
            affine.shift.allSatisfy({ $0 == 0 }), layer.isPlain,
            let weight = try graph.values(of: layer.weight), let folded = layer.folded(weight, ahead: affine.scale)
        else { return false }
        graph.steps[next].inputs[0] = x
        graph.steps[next].inputs[1] = graph.addConstant(
            graph.tensors[layer.weight].name, shape: graph.tensors[layer.weight].shape, folded)
        return true
    }

    /// A batch norm of mean 0, variance 1 and no epsilon is the general form.
    private static func merge(
        _ graph: inout CoreMLGraph, _ x: CoreMLGraph.TensorID, _ affine: ChannelAffine, _ next: Int
    ) {
        let channels = affine.scale.count
        let name = graph.steps[next].place
        let mean = graph.addConstant("\(name).mean", shape: [channels], [Float](repeating: 0, count: channels))
        let variance = graph.addConstant("\(name).variance", shape: [channels], [Float](repeating: 1, count: channels))
        let gamma = graph.addConstant("\(name).gamma", shape: [channels], affine.scale)
        let beta = graph.addConstant("\(name).beta", shape: [channels], affine.shift)
        graph.steps[next].operation = .batchNorm(epsilon: 0)
        graph.steps[next].inputs = [x, mean, variance, gamma, beta]
    }
}

extension GraphIndex {
    /// Whether a step divides by the scale of codes, or multiplies codes by it. As a part of something else it would differ in the
    /// last bit, and a quotient half way between two codes, as sums of codes are, would become the wrong one.
    fileprivate func isCoding(_ place: Int, _ graph: CoreMLGraph) -> Bool {
        let step = graph.steps[place]
        switch step.operation {
        case .binary(.divide):
            guard let output = step.outputs.first, let next = soleUser(of: output) else { return false }
            return graph.steps[next].operation == .unary(.round)
        case .binary(.multiply):
            return step.inputs.contains { id in
                guard let limiting = maker(of: id, behind: .subtract, graph) else { return false }
                let limit = graph.steps[limiting].operation
                guard limit == .unary(.clip(low: -128, high: 127)) || limit == .unary(.clip(low: 0, high: 255)),
                    let rounding = maker(of: graph.steps[limiting].inputs[0], behind: .add, graph)
                else { return false }
                return graph.steps[rounding].operation == .unary(.round)
            }
        default: return false
        }
    }

    /// The step that makes a tensor, or what the tensor is before a zero point is added or subtracted.
    private func maker(
        of tensor: CoreMLGraph.TensorID?, behind function: GraphBinary, _ graph: CoreMLGraph
    ) -> Int? {
        guard let place = producer(of: tensor) else { return nil }
        let step = graph.steps[place]
        guard step.operation == .binary(function) else { return place }
        return step.inputs.lazy.compactMap { producer(of: $0) }.first
    }
}

extension CoreMLGraph {
    fileprivate mutating func setBias(of place: Int, _ bias: [Float]) {
        let id = addConstant("\(steps[place].place).bias", shape: [bias.count], bias)
        while steps[place].inputs.count < 3 { steps[place].inputs.append(nil) }
        steps[place].inputs[2] = id
    }
}
