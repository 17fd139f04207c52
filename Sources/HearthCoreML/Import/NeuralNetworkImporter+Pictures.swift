internal import HearthCoreMLFormat

/// Layers of pictures, and recurrent ones.
extension NeuralNetworkImporter {
    static let pictureLayers: [String: GeneralLowering] = [
        "upsample": { [try $0.upsampled($1, $2[0])] },
        "resizeBilinear": { importer, layer, inputs in
            let sizes = layer.list(1).isEmpty ? [1, 1] : layer.list(1)
            let mode = try importer.samplingMode(layer.part(2).integer(1))
            guard sizes.count == 2 else { throw importer.emitter.invalid("a size of \(sizes)") }
            return [try importer.emitter.resized(inputs[0], .linear, rows: sizes[0], columns: sizes[1], mode)]
        },
        "cropResize": { importer, layer, inputs in
            let sizes = layer.list(1).isEmpty ? [1, 1] : layer.list(1)
            let boxes = [
                "CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST",
            ]
            let place = layer.part(4).integer(1)
            guard sizes.count == 2, boxes.indices.contains(place) else {
                throw importer.emitter.invalid("a size of \(sizes), boxes of the kind \(place)")
            }
            let crop = GraphBuilder.BoxCrop(
                rows: sizes[0], columns: sizes[1], isNormalized: layer.flag(2),
                scale: layer.float(5) == 0 ? 1 : layer.float(5), coordinates: boxes[place],
                sampling: try importer.samplingMode(layer.part(3).integer(1)), outside: nil)
            return [try importer.cropped(inputs[0], try importer.operand(inputs, 1), crop)]
        },
        "crop": { [try $0.bordersCropped($1, $2)] },
        "mvn": { [try $0.normalized($1, $2[0])] },
        "l2normalize": { importer, layer, inputs in
            let shape = importer.emitter.shape(inputs[0])
            guard shape.count >= 3 else { throw importer.emitter.invalid("an input of shape \(shape)") }
            return [try importer.emitter.emit(.l2Norm(epsilon: layer.float(1)), [inputs[0]], shape)]
        },
        "dot": { [try $0.dotProduct($1, $2)] },
        "reorganizeData": { [try $0.reorganized($1, $2[0])] },
    ]

    private func samplingMode(_ number: Int) throws -> String {
        let modes = ["STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS"]
        guard modes.indices.contains(number) else { throw emitter.invalid("the mode \(number) does not exist") }
        return modes[number]
    }

    private mutating func upsampled(_ layer: NeuralNetworkGeneralLayer, _ x: Tensor) throws -> Tensor {
        let shape = emitter.shape(x)
        let whole = layer.list(1).isEmpty ? [1, 1] : layer.list(1)
        let factors = layer.floats(7).isEmpty ? whole.map(Float.init) : layer.floats(7)
        guard shape.count >= 2, factors.count == 2, factors.allSatisfy({ $0 > 0 && $0 < 0x1p20 }) else {
            throw emitter.invalid("factors \(factors) for a tensor of shape \(shape)")
        }
        let sizes = zip(shape.suffix(2), factors).map { Int((Double($0) * Double($1)).rounded(.down)) }
        guard layer.integer(5) == 1 else {
            return try emitter.resized(x, .nearest, rows: sizes[0], columns: sizes[1], "DEFAULT")
        }
        let modes = ["DEFAULT", "STRICT_ALIGN_CORNERS", "UNALIGN_CORNERS"]
        guard modes.indices.contains(layer.integer(6)) else { throw emitter.invalid("the mode \(layer.integer(6))") }
        return try emitter.resized(x, .linear, rows: sizes[0], columns: sizes[1], modes[layer.integer(6)])
    }

    /// Boxes are [N, 1, 4 or 5, 1, 1], pictures [1, B, C, H, W]; results [N, B, C, h, w].
    private mutating func cropped(_ x: Tensor, _ boxes: Tensor, _ crop: GraphBuilder.BoxCrop) throws -> Tensor {
        let shape = emitter.shape(x)
        guard shape.count == 4 || shape.count == 5 && shape[0] == 1 else {
            throw emitter.invalid("pictures of shape \(shape)")
        }
        let picture = try emitter.reshape(x, Array(shape.suffix(4)))
        let numbers = emitter.shape(boxes)
        let lined = numbers.count == 4 ? try emitter.reshape(boxes, [numbers[0], 1] + numbers.dropFirst()) : boxes
        let result = try emitter.crops(picture, lined, crop)
        let sizes = emitter.shape(result)
        return shape.count == 4 ? try emitter.reshape(result, [sizes[0] * sizes[1]] + sizes.dropFirst(2)) : result
    }

