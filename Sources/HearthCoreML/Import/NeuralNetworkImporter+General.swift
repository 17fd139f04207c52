internal import HearthCoreMLFormat

/// What layers become whose parameters are a few numbers. Axes are those of the file; see `own`.
extension NeuralNetworkImporter {
    typealias GeneralLowering =
        @Sendable (
            inout NeuralNetworkImporter, NeuralNetworkGeneralLayer, [Tensor]
        ) throws -> [Tensor]

    /// By the layer's name.
    static let generalLowerings: [String: GeneralLowering] = [
        pictureLayers, comparisonLayers, selectionLayers, shapeLayers, constantLayers, recurrentLayers,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    func operand(_ inputs: [Tensor], _ place: Int) throws -> Tensor {
        guard inputs.indices.contains(place) else { throw emitter.invalid("\(inputs.count) inputs") }
        return inputs[place]
    }

    /// The elements of an input that has to be known when the model is loaded.
    func integers(_ inputs: [Tensor], _ place: Int) throws -> [Int] {
        let id = try operand(inputs, place)
        guard emitter.isConstant(id) else {
            throw emitter.unsupported("a layer whose shapes are computed from the model's inputs")
        }
        let tensor = try emitter.values(id)
        guard tensor.count <= GraphLimits.parameters,
            tensor.values.allSatisfy({ $0 == $0.rounded() && abs($0) <= Float(GraphLimits.integer) })
        else { throw emitter.invalid("an input that is not a shape") }
        return tensor.values.map { Int($0) }
    }

    // MARK: - Comparisons

    private static let comparisonLayers: [String: GeneralLowering] = {
        let kinds: [String: (kind: GraphBinary, field: Int)] = [
            "equal": (.equal, 1), "notEqual": (.notEqual, 1), "lessThan": (.less, 2), "lessEqual": (.lessOrEqual, 2),
            "greaterThan": (.greater, 2), "greaterEqual": (.greaterOrEqual, 2), "logicalOr": (.or, 0),
            "logicalXor": (.notEqual, 0), "logicalAnd": (.and, 0),
        ]
        var lowerings: [String: GeneralLowering] = [:]
        for (name, (kind, field)) in kinds {
            lowerings[name] = { importer, layer, inputs in
                let isLogical = field == 0
                guard inputs.count > 1 || !isLogical else { throw importer.emitter.invalid("one input") }
                var operands = [inputs[0]]
                operands.append(
                    inputs.count > 1 ? inputs[1] : importer.emitter.constant([layer.float(field)], []))
                if isLogical {
                    operands = try operands.map {
                        try importer.emitter.emit(.cast(.boolean), [$0], importer.emitter.shape($0), .bool)
                    }
                }
                return [try importer.emitter.binary(kind, operands[0], operands[1], type: .bool)]
            }
        }
        lowerings["logicalNot"] = { [try $0.emitter.unary(.not, $2[0])] }
        lowerings["whereBroadcastable"] = { importer, _, inputs in
            let (a, b) = (try importer.operand(inputs, 1), try importer.operand(inputs, 2))
            let shapes = inputs.map { importer.emitter.shape($0) }
            guard let values = GraphShape.broadcast(shapes[1], shapes[2]),
                let result = GraphShape.broadcast(shapes[0], values)
            else { throw importer.emitter.invalid("tensors of shapes \(shapes)") }
            return [try importer.emitter.emit(.select, [inputs[0], a, b], result, importer.emitter.type(a))]
        }
        let functions: [String: GraphFunction] = ["atanh": .atanh]
        for (name, function) in functions { lowerings[name] = { [try $0.emitter.unary(function, $2[0])] } }
        // log(x + √(x² ± 1))
        for (name, sign) in [("asinh", Float(1)), ("acosh", -1)] {
            lowerings[name] = { importer, _, inputs in
                let squares = try importer.emitter.unary(.square, inputs[0])
                let moved = try importer.emitter.unary(.linear(alpha: 1, beta: sign), squares)
                let root = try importer.emitter.unary(.sqrt, moved)
                let sum = try importer.emitter.binary(.add, inputs[0], root)
                return [try importer.emitter.unary(.log(epsilon: 0), sum)]
            }
        }
        lowerings["clampedReLU"] = {
            [try $0.emitter.unary(.clampedRelu(alpha: $1.float(1), beta: $1.float(2)), $2[0])]
        }
        lowerings["reduceLogSum"] = { importer, layer, inputs in
            let axes = layer.flag(3) ? nil : try layer.list(1).map { try importer.own($0) }
            let sum = try importer.emitter.reduce(inputs[0], .sum, axes: axes, keepsDimensions: layer.flag(2))
            return [try importer.emitter.unary(.log(epsilon: 0), sum)]
        }
        return lowerings
    }()

    // MARK: - Selection

    private static let scatterModes: [GraphScatter.Mode] = [.update, .add, .sub, .mul, .div, .max, .min]

    private mutating func scattered(
        _ inputs: [Tensor], _ mode: Int, _ target: GraphScatter.Target
    ) throws -> [Tensor] {
        guard inputs.count == 3, Self.scatterModes.indices.contains(mode) else {
            throw emitter.invalid("\(inputs.count) inputs and the mode \(mode)")
        }
        let scatter = GraphScatter(target: target, mode: Self.scatterModes[mode])
        let shapes = inputs.map { emitter.shape($0) }
        guard scatter.fits(shapes[0], indices: shapes[1], updates: shapes[2]) else {
            throw emitter.invalid("updates of shape \(shapes[2]) at \(shapes[1]) places of \(shapes[0])")
        }
        return [try emitter.emit(.scatter(scatter), inputs, shapes[0])]
    }

    private func positive(_ axis: Int, _ x: Tensor) throws -> Int {
        try emitter.axis(try own(axis), rank: emitter.rank(x))
    }

    private static let selectionLayers: [String: GeneralLowering] = [
        "gather": { [try $0.emitter.gathered($2[0], $0.operand($2, 1), axis: $0.own($1.integer(1)))] },
        "gatherND": { [try $0.emitter.gatheredPlaces($2[0], $0.operand($2, 1), batch: 0)] },
        "gatherAlongAxis": { importer, layer, inputs in
            let (x, indices) = (inputs[0], try importer.operand(inputs, 1))
            let (shape, result) = (importer.emitter.shape(x), importer.emitter.shape(indices))
            let axis = try importer.positive(layer.integer(1), x)
            guard result.count == shape.count, shape.indices.allSatisfy({ $0 == axis || shape[$0] == result[$0] })
            else { throw importer.emitter.invalid("indices of shape \(result) for a tensor of shape \(shape)") }
            return [try importer.emitter.emit(.gatherAlongAxis(axis: axis), [x, indices], result)]
        },
        "scatter": { try $0.scattered($2, $1.integer(2), .slices(axis: $0.positive($1.integer(1), $2[0]))) },
        "scatterAlongAxis": {
            try $0.scattered($2, $1.integer(2), .elements(axis: $0.positive($1.integer(1), $2[0])))
        },
        "scatterND": { try $0.scattered($2, $1.integer(1), .places) },
        "topK": { importer, layer, inputs in
            let count = inputs.count > 1 ? try importer.integers(inputs, 1).first ?? 0 : layer.integer(2)
            return try importer.sorted(inputs[0], layer.integer(1), count, ascending: layer.flag(3))
        },
        "argSort": { importer, layer, inputs in
            let axis = try importer.positive(layer.integer(1), inputs[0])
            let count = importer.emitter.shape(inputs[0])[axis]
            return [try importer.sorted(inputs[0], layer.integer(1), count, ascending: !layer.flag(2))[1]]
        },
        "argMin": {
            [try $0.emitter.reduce($2[0], .argMin, axes: [$0.own($1.integer(1))], keepsDimensions: !$1.flag(2))]
        },
        "argMax": {
            [try $0.emitter.reduce($2[0], .argMax, axes: [$0.own($1.integer(1))], keepsDimensions: !$1.flag(2))]
        },
        "oneHot": { importer, layer, inputs in
            let count = inputs.count > 1 ? try importer.integers(inputs, 1).first ?? 0 : layer.integer(1)
            return [
                try importer.emitter.oneHot(
                    inputs[0], count, axis: try importer.own(layer.integer(2)), on: layer.float(3), off: layer.float(4))
            ]
        },
        "cumSum": { importer, layer, inputs in
            let given = inputs.count > 1 ? try importer.integers(inputs, 1).first ?? 0 : layer.integer(1)
            let axis = try importer.positive(given, inputs[0])
            return [
                try importer.emitter.emit(
                    .cumulativeSum(axis: axis, exclusive: layer.flag(2), reverse: layer.flag(3)), [inputs[0]],
                    importer.emitter.shape(inputs[0]))
            ]
        },
        "embedding": { importer, layer, inputs in
            try importer.embedded(
                layer, inputs[0], rows: layer.integer(1), width: layer.integer(2), hasBias: layer.flag(10),
                isPicture: true)
        },
        "embeddingND": { importer, layer, inputs in
            try importer.embedded(
                layer, inputs[0], rows: layer.integer(1), width: layer.integer(2), hasBias: layer.flag(3),
                isPicture: !importer.isExact)
        },
    ]

    private mutating func sorted(_ x: Tensor, _ axis: Int, _ count: Int, ascending: Bool) throws -> [Tensor] {
        let axis = try positive(axis, x)
        var shape = emitter.shape(x)
        guard (1...shape[axis]).contains(count) else { throw emitter.invalid("\(count) of \(shape[axis]) elements") }
        shape[axis] = count
        return try emitter.emit(
            .topK(axis: axis, ascending: ascending), [x], [shape, shape], [emitter.type(x), .int32])
    }

    /// Rows of a table by index; the index's axis, which has one element, becomes that of the row.
    /// - Parameter isPicture: whether that axis is the one of channels, not the last one.
    private mutating func embedded(
        _ layer: NeuralNetworkGeneralLayer, _ x: Tensor, rows: Int, width: Int, hasBias: Bool, isPicture: Bool
    ) throws -> [Tensor] {
        guard let weights = layer.weights[20], rows > 0, width > 0 else {
            throw emitter.invalid("the weights are missing")
        }
        // [width, rows] in the file.
        let table = try emitter.transpose(try constant(weights, [width, rows]), [1, 0])
        let shape = emitter.shape(x)
        let axis = isPicture ? shape.count - 3 : shape.count - 1
        guard axis >= 0, shape[axis] == 1 else { throw emitter.invalid("indices of shape \(shape)") }
        let flat = try emitter.reshape(x, Array(shape[..<axis]))
        var result = try emitter.gathered(table, flat, axis: 0)
        if hasBias, let bias = layer.weights[21] {
            result = try emitter.binary(.add, result, try constant(bias, [width]))
        }
        return [try emitter.reshape(result, shape[..<axis] + [width] + shape[(axis + 1)...])]
    }
}
