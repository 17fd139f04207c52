internal import HearthCompute

/// A tensor that is rounded to 8-bit codes and back: `quantize`, then `dequantize` with the same scale and zero.
struct RoundedTensor {
    /// What is rounded.
    var source: CoreMLGraph.TensorID
    /// The values of the codes.
    var result: CoreMLGraph.TensorID
    var scale: Float
    /// The code of zero, 0 to 255.
    var zero: Int
    /// The steps from the division to the multiplication.
    var steps: [Int]
    /// Positions around the pictures for which products of codes want zeros.
    var border = [0, 0, 0, 0]
    /// Whether a matrix product takes the codes.
    var isMatrix = false
    /// Whether a convolution takes the codes.
    var isPicture = false
    /// A sum of two other rounded tensors that is all that makes the source.
    var sum: RoundedSum?
}

/// function(x + y) of two rounded tensors.
struct RoundedSum {
    var x: CoreMLGraph.TensorID
    var y: CoreMLGraph.TensorID
    var function: GraphFunction?
    /// The addition, and the function.
    var steps: [Int]
}

/// The rounded tensors of a graph, and the products that can be computed with their codes.
struct RoundedTensors {
    /// By the values of the codes.
    private(set) var tensors: [CoreMLGraph.TensorID: RoundedTensor] = [:]
    /// The tensor that is rounded by a step, by its last step.
    private(set) var endings: [Int: CoreMLGraph.TensorID] = [:]
    /// All steps that are computed with, or instead of, the last one.
    private(set) var inner: Set<Int> = []
    /// Convolutions and linear layers of 8-bit weights.
    private(set) var products: [Int: ByteWeights] = [:]
    /// The tensors whose only use is to be rounded.
    private var roundings: [CoreMLGraph.TensorID: CoreMLGraph.TensorID] = [:]

    init(_ graph: CoreMLGraph) throws {
        let index = GraphIndex(graph)
        for place in graph.steps.indices {
            guard let found = try Self.rounded(place, graph, index), let last = found.steps.last else { continue }
            tensors[found.result] = found
            endings[last] = found.result
            inner.formUnion(found.steps)
            if index.soleUser(of: found.source) == found.steps[0] { roundings[found.source] = found.result }
        }
        guard !tensors.isEmpty else { return }
        for place in graph.steps.indices { try addProduct(place, graph) }
        for (source, result) in roundings {
            guard let sum = sum(source, graph, index) else { continue }
            tensors[result]?.sum = sum
            inner.formUnion(sum.steps)
        }
    }

    /// The tensor that a result is rounded to, where that is its only use.
    func rounded(_ source: CoreMLGraph.TensorID) -> RoundedTensor? { roundings[source].flatMap { tensors[$0] } }

    /// Whether a step is computed by the group of another one.
    func isInner(_ place: Int) -> Bool { inner.contains(place) && endings[place] == nil }

    // MARK: - Finding

