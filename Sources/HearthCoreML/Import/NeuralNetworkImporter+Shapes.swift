internal import HearthCoreMLFormat

/// Layers about shapes, and those that make constants.
extension NeuralNetworkImporter {
    private mutating func broadcast(_ x: Tensor, to target: [Int]) throws -> [Tensor] {
        guard let result = GraphShape.broadcast(emitter.shape(x), target) else {
            throw emitter.invalid("a tensor of shape \(emitter.shape(x)) as one of \(target)")
        }
        let shape = [Int](repeating: 1, count: result.count - emitter.rank(x)) + emitter.shape(x)
        let full = try emitter.reshape(x, shape)
        return [try emitter.tile(full, zip(result, shape).map { $0 / $1 })]
    }

    /// A target with sizes that are taken over (0) or open (−1).
    private func resolved(_ target: [Int], _ x: Tensor) throws -> [Int] {
        let shape = emitter.shape(x)
        let sizes = try target.enumerated().map { place, size in
            guard size == 0 else { return size }
            guard shape.indices.contains(place) else { throw emitter.invalid("the shape \(target) for \(shape)") }
            return shape[place]
        }
        return try emitter.resolved(sizes, of: x)
    }

    static let shapeLayers: [String: GeneralLowering] = [
        "tile": { importer, layer, inputs in
            var counts = inputs.count > 1 ? try importer.integers(inputs, 1) : layer.list(1)
            let rank = importer.emitter.rank(inputs[0])
            // Counts are for the last axes.
            if counts.count < rank { counts = [Int](repeating: 1, count: rank - counts.count) + counts }
            return [try importer.emitter.tile(inputs[0], counts)]
        },
        "reverse": { importer, layer, inputs in
            let shape = importer.emitter.shape(inputs[0])
            let flags = layer.list(1).map { $0 != 0 }
            guard flags.count == shape.count else { throw importer.emitter.invalid("\(flags.count) axes of \(shape)") }
            return [
                try importer.emitter.slice(
                    inputs[0], begin: shape.indices.map { flags[$0] ? shape[$0] - 1 : 0 },
                    step: flags.map { $0 ? -1 : 1 }, sizes: shape)
            ]
        },
        "reverseSeq": {
            [
                try $0.emitter.reverseSequences(
                    $2[0], lengths: $0.operand($2, 1), sequenceAxis: $0.own($1.integer(2)),
                    batchAxis: $0.own($1.integer(1)))
            ]
        },
        "slidingWindows": {
            [
                try $0.emitter.slidingWindows(
                    $2[0], axis: $0.own($1.integer(1)), size: $1.integer(2), stride: $1.integer(3))
            ]
        },
        "sliceDynamic": { importer, layer, inputs in
            let shape = importer.emitter.shape(inputs[0])
            func list(_ place: Int, _ field: Int, _ usual: Int) throws -> [Int] {
                if inputs.count > place { return try importer.integers(inputs, place) }
                let values = layer.list(field)
                return values.isEmpty ? shape.map { _ in usual } : values
            }
            let masks = try [(4, 2), (5, 4), (6, 6)].map { try list($0.0, $0.1, 0).map { $0 != 0 } }
            let cut = PythonSlice(
                shape: shape, begin: try importer.integers(inputs, 1), end: try list(2, 3, 0),
                step: try list(3, 5, 1), isBeginOpen: masks[0], isEndOpen: masks[1], isDropped: masks[2])
            guard let cut else { throw importer.emitter.invalid("a slice that does not fit a tensor of \(shape)") }
            let part = try importer.emitter.slice(inputs[0], begin: cut.first, step: cut.step, sizes: cut.sizes)
            return [try importer.emitter.reshape(part, cut.remaining)]
        },
        "sliceBySize": { importer, layer, inputs in
            let shape = importer.emitter.shape(inputs[0])
            let axis = try importer.emitter.axis(try importer.own(layer.integer(3)), rank: shape.count)
            let size = layer.integer(2)
            guard (1...shape[axis]).contains(size) else { throw importer.emitter.invalid("\(size) of \(shape[axis])") }
            let steps = try importer.emitter.range(size, .int32)
            let first = try importer.emitter.reshape(try importer.operand(inputs, 1), [1])
            return [
                try importer.emitter.gathered(
                    inputs[0], try importer.emitter.binary(.add, steps, first), axis: axis)
            ]
        },
        "getShape": { importer, _, inputs in
            let shape = importer.emitter.shape(inputs[0])
            return [importer.emitter.constant(shape.map(Float.init), [shape.count], .int32)]
        },
        "reshapeLike": { [try $0.emitter.reshape($2[0], $0.emitter.shape($0.operand($2, 1)))] },
        "reshapeDynamic": { [try $0.emitter.reshape($2[0], $0.resolved($0.integers($2, 1), $2[0]))] },
        "rankPreservingReshape": { importer, layer, inputs in
            // −1 stands for one open size, 0 for the input's own.
            [try importer.emitter.reshape(inputs[0], importer.resolved(layer.list(1), inputs[0]))]
        },
        "broadcastToLike": { try $0.broadcast($2[0], to: $0.emitter.shape($0.operand($2, 1))) },
        "broadcastToStatic": { try $0.broadcast($2[0], to: $1.list(1)) },
        "broadcastToDynamic": { try $0.broadcast($2[0], to: $0.integers($2, 1)) },
        "matrixBandPart": { [try $0.emitter.bandPart($2[0], lower: $1.integer(1), upper: $1.integer(2))] },
        "lowerTriangular": { importer, layer, inputs in
            [try importer.triangle(inputs[0]) { row, column in column - row <= layer.integer(1) }]
        },
        "upperTriangular": { importer, layer, inputs in
            [try importer.triangle(inputs[0]) { row, column in column - row >= layer.integer(1) }]
        },
        "constantPad": { importer, layer, inputs in
            var amounts = inputs.count > 1 ? try importer.integers(inputs, 1) : layer.list(2)
            let shape = importer.emitter.shape(inputs[0])
            guard amounts.count == 2 * shape.count else {
                throw importer.emitter.invalid("\(amounts.count) pads for \(shape.count) axes")
            }
            if layer.flag(3) {
                // One of a pair is the size that is wanted, the other 0.
                for axis in shape.indices {
                    for side in [2 * axis, 2 * axis + 1] where amounts[side] != 0 {
                        amounts[side] = max(max(amounts[side], 0) - shape[axis], 0)
                    }
                }
            }
            return [
                try importer.emitter.pad(
                    inputs[0], before: shape.indices.map { amounts[2 * $0] },
                    after: shape.indices.map { amounts[2 * $0 + 1] }, .constant(layer.float(1)))
            ]
        },
        "sequenceRepeat": { importer, layer, inputs in
            guard layer.integer(1) <= 1 else { throw importer.emitter.unsupported("a repeated sequence") }
            return [inputs[0]]
        },
    ]

