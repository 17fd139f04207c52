internal import HearthCoreMLFormat

/// What each kind of layer becomes.
extension NeuralNetworkImporter {
    typealias Tensor = GraphBuilder.TensorID

    mutating func lower(_ layer: NeuralNetworkLayer, _ inputs: [GraphBuilder.TensorID]) throws -> [GraphBuilder
        .TensorID]
    {
        if case .loadConstant(let shape, let weights) = layer.kind {
            let full = layer.number == 1070 || shape.count != 3 ? shape : [1] + shape
            return [try constant(weights, full)]
        }
        if case .general(let general) = layer.kind, let lowering = Self.generalLowerings[general.name] {
            let free: Set = [
                "fillStatic", "rangeStatic", "randomNormalStatic", "randomUniformStatic", "randomBernoulliStatic",
            ]
            guard !inputs.isEmpty || free.contains(general.name) else {
                throw emitter.invalid("the layer has no input")
            }
            return try lowering(&self, general, inputs)
        }
        guard let x = inputs.first else { throw emitter.invalid("the layer has no input") }
        switch layer.kind {
        case .convolution(let convolution): return [try lower(convolution, inputs)]
        case .pooling(let pooling): return [try lower(pooling, x)]
        case .activation(let activation): return [try lower(activation, x)]
        case .innerProduct(let product): return [try lower(product, x)]
        case .batchNorm(let norm): return [try lower(norm, x)]
        case .scale(let scale): return [try lower(scale, x)]
        case .bias(let shape, let weights):
            return [try emitter.binary(.add, x, try constant(weights, spread(shape, emitter.rank(x))))]
        case .lrn(let alpha, let beta, let size, let k):
            return [try emitter.localResponseNorm(x, size: size, alpha: alpha, beta: beta, k: k == 0 ? 1 : k)]
        case .padding(let mode, let border): return [try lower(mode, border, x)]
        case .unary(let type, let alpha, let epsilon, let shift, let scale):
            return [try unary(type, alpha, epsilon, shift, scale, x)]
        case .clip(let minimum, let maximum): return [try emitter.unary(.clip(low: minimum, high: maximum), x)]
        case .add(let alpha): return [try combined(.add, inputs, alpha)]
        case .multiply(let alpha): return [try combined(.multiply, inputs, alpha)]
        case .addBroadcastable: return [try combined(.add, inputs, nil)]
        case .multiplyBroadcastable: return [try combined(.multiply, inputs, nil)]
        case .loadConstant, .other: throw emitter.unsupported("a layer of this kind")
        default: return try shaped(layer, x, inputs)
        }
    }

    /// Layers about axes and shapes.
    private mutating func shaped(_ layer: NeuralNetworkLayer, _ x: Tensor, _ inputs: [Tensor]) throws -> [Tensor] {
        let rank = emitter.rank(x)
        switch layer.kind {
        case .softmax: return [try emitter.softmax(x, axis: rank < 3 ? -1 : -3)]
        case .softmaxND(let axis): return [try emitter.softmax(x, axis: try own(axis))]
        case .concat: return [try emitter.concat(inputs, axis: rank < 3 ? -1 : -3)]
        case .concatND(let axis, let interleaves):
            return [try emitter.concat(inputs, axis: try own(axis), interleaved: interleaves)]
        case .split(let count):
            let axis = rank < 3 ? rank - 1 : rank - 3
            guard rank > 0, (1...GraphLimits.parameters).contains(count), emitter.shape(x)[axis] % count == 0 else {
                throw emitter.invalid("\(count) parts of \(emitter.shape(x))")
            }
            let size = emitter.shape(x)[axis] / count
            return try emitter.split(x, axis: axis, sizes: [Int](repeating: size, count: count))
        case .reduceMean(let axes, let keeps, let all):
            return [
                try emitter.reduce(x, .mean, axes: all ? nil : try axes.map { try own($0) }, keepsDimensions: keeps)
            ]
        case .reduce(let mode, let epsilon, let axis): return [try reduced(mode, epsilon, axis, x)]
        case .transpose(let axes):
            return [try emitter.transpose(x, try isExact ? axes : axes.filter { $0 != 0 }.map { try own($0) })]
        case .permute(let axes): return [try permuted(axes, x)]
        case .squeeze(let axes, let all):
            let shape = emitter.shape(x)
            let gone =
                try all
                ? shape.indices.filter { shape[$0] == 1 } : emitter.axes(try axes.map { try own($0) }, rank: rank)
            guard gone.allSatisfy({ shape[$0] == 1 }) else { throw emitter.invalid("axes \(axes) of \(shape) go") }
            return [try emitter.reshape(x, shape.indices.filter { !gone.contains($0) }.map { shape[$0] })]
        case .reshapeStatic(let target): return [try emitter.reshape(x, emitter.resolved(target, of: x))]
        case .reshape(let target, let isChannelLast): return [try reshaped(target, isChannelLast, x)]
        case .flatten(let isChannelLast):
            let moved = isChannelLast ? try emitter.transpose(x, try pictureLast(x)) : x
            let shape = emitter.shape(moved)
            guard shape.count >= 3 else { throw emitter.invalid("an input of shape \(shape)") }
            return [try emitter.reshape(moved, shape.dropLast(3) + [shape.suffix(3).reduce(1, *), 1, 1])]
        case .flattenTo2D(let axis):
            let shape = emitter.shape(x)
            let positive = axis < 0 ? axis + rank : axis
            guard (0...rank).contains(positive) else { throw emitter.invalid("axis \(axis) of \(shape)") }
            return [try emitter.reshape(x, [shape[..<positive].reduce(1, *), shape[positive...].reduce(1, *)])]
        default: return try lowerTensors(layer, x, inputs)
        }
    }