    /// round(x / scale) + zero, limited to the codes, less zero, times scale: from the step that limits on.
    private static func rounded(
        _ place: Int, _ graph: CoreMLGraph, _ index: GraphIndex
    ) throws -> RoundedTensor? {
        guard case .unary(.clip(let low, let high)) = graph.steps[place].operation,
            (low == -128 && high == 127) || (low == 0 && high == 255),
            var before = graph.steps[place].inputs[0], let codes = graph.steps[place].outputs.first
        else { return nil }
        var steps = [place]
        /// The step that makes `before`, for this use alone.
        func producer(_ next: Int) -> Int? { index.soleUser(of: before) == next ? index.producer(of: before) : nil }
        /// The constant that a step combines another operand with.
        func constant(_ step: GraphStep, _ function: GraphBinary, with x: CoreMLGraph.TensorID?) throws -> Float? {
            guard step.operation == .binary(function), step.inputs.count == 2 else { return nil }
            if x == nil || step.inputs[0] == x, let value = try graph.scalar(step.inputs[1]) { return value }
            guard function.isCommutative, x == nil || step.inputs[1] == x else { return nil }
            return try graph.scalar(step.inputs[0])
        }
        func other(_ step: GraphStep) -> CoreMLGraph.TensorID? {
            step.inputs.compactMap(\.self).first { graph.constants[$0] == nil }
        }
        var zero: Float = 0
        var at = producer(place)
        if let adding = at, let value = try constant(graph.steps[adding], .add, with: nil),
            let x = other(graph.steps[adding])
        {
            (zero, before) = (value, x)
            steps.insert(adding, at: 0)
            at = producer(adding)
        }
        guard let rounding = at, graph.steps[rounding].operation == .unary(.round),
            let quotient = graph.steps[rounding].inputs[0]
        else { return nil }
        before = quotient
        steps.insert(rounding, at: 0)
        guard let dividing = producer(rounding), let source = graph.steps[dividing].inputs[0],
            graph.constants[source] == nil,
            let scale = try constant(graph.steps[dividing], .divide, with: source)
        else { return nil }
        steps.insert(dividing, at: 0)
        // Back again.
        var (after, last) = (codes, place)
        if zero != 0 {
            guard let next = index.soleUser(of: after),
                try constant(graph.steps[next], .subtract, with: after) == zero
            else { return nil }
            (after, last) = (graph.steps[next].outputs[0], next)
            steps.append(next)
        }
        guard let multiplying = index.soleUser(of: after), multiplying > last,
            try constant(graph.steps[multiplying], .multiply, with: after) == scale
        else { return nil }
        steps.append(multiplying)
        let result = graph.steps[multiplying].outputs[0]
        let code = zero - low
        guard scale > 0, scale.isNormal, (1 / scale).isNormal, code == code.rounded(), (0...255).contains(code),
            graph.tensors[source].shape == graph.tensors[result].shape, graph.tensors[source].count > 0
        else { return nil }
        return RoundedTensor(source: source, result: result, scale: scale, zero: Int(code), steps: steps)
    }

    private mutating func addProduct(_ place: Int, _ graph: CoreMLGraph) throws {
        let step = graph.steps[place]
        guard let layer = WeightedStep(step, graph), layer.isPlain, let x = step.inputs[0], let input = tensors[x],
            let shape = PlanBuilder.byteShape(step, layer, graph),
            shape.weightCount == graph.tensors[layer.weight].count,
            let weights = try ByteWeights(layer.weight, outputs: layer.outputs, graph)
        else { return }
        products[place] = weights
        if case .linear = step.operation {
            tensors[x]?.isMatrix = true
            return
        }
        let window = shape.window
        tensors[x]?.isPicture = true
        tensors[x]?.border = zip(input.border, [window.top, window.left, window.bottom, window.right]).map(max)
    }

    /// The sum of two rounded tensors that makes a tensor, which is used for nothing else than to be rounded.
    private func sum(
        _ source: CoreMLGraph.TensorID, _ graph: CoreMLGraph, _ index: GraphIndex
    ) -> RoundedSum? {
        guard var place = index.producer(of: source) else { return nil }
        var function: GraphFunction?
        var steps: [Int] = []
        if case .unary(let found) = graph.steps[place].operation, found.hasKernel,
            let before = graph.steps[place].inputs[0], index.soleUser(of: before) == place,
            let producer = index.producer(of: before)
        {
            function = found
            steps = [place]
            place = producer
        }
        guard graph.steps[place].operation == .binary(.add), graph.steps[place].inputs.count == 2,
            !inner.contains(place), let x = graph.steps[place].inputs[0], let y = graph.steps[place].inputs[1],
            tensors[x] != nil, tensors[y] != nil, graph.tensors[x].shape == graph.tensors[y].shape
        else { return nil }
        return RoundedSum(x: x, y: y, function: function, steps: [place] + steps)
    }
}