    /// By amounts, or to the size of a second input.
    private mutating func bordersCropped(_ layer: NeuralNetworkGeneralLayer, _ inputs: [Tensor]) throws -> Tensor {
        let shape = emitter.shape(inputs[0])
        guard shape.count >= 3 else { throw emitter.invalid("an input of shape \(shape)") }
        var (begin, sizes) = ([Int](repeating: 0, count: shape.count), shape)
        let (row, column) = (shape.count - 2, shape.count - 1)
        if inputs.count > 1 {
            let target = emitter.shape(inputs[1])
            let offset = layer.list(5).isEmpty ? [0, 0] : layer.list(5)
            guard target.count >= 2, offset.count == 2 else { throw emitter.invalid("a crop to \(target)") }
            (begin[row], begin[column]) = (offset[0], offset[1])
            (sizes[row], sizes[column]) = (target[target.count - 2], target[target.count - 1])
        } else {
            let amounts = layer.part(1).all(10)
            guard amounts.isEmpty || amounts.count == 2 else {
                throw emitter.invalid("a crop of \(amounts.count) axes")
            }
            for (axis, amount) in zip([row, column], amounts) {
                let (first, last) = (amount.integer(1), amount.integer(2))
                guard (0...shape[axis]).contains(first), (0...shape[axis]).contains(last) else {
                    throw emitter.invalid("a crop of \(shape) by \(first) and \(last)")
                }
                begin[axis] = first
                sizes[axis] -= first + last
            }
        }
        let range = 0...GraphLimits.elements
        guard (begin + sizes).allSatisfy(range.contains) else { throw emitter.invalid("a crop to \(sizes)") }
        return try emitter.slice(inputs[0], begin: begin, step: shape.map { _ in 1 }, sizes: sizes)
    }

    /// Without the mean of the picture, or of each channel, and perhaps divided by the deviation.
    private mutating func normalized(_ layer: NeuralNetworkGeneralLayer, _ x: Tensor) throws -> Tensor {
        guard emitter.rank(x) >= 3 else { throw emitter.invalid("an input of shape \(emitter.shape(x))") }
        let axes = layer.flag(1) ? [-3, -2, -1] : [-2, -1]
        let mean = try emitter.reduce(x, .mean, axes: axes, keepsDimensions: true)
        let moved = try emitter.binary(.subtract, x, mean)
        guard layer.flag(2) else { return moved }
        let variance = try emitter.reduce(try emitter.unary(.square, moved), .mean, axes: axes, keepsDimensions: true)
        return try emitter.binary(.multiply, moved, try emitter.unary(.rsqrt(epsilon: layer.float(3)), variance))
    }

    private mutating func dotProduct(_ layer: NeuralNetworkGeneralLayer, _ inputs: [Tensor]) throws -> Tensor {
        let (x, y) = (inputs[0], try operand(inputs, 1))
        guard emitter.rank(x) >= 3 else { throw emitter.invalid("an input of shape \(emitter.shape(x))") }
        let sum = try emitter.reduce(try emitter.binary(.multiply, x, y), .sum, axes: [-3], keepsDimensions: true)
        guard layer.flag(1) else { return sum }
        let norms = try [x, y].map { try emitter.reduce($0, .l2Norm, axes: [-3], keepsDimensions: true) }
        return try emitter.binary(.divide, sum, try emitter.binary(.multiply, norms[0], norms[1]))
    }

    private mutating func reorganized(_ layer: NeuralNetworkGeneralLayer, _ x: Tensor) throws -> Tensor {
        let shape = emitter.shape(x)
        let (mode, block) = (layer.integer(1), layer.integer(2))
        guard shape.count >= 3, (0...2).contains(mode), (2...1 << 15).contains(block) else {
            throw emitter.invalid("blocks of \(block) in \(shape), the mode \(mode)")
        }
        let batch = shape.dropLast(3).reduce(1, *)
        let picture = try emitter.reshape(x, [batch] + shape.suffix(3))
        let result =
            mode == 0
            ? try emitter.spaceToDepth(picture, block, blockFirst: true)
            : try emitter.depthToSpace(picture, block, blockFirst: mode == 1)
        return try emitter.reshape(result, shape.dropLast(3) + emitter.shape(result).dropFirst())
    }