    /// An axis of the file as one of the tensors here.
    func own(_ axis: Int) throws -> Int {
        if isExact || axis < 0 { return axis }
        guard axis > 0 else { throw emitter.unsupported("the axis of a sequence") }
        return axis - 1
    }

    /// - Parameters:
    ///   - parameter: among the weights of the layer, where calibration looks for them: as in `NeuralNetworkLayer.weights`.
    ///   - axis: the dimension of the channels that come out, each of which may have a scale of its own.
    ///   - groups: along the first dimension, each with channels of its own.
    mutating func constant(
        _ weights: NeuralNetworkWeights, _ shape: [Int], named parameter: String? = nil, outputs axis: Int = 0,
        groups: Int = 1
    ) throws -> Tensor {
        guard let weights = weights.filling(shape, outputs: axis, groups: groups) else {
            let found = weights.count.map { "\($0)" } ?? "\(weights.byteCount) bytes of"
            throw emitter.invalid("\(found) weights for a shape of \(shape)")
        }
        guard weights.isReadable else { throw emitter.unsupported("weights of this encoding") }
        let name = parameter.map { "\(layerName).\($0)" } ?? ""
        return emitter.constant(name, shape, .float32, .layerWeights(weights))
    }

    private mutating func optional(
        _ weights: NeuralNetworkWeights?, _ shape: [Int], named parameter: String? = nil
    ) throws -> Tensor? {
        try weights.map { try constant($0, shape, named: parameter) }
    }

    /// Dimensions of a parameter as they meet a tensor: one a channel, or one a channel and place.
    private func spread(_ shape: [Int], _ rank: Int) -> [Int] {
        shape.count == 1 && rank >= 3 ? shape + [1, 1] : shape
    }

    private func padding(_ padding: NeuralNetworkLayerKind.Padding) -> (GraphBuilder.Padding, ceil: Bool) {
        switch padding {
        case .valid(let border): (Self.numbers(border), false)
        case .includeLastPixel(let border): (Self.numbers(border), true)
        case .same(let oddAtBeginning): (.same(oddBefore: oddAtBeginning), false)
        }
    }

    private static func numbers(_ border: NeuralNetworkLayerKind.Border) -> GraphBuilder.Padding {
        .numbers(before: [border.top, border.left], after: [border.bottom, border.right])
    }

