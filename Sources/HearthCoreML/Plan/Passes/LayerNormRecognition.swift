/// Finds layer normalisation that a file spells out: (x − mean(x)) / √(mean((x − mean(x))²) + ε), and takes gain and shift
/// behind it into it.
enum LayerNormRecognition: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        try graph.rewrite { graph, index, place in
            if case .layerNorm(let axes, _) = graph.steps[place].operation {
                return try takeAffine(&graph, index, place, axes)
            }
            guard let found = try Match(graph, index).normalization(at: place) else { return false }
            graph.steps[place].operation = .layerNorm(axes: found.axes, epsilon: found.epsilon)
            graph.steps[place].inputs = [found.x, nil, nil]
            return true
        }
    }

    /// · gamma, then + beta.
    private static func takeAffine(
        _ graph: inout CoreMLGraph, _ index: GraphIndex, _ place: Int, _ axes: [Int]
    ) throws -> Bool {
        let step = graph.steps[place]
        let operands = step.inputs + [Int?](repeating: nil, count: max(0, 3 - step.inputs.count))
        guard let output = step.outputs.first, let next = index.soleUser(of: output), operands[2] == nil,
            case .binary(let function) = graph.steps[next].operation, graph.steps[next].inputs.count == 2,
            let left = graph.steps[next].inputs[0], let right = graph.steps[next].inputs[1]
        else { return false }
        let other = left == output ? right : left
        let normalized = axes.map { graph.tensors[output].shape[$0] }
        let rank = graph.tensors[output].shape.count
        guard axes == axes.sorted(), graph.constants[other] != nil,
            graph.tensors[graph.steps[next].outputs[0]].shape == graph.tensors[output].shape,
            let values = try graph.values(of: other)
        else { return false }
        let shape = graph.tensors[other].shape
        // Its sizes beside those of the result, with which it broadcasts.
        let sizes = [Int](repeating: 1, count: max(rank - shape.count, 0)) + shape
        let whole: [Float]
        if values.count == 1 {
            whole = [Float](repeating: values[0], count: normalized.reduce(1, *))
        } else if sizes.count == rank,
            sizes.indices.allSatisfy({ axis in
                sizes[axis] == (axes.contains(axis) ? graph.tensors[output].shape[axis] : 1)
            })
        {
            whole = values
        } else {
            return false
        }
        var inputs = operands
        switch function {
        case .multiply where operands[1] == nil:
            inputs[1] = graph.addConstant("\(step.place).gamma", shape: normalized, whole)
        case .add: inputs[2] = graph.addConstant("\(step.place).beta", shape: normalized, whole)
        default: return false
        }
        graph.steps[place].inputs = inputs
        graph.steps[place].outputs = graph.steps[next].outputs
        graph.steps[next].outputs = []
        return true
    }
}

/// The parts of the pattern.
private struct Match {
    let graph: CoreMLGraph
    let index: GraphIndex

    init(_ graph: CoreMLGraph, _ index: GraphIndex) {
        self.graph = graph
        self.index = index
    }

    func normalization(at place: Int) throws -> (x: CoreMLGraph.TensorID, axes: [Int], epsilon: Float)? {
        let step = graph.steps[place]
        guard case .binary(let function) = step.operation, function == .multiply || function == .divide,
            step.inputs.count == 2, let left = step.inputs[0], let right = step.inputs[1]
        else { return nil }
        let orders = function == .multiply ? [(left, right), (right, left)] : [(left, right)]
        for (centred, factor) in orders {
            guard let (x, axes) = difference(centred),
                let (variance, epsilon) = try root(factor, isInverse: function == .multiply),
                let (squares, varianceAxes) = mean(variance), varianceAxes == axes, squared(squares) == centred
            else { continue }
            return (x, axes, epsilon)
        }
        return nil
    }

    private func step(making tensor: CoreMLGraph.TensorID) -> GraphStep? {
        index.producer(of: tensor).map { graph.steps[$0] }
    }

    /// x − mean(x)
    private func difference(_ tensor: CoreMLGraph.TensorID) -> (CoreMLGraph.TensorID, [Int])? {
        guard let step = step(making: tensor), case .binary(.subtract) = step.operation, step.inputs.count == 2,
            let x = step.inputs[0], let average = step.inputs[1], let (source, axes) = mean(average), source == x
        else { return nil }
        return (x, axes)
    }

    /// A mean that keeps its axes.
    private func mean(_ tensor: CoreMLGraph.TensorID) -> (CoreMLGraph.TensorID, [Int])? {
        guard let step = step(making: tensor), case .reduce(.mean, let axes) = step.operation, let x = step.inputs[0],
            graph.tensors[x].shape.count == graph.tensors[tensor].shape.count
        else { return nil }
        return (x, axes.sorted())
    }

    private func squared(_ tensor: CoreMLGraph.TensorID) -> CoreMLGraph.TensorID? {
        guard let step = step(making: tensor), let x = step.inputs.first ?? nil else { return nil }
        switch step.operation {
        case .unary(.square): return x
        case .binary(.multiply) where step.inputs[1] == x: return x
        case .binary(.power): return (try? graph.scalar(step.inputs[1])) == 2 ? x : nil
        default: return nil
        }
    }

    /// √(v + ε), or one over it.
    private func root(
        _ tensor: CoreMLGraph.TensorID, isInverse: Bool
    ) throws -> (variance: CoreMLGraph.TensorID, epsilon: Float)? {
        guard let step = step(making: tensor), let x = step.inputs.first ?? nil else { return nil }
        var inner: Float = 0
        switch step.operation {
        case .unary(.rsqrt(let epsilon)) where isInverse: inner = epsilon
        case .unary(.sqrt) where !isInverse: break
        case .binary(.power):
            guard let exponent = try graph.scalar(step.inputs[1]), exponent == (isInverse ? -0.5 : 0.5) else {
                return nil
            }
        default: return nil
        }
        guard let added = self.step(making: x), case .binary(.add) = added.operation, let variance = added.inputs[0],
            let epsilon = try graph.scalar(added.inputs[1])
        else { return inner > 0 ? (x, inner) : nil }
        return (variance, epsilon + inner)
    }
}