    // MARK: - Recurrent layers

    static let recurrentLayers: [String: GeneralLowering] = [
        "simpleRecurrent": { try $0.simpleRecurrent($1, $2) },
        "gru": { try $0.gatedRecurrent($1, $2) },
        "uniDirectionalLSTM": { try $0.lstm($1, $2, isBidirectional: false) },
        "biDirectionalLSTM": { try $0.lstm($1, $2, isBidirectional: true) },
    ]

    /// [S, B, C, 1, 1], [S, B, C], or without a sequence [B, C, 1, 1], as [S, B, C].
    private mutating func sequence(_ x: Tensor) throws -> Tensor {
        let shape = emitter.shape(x)
        switch shape.count {
        case 5 where shape[3] == 1 && shape[4] == 1: return try emitter.reshape(x, Array(shape.prefix(3)))
        case 3 where isExact: return x
        case 4 where shape[2] == 1 && shape[3] == 1 && !isExact: return try emitter.reshape(x, [1] + shape.prefix(2))
        default: throw emitter.unsupported("a sequence of shape \(shape)")
        }
    }

    /// Back to the dimensions of the input.
    private mutating func restored(_ x: Tensor, like input: Tensor) throws -> Tensor {
        var shape = emitter.shape(x)
        if shape.count == 2 { shape = [1] + shape }
        switch emitter.rank(input) {
        case 5: return try emitter.reshape(x, shape + [1, 1])
        case 4: return try emitter.reshape(x, Array(shape.dropFirst()) + [1, 1])
        default: return try emitter.reshape(x, shape)
        }
    }

    private mutating func state(_ inputs: [Tensor], _ place: Int, _ batch: Int, _ width: Int) throws -> Tensor {
        guard inputs.indices.contains(place) else { return try emitter.filled(0, [batch, width], .float32) }
        return try emitter.reshape(inputs[place], [batch, width])
    }

    private func activation(_ layer: NeuralNetworkGeneralLayer?) throws -> GraphFunction {
        guard let layer, let choice = layer.choices.first else { throw emitter.invalid("an activation is missing") }
        let (alpha, beta) = (layer.part(choice).float(1), layer.part(choice).float(2))
        switch choice {
        case 5: return .linear(alpha: alpha, beta: beta)
        case 10: return .relu
        case 15: return .leakyRelu(alpha: alpha)
        case 20: return .thresholdedRelu(alpha: alpha)
        case 30: return .tanh
        case 31: return .scaledTanh(alpha: alpha, beta: beta)
        case 40: return .sigmoid
        case 41: return .hardSigmoid(alpha: alpha, beta: beta)
        case 50: return .elu(alpha: alpha)
        case 60: return .softsign
        default: return .softplus
        }
    }

    private mutating func matrix(
        _ layer: NeuralNetworkGeneralLayer, _ fields: [Int], _ shape: [Int]
    ) throws -> Tensor {
        let parts = try fields.map { field in
            guard let weights = layer.weights[field] else { throw emitter.invalid("the weights \(field) are missing") }
            return try constant(weights, shape)
        }
        return try emitter.joined(parts)
    }

    private func sizes(_ layer: NeuralNetworkGeneralLayer, _ x: Tensor) throws -> (inputs: Int, width: Int, batch: Int)
    {
        let (inputs, width) = (layer.integer(1), layer.integer(2))
        guard (1...1 << 20).contains(inputs), (1...1 << 20).contains(width) else {
            throw emitter.invalid("\(inputs) inputs and \(width) outputs")
        }
        return (inputs, width, emitter.shape(x)[1])
    }