    /// A tensor as [N, C, H, W], what `body` makes of it, and its leading axes back.
    private mutating func asPicture(_ x: Tensor, _ body: (inout GraphBuilder, Tensor) throws -> Tensor) throws -> Tensor
    {
        let shape = emitter.shape(x)
        guard shape.count >= 3 else { throw emitter.invalid("an input of shape \(shape)") }
        if shape.count == 4 { return try body(&emitter, x) }
        let picture = try emitter.reshape(x, [shape.dropLast(3).reduce(1, *)] + shape.suffix(3))
        let result = try body(&emitter, picture)
        return try emitter.reshape(result, shape.dropLast(3) + emitter.shape(result).dropFirst())
    }

    private mutating func lower(_ layer: NeuralNetworkConvolution, _ inputs: [Tensor]) throws -> Tensor {
        guard layer.groups > 0 else { throw emitter.invalid("\(layer.groups) groups") }
        let filter =
            (layer.isDeconvolution
                ? [layer.kernelChannels, layer.outputChannels / layer.groups]
                : [layer.outputChannels, layer.kernelChannels]) + layer.kernelSize
        let weight: Tensor
        if let weights = layer.weights {
            weight =
                layer.isDeconvolution
                ? try constant(weights, filter, outputs: 1, groups: layer.groups)
                : try constant(weights, filter, named: "weights")
        } else {
            weight = try operand(inputs, 1)
            guard emitter.shape(weight) == filter else {
                throw emitter.invalid("weights of shape \(emitter.shape(weight)), not \(filter)")
            }
        }
        let bias = try optional(layer.bias, [layer.outputChannels], named: "bias")
        let (padding, _) = padding(layer.padding)
        return try asPicture(inputs[0]) { emitter, picture in
            layer.isDeconvolution
                ? try emitter.transposedConvolution(
                    picture, weight, bias, strides: layer.stride, dilations: layer.dilation, padding: padding,
                    groups: layer.groups, target: layer.outputShape)
                : try emitter.convolution(
                    picture, weight, bias, strides: layer.stride, dilations: layer.dilation, padding: padding,
                    groups: layer.groups)
        }
    }

    private mutating func lower(_ layer: NeuralNetworkPooling, _ x: Tensor) throws -> Tensor {
        let kinds: [NeuralNetworkPooling.Operation: GraphPooling.Kind] = [.max: .max, .average: .average, .l2: .l2]
        let kind = kinds[layer.operation] ?? .max
        let (padding, ceil) = padding(layer.padding)
        return try asPicture(x) { emitter, picture in
            if layer.isGlobal {
                let reductions: [GraphPooling.Kind: GraphReduction] = [.max: .max, .average: .mean, .l2: .l2Norm]
                return try emitter.reduce(picture, reductions[kind] ?? .max, axes: [2, 3], keepsDimensions: true)
            }
            return try emitter.pool(
                picture, kind, kernel: layer.kernelSize, strides: layer.stride, padding: padding, ceil: ceil,
                countsPadding: !layer.excludesPadding)
        }
    }

    private mutating func lower(_ activation: NeuralNetworkLayerKind.Activation, _ x: Tensor) throws -> Tensor {
        let function: GraphFunction
        switch activation {
        case .relu: function = .relu
        case .tanh: function = .tanh
        case .sigmoid: function = .sigmoid
        case .softsign: function = .softsign
        case .softplus: function = .softplus
        case .linear(let alpha, let beta): function = .linear(alpha: alpha, beta: beta)
        case .leakyRelu(let alpha): function = .leakyRelu(alpha: alpha)
        case .thresholdedRelu(let alpha): function = .thresholdedRelu(alpha: alpha)
        case .scaledTanh(let alpha, let beta): function = .scaledTanh(alpha: alpha, beta: beta)
        case .sigmoidHard(let alpha, let beta): function = .hardSigmoid(alpha: alpha, beta: beta)
        case .elu(let alpha): function = .elu(alpha: alpha)
        case .prelu(let weights):
            if weights.count == 1, let alpha = weights.floats()?.first {
                function = .leakyRelu(alpha: alpha)
                break
            }
            return try asPicture(x) { emitter, picture in
                let channels = emitter.shape(picture)[1]
                guard let slopes = weights.filling([channels]), slopes.isReadable else {
                    throw emitter.invalid("\(weights.count ?? 0) slopes for \(channels) channels")
                }
                let alpha = emitter.constant("", [channels], .float32, .layerWeights(slopes))
                return try emitter.emit(.prelu, [picture, alpha], emitter.shape(picture))
            }
        case .parametricSoftplus(let alpha, let beta):
            let (alpha, beta) = (try channelFactor(alpha, x), try channelFactor(beta, x))
            let scaled = try emitter.binary(.multiply, x, beta)
            return try emitter.binary(.multiply, try emitter.unary(.softplus, scaled), alpha)
        case .other: throw emitter.unsupported("an activation of this kind")
        }
        return try emitter.unary(function, x)
    }

