internal import HearthCoreMLFormat

/// What layers for tensors of any rank become, which networks have since iOS 13.
extension NeuralNetworkImporter {
    mutating func lowerTensors(
        _ layer: NeuralNetworkLayer, _ x: GraphBuilder.TensorID, _ inputs: [GraphBuilder.TensorID]
    ) throws -> [GraphBuilder.TensorID] {
        switch layer.kind {
        case .copy: return [x]
        case .elementwise(let name): return [try elementwise(name, x, inputs)]
        case .gelu(let mode):
            let functions: [Int: GraphFunction] = [0: .gelu, 1: .geluTanh, 2: .geluSigmoid]
            guard let function = functions[mode] else { throw emitter.invalid("the mode \(mode) does not exist") }
            return [try emitter.unary(function, x)]
        case .reduceAxes(let name, let axes, let keeps, let all): return [try reduced(name, axes, keeps, all, x)]
        case .splitND(let axis, let count, let sizes): return try split(x, try own(axis), count, sizes)
        case .slice(let start, let end, let stride, let axis): return [try sliced(x, start, end, stride, axis)]
        case .sliceStatic(let slice): return [try sliced(x, slice)]
        case .expandDims(let axes):
            let list = try axes.map { try own($0) }
            let rank = emitter.rank(x) + list.count
            let places = try emitter.axes(list, rank: rank)
            var rest = emitter.shape(x)[...]
            return [try emitter.reshape(x, (0..<rank).map { places.contains($0) ? 1 : rest.removeFirst() })]
        case .stack(let axis): return [try stacked(inputs, try own(axis))]
        case .batchedMatmul(let product): return [try lower(product, inputs)]
        case .layerNormalization(let shape, let epsilon, let gamma, let beta):
            let axes = Array(emitter.shape(x).indices.suffix(shape.count))
            return [
                try emitter.layerNorm(
                    x, axes: axes, gamma: try constant(gamma, shape), beta: try constant(beta, shape),
                    epsilon: epsilon)
            ]
        default: throw emitter.unsupported("a layer of this kind")
        }
    }

    private mutating func elementwise(
        _ name: String, _ x: GraphBuilder.TensorID, _ inputs: [GraphBuilder.TensorID]
    ) throws -> GraphBuilder.TensorID {
        let functions: [String: GraphFunction] = [
            "ceil": .ceil, "floor": .floor, "sign": .sign, "round": .round, "exp2": .exp2, "sin": .sin, "cos": .cos,
            "tan": .tan, "asin": .asin, "acos": .acos, "atan": .atan, "sinh": .sinh, "cosh": .cosh, "tanh": .tanh,
            "erf": .erf,
        ]
        if let function = functions[name] { return try emitter.unary(function, x) }
        let pairs: [String: GraphBinary] = [
            "modBroadcastable": .modulo, "minBroadcastable": .minimum, "maxBroadcastable": .maximum,
            "powBroadcastable": .power, "divideBroadcastable": .divide, "floorDivBroadcastable": .floorDivide,
            "subtractBroadcastable": .subtract, "average": .add, "max": .maximum, "min": .minimum,
        ]
        guard let pair = pairs[name] else { throw emitter.unsupported("a layer of this kind") }
        guard inputs.count > 1 else { throw emitter.invalid("one input") }
        var result = x
        for other in inputs.dropFirst() { result = try emitter.binary(pair, result, other) }
        guard name == "average" else { return result }
        return try emitter.unary(.linear(alpha: 1 / Float(inputs.count), beta: 0), result)
    }

    private mutating func reduced(
        _ name: String, _ axes: [Int], _ keeps: Bool, _ all: Bool, _ x: GraphBuilder.TensorID
    ) throws -> GraphBuilder.TensorID {
        let kinds: [String: GraphReduction] = [
            "reduceL1": .sum, "reduceL2": .l2Norm, "reduceMax": .max, "reduceMin": .min, "reduceSum": .sum,
            "reduceProd": .product, "reduceSumSquare": .sumOfSquares, "reduceLogSumExp": .logSumExp,
        ]
        guard let kind = kinds[name] else { throw emitter.unsupported("a reduction of this kind") }
        let values = name == "reduceL1" ? try emitter.unary(.abs, x) : x
        return try emitter.reduce(
            values, kind, axes: all ? nil : try axes.map { try own($0) }, keepsDimensions: keeps)
    }