    private mutating func simpleRecurrent(_ layer: NeuralNetworkGeneralLayer, _ inputs: [Tensor]) throws -> [Tensor] {
        let x = try sequence(inputs[0])
        let size = try sizes(layer, x)
        var rule = GraphRecurrence(kind: .simple, isReversed: layer.flag(100))
        rule.candidate = try activation(layer.all(10).first)
        let recurrent = GraphBuilder.Recurrent(
            rule: rule, inputWeight: try matrix(layer, [30], [size.width, size.inputs]),
            stateWeight: try matrix(layer, [31], [size.width, size.width]),
            bias: layer.flag(20) ? try matrix(layer, [32], [size.width]) : nil)
        let results = try emitter.recurrent(x, recurrent, state: try state(inputs, 1, size.batch, size.width))
        return [
            try restored(layer.flag(15) ? results[0] : results[1], like: inputs[0]),
            try restored(results[1], like: inputs[0]),
        ]
    }

    private mutating func gatedRecurrent(_ layer: NeuralNetworkGeneralLayer, _ inputs: [Tensor]) throws -> [Tensor] {
        let x = try sequence(inputs[0])
        let size = try sizes(layer, x)
        var rule = GraphRecurrence(kind: .gru, isReversed: layer.flag(100))
        let functions = layer.all(10)
        guard functions.count == 2 else { throw emitter.invalid("\(functions.count) activations") }
        (rule.gate, rule.candidate) = (try activation(functions[0]), try activation(functions[1]))
        let recurrent = GraphBuilder.Recurrent(
            rule: rule, inputWeight: try matrix(layer, [31, 30, 32], [size.width, size.inputs]),
            stateWeight: try matrix(layer, [51, 50, 52], [size.width, size.width]),
            bias: layer.flag(20) ? try matrix(layer, [71, 70, 72], [size.width]) : nil)
        let results = try emitter.recurrent(x, recurrent, state: try state(inputs, 1, size.batch, size.width))
        return [
            try restored(layer.flag(15) ? results[0] : results[1], like: inputs[0]),
            try restored(results[1], like: inputs[0]),
        ]
    }

    private mutating func lstm(
        _ layer: NeuralNetworkGeneralLayer, _ inputs: [Tensor], isBidirectional: Bool
    ) throws -> [Tensor] {
        let x = try sequence(inputs[0])
        let size = try sizes(layer, x)
        let (options, gates) = (layer.part(15), layer.all(20))
        guard gates.count == (isBidirectional ? 2 : 1) else {
            throw emitter.invalid("weights of \(gates.count) directions")
        }
        guard !options.flag(50) else { throw emitter.unsupported("an LSTM with coupled gates") }
        var all: [[Tensor]] = []
        for (direction, weights) in gates.enumerated() {
            let functions = layer.all(direction == 0 ? 10 : 11)
            guard functions.count == 3 else { throw emitter.invalid("\(functions.count) activations") }
            var rule = GraphRecurrence(kind: .lstm, isReversed: isBidirectional ? direction == 1 : layer.flag(100))
            rule.gate = try activation(functions[0])
            rule.candidate = try activation(functions[1])
            rule.output = try activation(functions[2])
            if options.float(60) > 0 { rule.clip = options.float(60) }
            var recurrent = GraphBuilder.Recurrent(
                rule: rule, inputWeight: try matrix(weights, [1, 2, 4, 3], [size.width, size.inputs]),
                stateWeight: try matrix(weights, [20, 21, 23, 22], [size.width, size.width]))
            if options.flag(20) { recurrent.bias = try matrix(weights, [40, 41, 43, 42], [size.width]) }
            if options.flag(30) {
                // One more for the forget gate.
                let ones =
                    [Float](repeating: 0, count: size.width) + [Float](repeating: 1, count: size.width)
                    + [Float](repeating: 0, count: 2 * size.width)
                let forget = emitter.constant(ones, [4 * size.width])
                recurrent.bias = try recurrent.bias.map { try emitter.binary(.add, $0, forget) } ?? forget
            }
            if options.flag(40) { recurrent.peephole = try matrix(weights, [60, 61, 62], [size.width]) }
            all.append(
                try emitter.recurrent(
                    x, recurrent, state: try state(inputs, 1 + 2 * direction, size.batch, size.width),
                    cell: try state(inputs, 2 + 2 * direction, size.batch, size.width)))
        }
        let made = all.map { options.flag(10) ? $0[0] : $0[1] }
        let output = isBidirectional ? try emitter.concat(made, axis: -1) : made[0]
        return try ([output] + all.flatMap { $0.dropFirst() }).map { try restored($0, like: inputs[0]) }
    }
}