    /// A number for each channel, or one for all, as it meets a picture.
    private mutating func channelFactor(_ weights: NeuralNetworkWeights, _ x: Tensor) throws -> Tensor {
        let shape = emitter.shape(x)
        guard shape.count >= 3 else { throw emitter.invalid("an input of shape \(shape)") }
        return try constant(weights, weights.count == 1 ? [1] : [shape[shape.count - 3], 1, 1])
    }

    private mutating func lower(_ layer: NeuralNetworkInnerProduct, _ x: Tensor) throws -> Tensor {
        guard let weights = layer.weights else { throw emitter.invalid("the weights are missing") }
        let weight = try constant(weights, [layer.outputChannels, layer.inputChannels], named: "weights")
        let bias = try optional(layer.bias, [layer.outputChannels], named: "bias")
        let shape = emitter.shape(x)
        // Channels of pictures of one pixel, or rows.
        guard shape.count >= 3, shape.suffix(2).allSatisfy({ $0 == 1 }), shape.suffix(3).first == layer.inputChannels
        else { return try emitter.linear(x, weight, bias) }
        let rows = try emitter.reshape(x, Array(shape.dropLast(2)))
        let result = try emitter.linear(rows, weight, bias)
        return try emitter.reshape(result, emitter.shape(result) + [1, 1])
    }

    private mutating func lower(_ layer: NeuralNetworkBatchNorm, _ x: Tensor) throws -> Tensor {
        let gamma = try optional(layer.gamma, [layer.channels])
        let beta = try optional(layer.beta, [layer.channels])
        let mean = try optional(layer.mean, [layer.channels])
        let variance = try optional(layer.variance, [layer.channels])
        return try asPicture(x) { emitter, picture in
            if layer.computesMeanVariance {
                guard layer.isInstanceNormalization || emitter.shape(picture)[0] == 1 else {
                    throw emitter.unsupported("a normalisation over several pictures")
                }
                return try emitter.instanceNorm(picture, gamma: gamma, beta: beta, epsilon: layer.epsilon)
            }
            guard let mean, let variance else { throw emitter.invalid("mean and variance are missing") }
            return try emitter.batchNorm(
                picture, mean: mean, variance: variance, gamma: gamma, beta: beta, epsilon: layer.epsilon)
        }
    }

    private mutating func lower(_ layer: NeuralNetworkScale, _ x: Tensor) throws -> Tensor {
        guard let scale = layer.scale else { throw emitter.invalid("the factor is missing") }
        let rank = emitter.rank(x)
        let scaled = try emitter.binary(.multiply, x, try constant(scale, spread(layer.scaleShape, rank)))
        guard let bias = layer.bias else { return scaled }
        return try emitter.binary(.add, scaled, try constant(bias, spread(layer.biasShape, rank)))
    }

    private mutating func lower(
        _ mode: NeuralNetworkLayerKind.PaddingMode, _ border: NeuralNetworkLayerKind.Border, _ x: Tensor
    ) throws -> Tensor {
        let rank = emitter.rank(x)
        guard rank >= 2 else { throw emitter.invalid("an input of shape \(emitter.shape(x))") }
        let leading = [Int](repeating: 0, count: rank - 2)
        let graphMode: GraphPadMode
        switch mode {
        case .constant(let value): graphMode = .constant(value)
        case .reflection: graphMode = .reflect
        case .replication: graphMode = .replicate
        }
        return try emitter.pad(
            x, before: leading + [border.top, border.left], after: leading + [border.bottom, border.right], graphMode)
    }