    private mutating func split(
        _ x: GraphBuilder.TensorID, _ axis: Int, _ count: Int, _ sizes: [Int]
    ) throws -> [GraphBuilder.TensorID] {
        let axis = try emitter.axis(axis, rank: emitter.rank(x))
        guard sizes.isEmpty else { return try emitter.split(x, axis: axis, sizes: sizes) }
        let whole = emitter.shape(x)[axis]
        guard (1...GraphLimits.parameters).contains(count), whole % count == 0 else {
            throw emitter.invalid("\(count) parts of \(whole)")
        }
        return try emitter.split(x, axis: axis, sizes: [Int](repeating: whole / count, count: count))
    }

    /// On one axis of the last three.
    private mutating func sliced(
        _ x: GraphBuilder.TensorID, _ start: Int, _ end: Int, _ stride: Int, _ axis: Int
    ) throws -> GraphBuilder.TensorID {
        let shape = emitter.shape(x)
        guard (0...2).contains(axis), shape.count + axis >= 3, stride >= 0 else {
            throw emitter.invalid("a slice on axis \(axis) of \(shape)")
        }
        let place = shape.count - 3 + axis
        var open = [Bool](repeating: true, count: shape.count)
        open[place] = false
        func numbers(_ value: Int, _ other: Int) -> [Int] { shape.indices.map { $0 == place ? value : other } }
        return try sliced(
            x,
            PythonSlice(
                shape: shape, begin: numbers(start, 0), end: numbers(end, 0), step: numbers(max(stride, 1), 1),
                isBeginOpen: open, isEndOpen: open, isDropped: shape.map { _ in false }))
    }

    private mutating func sliced(
        _ x: GraphBuilder.TensorID, _ slice: NeuralNetworkSlice
    ) throws -> GraphBuilder.TensorID {
        let shape = emitter.shape(x)
        func mask(_ list: [Bool]) -> [Bool] { list.isEmpty ? shape.map { _ in false } : list }
        return try sliced(
            x,
            PythonSlice(
                shape: shape, begin: slice.begin, end: slice.end,
                step: slice.stride.isEmpty ? shape.map { _ in 1 } : slice.stride, isBeginOpen: mask(slice.beginMask),
                isEndOpen: mask(slice.endMask), isDropped: mask(slice.squeezeMask)))
    }

    private mutating func sliced(
        _ x: GraphBuilder.TensorID, _ cut: PythonSlice?
    ) throws -> GraphBuilder.TensorID {
        guard let cut else { throw emitter.invalid("a slice that does not fit a tensor of \(emitter.shape(x))") }
        let part = try emitter.slice(x, begin: cut.first, step: cut.step, sizes: cut.sizes)
        return try emitter.reshape(part, cut.remaining)
    }

    private mutating func stacked(
        _ inputs: [GraphBuilder.TensorID], _ axis: Int
    ) throws -> GraphBuilder.TensorID {
        let axis = try emitter.axis(axis, rank: emitter.rank(inputs[0]) + 1)
        let layers = try inputs.map { part in
            guard emitter.shape(part) == emitter.shape(inputs[0]) else {
                throw emitter.invalid("tensors of other shapes are not stacked")
            }
            var shape = emitter.shape(part)
            shape.insert(1, at: axis)
            return try emitter.reshape(part, shape)
        }
        return try emitter.concat(layers, axis: axis)
    }

    private mutating func lower(
        _ product: NeuralNetworkMatmul, _ inputs: [GraphBuilder.TensorID]
    ) throws -> GraphBuilder.TensorID {
        guard let weights = product.weights else {
            guard inputs.count == 2 else { throw emitter.invalid("\(inputs.count) matrices") }
            return try emitter.matmul(
                inputs[0], inputs[1], transposeX: product.transposesLeft, transposeY: product.transposesRight)
        }
        // Column after column.
        let matrix = try constant(weights, product.weightShape.reversed())
        let y = try emitter.matmul(inputs[0], matrix, transposeX: product.transposesLeft, transposeY: true)
        guard let bias = product.bias else { return y }
        return try emitter.binary(.add, y, try constant(bias, [product.weightShape[1]]))
    }
}