    /// Elements of the innermost matrices that a rule keeps, zero elsewhere.
    private mutating func triangle(_ x: Tensor, _ keeps: (_ row: Int, _ column: Int) -> Bool) throws -> Tensor {
        let shape = emitter.shape(x)
        guard shape.count >= 2, GraphShape.count(Array(shape.suffix(2)), limit: 1 << 20) != nil else {
            throw emitter.invalid("a triangle of a tensor of shape \(shape)")
        }
        let (rows, columns) = (shape[shape.count - 2], shape[shape.count - 1])
        let mask = (0..<rows * columns).map { keeps($0 / columns, $0 % columns) ? Float(1) : 0 }
        let zero = emitter.constant([0], [])
        return try emitter.emit(
            .select, [emitter.constant(mask, [rows, columns], .bool), x, zero], shape, emitter.type(x))
    }

    static let constantLayers: [String: GeneralLowering] = {
        var lowerings: [String: GeneralLowering] = [
            "fillLike": { [try $0.emitter.filled($1.float(1), $0.emitter.shape($2[0]), .float32)] },
            "fillStatic": { importer, layer, _ in [try importer.emitter.filled(layer.float(1), layer.list(2), .float32)]
            },
            "fillDynamic": { [try $0.emitter.filled($1.float(1), $0.integers($2, 0), .float32)] },
            "rangeStatic": { importer, layer, _ in
                [try importer.range(layer.float(2), layer.float(1), layer.float(3))]
            },
            "rangeDynamic": { importer, layer, inputs in
                let known = try inputs.map { id -> Float in
                    guard importer.emitter.isConstant(id), let value = try importer.emitter.values(id).values.first
                    else { throw importer.emitter.unsupported("a range that is computed from the model's inputs") }
                    return value
                }
                guard let end = known.first else { throw importer.emitter.invalid("the layer has no input") }
                return [
                    try importer.range(
                        known.count > 1 ? known[1] : layer.float(2), end, known.count > 2 ? known[2] : layer.float(3))
                ]
            },
        ]
        for (name, distribution) in randomLayers {
            for suffix in ["Like", "Static", "Dynamic"] {
                lowerings[name + suffix] = { importer, layer, inputs in
                    let fields = name == "randomBernoulli" ? 3 : 4
                    let shape =
                        switch suffix {
                        case "Like": importer.emitter.shape(try importer.operand(inputs, 0))
                        case "Static": layer.list(fields)
                        default: try importer.integers(inputs, 0)
                        }
                    let seed = layer.integer(1)
                    let random = GraphRandom(distribution: distribution(layer), seed: seed < 0 ? nil : UInt64(seed))
                    return [try importer.emitter.emit(.random(random), [], shape, .float32)]
                }
            }
        }
        return lowerings
    }()

    private static let randomLayers: [(String, @Sendable (NeuralNetworkGeneralLayer) -> GraphRandom.Distribution)] = [
        ("randomNormal", { .normal(mean: $0.float(2), deviation: $0.float(3)) }),
        ("randomUniform", { .uniform(low: $0.float(2), high: $0.float(3)) }),
        ("randomBernoulli", { .bernoulli(probability: $0.float(2)) }),
    ]

    private mutating func range(_ start: Float, _ end: Float, _ step: Float) throws -> Tensor {
        let count = ((Double(end) - Double(start)) / Double(step)).rounded(.up)
        guard count >= 1, count <= Double(GraphLimits.foldedElements) else {
            throw emitter.invalid("a range from \(start) to \(end) in steps of \(step)")
        }
        return try emitter.unary(.linear(alpha: step, beta: start), try emitter.range(Int(count), .float32))
    }
}