    /// One tensor with another, or with a number where it is alone; more of them one after the other.
    private mutating func combined(_ kind: GraphBinary, _ inputs: [Tensor], _ alpha: Float?) throws -> Tensor {
        guard inputs.count > 1 else {
            guard let alpha, let x = inputs.first else { throw emitter.invalid("one input") }
            return try emitter.binary(kind, x, emitter.constant([alpha], []))
        }
        var result = inputs[0]
        for other in inputs.dropFirst() { result = try emitter.binary(kind, result, other) }
        return result
    }

    /// f(scale · x + shift); functions by their number in `UnaryFunctionLayerParams`.
    private mutating func unary(
        _ type: Int, _ alpha: Float, _ epsilon: Float, _ shift: Float, _ scale: Float, _ x: Tensor
    ) throws -> Tensor {
        let scale = scale == 0 ? 1 : scale
        let moved = scale == 1 && shift == 0 ? x : try emitter.unary(.linear(alpha: scale, beta: shift), x)
        let functions: [Int: GraphFunction] = [
            0: .sqrt, 1: .rsqrt(epsilon: epsilon), 2: .inverse(epsilon: epsilon), 4: .exp, 5: .log(epsilon: epsilon),
            6: .abs, 7: .clip(low: alpha, high: .infinity),
        ]
        if type == 3 { return try emitter.binary(.power, moved, emitter.constant([alpha], [])) }
        guard let function = functions[type] else { throw emitter.unsupported("the function number \(type)") }
        return try emitter.unary(function, moved)
    }

    /// Operations and axes by their numbers in `ReduceLayerParams`; reduced axes stay.
    private mutating func reduced(_ mode: Int, _ epsilon: Float, _ axis: Int, _ x: Tensor) throws -> Tensor {
        let choices: [Int: [Int]] = [0: [-3, -2, -1], 1: [-2, -1], 2: [-3], 3: [-2], 4: [-1]]
        let kinds: [Int: GraphReduction] = [
            0: .sum, 1: .mean, 2: .product, 3: .sum, 4: .sumOfSquares, 5: .sum, 6: .l2Norm, 7: .max, 8: .min,
            9: .argMax,
        ]
        guard let axes = choices[axis], let kind = kinds[mode] else {
            throw emitter.unsupported("a reduction of this kind")
        }
        var values = x
        if mode == 3 { values = try emitter.unary(.log(epsilon: epsilon), x) }
        if mode == 5 { values = try emitter.unary(.abs, x) }
        return try emitter.reduce(values, kind, axes: axes, keepsDimensions: true)
    }

    /// Axes of [sequence, channels, height, width].
    private mutating func permuted(_ axes: [Int], _ x: Tensor) throws -> Tensor {
        guard axes.sorted() == [0, 1, 2, 3], axes.first == 0 else { throw emitter.unsupported("a permutation \(axes)") }
        let leading = emitter.rank(x) - 3
        guard leading >= 0 else { throw emitter.invalid("an input of shape \(emitter.shape(x))") }
        return try emitter.transpose(x, Array(0..<leading) + axes.dropFirst().map { $0 - 1 + leading })
    }

    /// The order of axes with channels last.
    private func pictureLast(_ x: Tensor) throws -> [Int] {
        let rank = emitter.rank(x)
        guard rank >= 3 else { throw emitter.invalid("an input of shape \(emitter.shape(x))") }
        return Array(0..<rank - 3) + [rank - 2, rank - 1, rank - 3]
    }

    /// To [channels, height, width]; with channels last, elements are taken and put in that order.
    private mutating func reshaped(_ target: [Int], _ isChannelLast: Bool, _ x: Tensor) throws -> Tensor {
        guard target.count == 3 || target.count == 4 && target[0] == 1 else {
            throw emitter.unsupported("a reshape to \(target)")
        }
        let picture = Array(target.suffix(3))
        let leading = Array(emitter.shape(x).dropLast(3))
        guard isChannelLast else { return try emitter.reshape(x, leading + picture) }
        let moved = try emitter.transpose(x, try pictureLast(x))
        let result = try emitter.reshape(moved, leading + [picture[1], picture[2], picture[0]])
        let rank = emitter.rank(result)
        return try emitter.transpose(result, Array(0..<rank - 3) + [rank - 1, rank - 3, rank - 2])
    }
}
