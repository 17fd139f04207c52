internal import HearthCompute

/// What runs: steps in their order, each with the kernel that computes it, and where every tensor is in one block of
/// memory. A value without any weights in it; those are in a file beside it, in the order in which kernels read them.
package struct CoreMLPlan: Sendable, Codable, Equatable {
    /// Grows whenever a plan, or the packing of weights, means something else, and whenever existing plans may be wrong.
    package static let version = 15

    package var tensors: [PlanTensor] = []
    package var steps: [PlanStep] = []
    /// In the model's order.
    var inputs: [PlanPort] = []
    package var outputs: [PlanPort] = []
    /// Floats of the block of memory that all tensors share.
    package var arenaCount = 0
    /// Floats that the largest step needs at the same time with all that is used later: no plan needs less.
    var arenaLowerBound = 0
    /// Floats of the packed weights.
    package var weightCount = 0

    /// Multiplications and additions of all products of one inference, in pairs.
    package var multiplyAdds: Int { steps.reduce(0) { $0 + $1.multiplyAdds } }

    /// Steps without a fast kernel, which explain why a model is slow.
    package var referenceSteps: [PlanStep] { steps.filter { if case .reference = $0.kernel { true } else { false } } }
}

/// How elements are ordered.
enum PlanLayout: String, Sendable, Codable {
    /// Row by row, as the shape says.
    case plain
    /// [N][C / 16][H][W][16], the last channels filled up with zeros: what convolutions read and write.
    case blocked
    /// 8-bit codes, the channels innermost, four in each float's memory: what products of integers read and write.
    case codes

    /// Channels of a block.
    static let block = 16
}

/// A tensor of a plan.
package struct PlanTensor: Sendable, Codable, Equatable {
    package var name: String
    package var shape: [Int]
    var layout: PlanLayout
    /// First float in the arena, or among the weights for a constant.
    package var offset = 0
    var isConstant = false
    /// What the codes mean, in the layout of codes.
    var code: PlanCode?

    /// Elements that mean something.
    var count: Int { shape.reduce(1, *) }

    /// Floats that it takes, padding included.
    var storedCount: Int {
        // A plan whose codes are not valid is refused before any memory is used.
        if let code { return (try? code.shape(of: shape).floatCount) ?? 0 }
        guard layout == .blocked, shape.count >= 2 else { return shape.reduce(1, *) }
        let blocks = (shape[1] + PlanLayout.block - 1) / PlanLayout.block
        return shape[0] * blocks * PlanLayout.block * shape.dropFirst(2).reduce(1, *)
    }
}

/// What the codes of a tensor mean: value = (code − zero) · scale.
package struct PlanCode: Sendable, Codable, Equatable {
    var scale: Float
    /// 0 to 255: codes of `int8` count from −128 on.
    var zero: Int
    /// Whether the channels are the last dimension, as in matrices; otherwise the second one, as in pictures.
    var isChannelsLast: Bool
    /// Positions around each picture that hold zeros: rows above, columns on the left, rows below, columns on the right.
    var border = [0, 0, 0, 0]

    /// - Throws: `ComputeError.shapeMismatch` for what cannot be.
    func shape(of tensor: [Int]) throws -> CodeShape {
        let image =
            isChannelsLast
            ? try ImageShape(channels: tensor.last ?? 1, height: 1, width: tensor.dropLast().reduce(1, *))
            : try ImageShape(tensor)
        guard border.count == 4 else {
            throw ComputeError.shapeMismatch(what: "sides of a border", expected: 4, found: border.count)
        }
        return try CodeShape(image, border: (border[0], border[1], border[2], border[3]), scale: scale, zero: zero)
    }
}

/// An input or output by its name in the model.
package struct PlanPort: Sendable, Codable, Equatable {
    var name: String
    package var tensor: Int
}

/// Floats of the weights file.
package struct PlanWeights: Sendable, Codable, Equatable {
    package var offset: Int
    package var count: Int
}

/// One step of a plan.
package struct PlanStep: Sendable, Codable, Equatable {
    /// From where in the model, for errors and tables.
    var place: String
    package var kernel: PlanKernel
    /// What it reads; nil for an operand that was left out.
    package var inputs: [Int?]
    package var outputs: [Int]
    /// Of its products.
    var multiplyAdds = 0
}

/// What happens to each result of a product before it is stored.
package struct PlanEpilogue: Sendable, Codable, Equatable {
    var activation: GraphFunction?
    /// Whether the step's last operand is added.
    package var addsResidual = false
    /// Added before the activation (ResNet) or after it.
    var residualIsFirst = true

    package init(activation: GraphFunction? = nil, addsResidual: Bool = false, residualIsFirst: Bool = true) {
        self.activation = activation
        self.addsResidual = addsResidual
        self.residualIsFirst = residualIsFirst
    }

    static let none = PlanEpilogue()

    var canReplaceResidual: Bool { addsResidual && residualIsFirst }
}

/// What computes a step.
package enum PlanKernel: Sendable, Codable, Equatable {
    /// x (plain where it has few channels, else blocked), residual? in the layout of the result
    case convolution(PlanConvolution)
    /// Rows of x times a matrix; x, residual?
    case linear(PlanLinear)
    /// A convolution of codes, or rows of them times a matrix: x, residual?; makes codes or floats.
    case byteConvolution(PlanByteConvolution)
    /// From floats to codes: x, blocked or with the channels last as the codes have them.
    case quantize
    /// From codes to floats.
    case dequantize
    /// The function of the sum of two tensors of codes, as codes.
    case codeSum(GraphFunction?)
    case pool(PlanWindow, isAverage: Bool, countsPadding: Bool)
    /// Mean over height and width of a blocked tensor.
    case globalMean
    /// `outer` times `count` values that lie `stride` apart, for `stride` neighbours.
    case softmax(outer: Int, count: Int, stride: Int)
    case reduce(GraphReduction, outer: Int, count: Int, stride: Int)
    /// x; sums of all elements up to each one along the axis.
    case cumulativeSum(axis: Int, exclusive: Bool, reverse: Bool)
    /// x; makes the first elements along the axis in order, and their places.
    case topK(axis: Int, ascending: Bool)
    case layerNorm(rows: Int, width: Int, epsilon: Float, gamma: PlanWeights?, beta: PlanWeights?)
    /// query, key, value, mask?
    case attention(scale: Float)
    case matmul(transposeX: Bool, transposeY: Bool)
    case unary(GraphFunction)
    case cast(GraphCast)
    /// x, y; plain with broadcasting, or both blocked and of one shape. Then a function.
    case binary(GraphBinary, GraphFunction?)
    /// Each channel of a blocked x times one number: x, numbers; then a function.
    case channelScale(GraphFunction?)
    /// x, slopes; x where it is not below 0, else the channel's slope times x.
    case slopes
    /// Each channel times a constant plus a constant, then a function.
    case channelAffine(scale: PlanWeights, shift: PlanWeights, GraphFunction?)
    /// From one layout to the other.
    case reorder
    /// Channels of blocked tensors to channels of others.
    case channels([PlanChannels])
    /// Elements to other places: transposes, slices, joins.
    case copy([PlanCopy])
    /// products with the inputs, state, cell?; makes all states, the last one, and an LSTM's last cell.
    case recurrent(PlanRecurrence)
    /// The last two axes, enlarged or made smaller.
    case resize(GraphResize)
    /// Slices along an axis: x, indices
    case gather(axis: Int)
    /// condition, x, y; plain, with broadcasting.
    case select
    /// Plain loops.
    case reference(GraphOperation)

    /// Its name in tables.
    package var name: String {
        switch self {
        case .convolution(let convolution):
            convolution.isDepthwise
                ? "conv depthwise"
                : convolution.groups > 1
                    ? "conv grouped"
                    : convolution.makesPlain
                        ? "conv planes"
                        : convolution.isPlain ? "conv first" : convolution.isPointwise ? "conv 1×1" : "conv"
        case .linear: "linear"
        case .byteConvolution(let convolution):
            convolution.isDepthwise
                ? "depthwise int8"
                : convolution.groups > 1
                    ? "conv grouped int8" : convolution.window.kernel == [1, 1] ? "conv 1×1 int8" : "conv int8"
        case .quantize: "quantize"
        case .dequantize: "dequantize"
        case .codeSum: "sum int8"
        case .pool: "pool"
        case .globalMean: "global mean"
        case .softmax: "softmax"
        case .reduce: "reduce"
        case .cumulativeSum: "cumulative sum"
        case .topK: "top k"
        case .layerNorm: "layer norm"
        case .attention: "attention"
        case .matmul: "matmul"
        case .unary: "unary"
        case .cast: "cast"
        case .binary: "binary"
        case .channelScale: "channel scale"
        case .channelAffine: "channel affine"
        case .slopes: "slopes"
        case .reorder: "reorder"
        case .channels: "channels"
        case .copy: "copy"
        case .recurrent(let recurrence): recurrence.rule.kind.rawValue
        case .resize: "resize"
        case .gather: "gather"
        case .select: "select"
        case .reference(let operation): "reference \(String(describing: operation).prefix { $0 != "(" })"
        }
    }
}

/// A convolution as its kernel needs it: heights and widths, also where the model has one dimension.
package struct PlanConvolution: Sendable, Codable, Equatable {
    package var window: PlanWindow
    package var groups: Int
    /// Whether each channel has a filter of its own.
    var isDepthwise: Bool
    /// Whether the input is plain.
    var isPlain: Bool
    /// Whether the result is: it has few channels.
    var makesPlain = false
    package var weights = PlanWeights(offset: 0, count: 0)
    /// One value an output channel, padded to whole blocks.
    var bias: PlanWeights?
    package var epilogue = PlanEpilogue.none

    var isPointwise: Bool { window.kernel == [1, 1] }

    /// The sizes as the kernel has them.
    /// - Parameter input: [N, C, H, W], [N, C, L] or [N, C].
    /// - Throws: `ComputeError.shapeMismatch`.
    func shape(of input: [Int], outputChannels: Int) throws -> ConvolutionShape {
        var input = try ImageShape(input)
        var window = try window.picture()
        // One column lies in memory as one row does, and kernels compute neighbours in a row together.
        if input.width == 1, window.kernelWidth == 1, window.left == 0, window.right == 0 {
            input = try input.turned()
            window = ImageWindow(
                kernelHeight: 1, kernelWidth: window.kernelHeight, strideY: 1, strideX: window.strideY, dilationY: 1,
                dilationX: window.dilationY, top: 0, left: window.top, bottom: 0, right: window.bottom)
        }
        return try ConvolutionShape(
            input: input, outputChannels: outputChannels, window: window, groups: groups, inputIsPlain: isPlain,
            outputIsPlain: makesPlain)
    }
}

/// A convolution of codes with 8-bit weights. Its input's border takes the place of padding.
package struct PlanByteConvolution: Sendable, Codable, Equatable {
    var window: PlanWindow
    var groups: Int
    /// Whether each channel has a filter of its own.
    var isDepthwise: Bool
    var weights: PlanWeights
    /// One value an output channel, padded to whole blocks: the sum of its weights, and what one is worth in a sum.
    var sums: PlanWeights
    var scales: PlanWeights
    var bias: PlanWeights?
    var epilogue = PlanEpilogue.none
}

/// A window in rows and columns.
package struct PlanWindow: Sendable, Codable, Equatable {
    package var kernel: [Int]
    package var strides: [Int]
    var dilations: [Int]
    var before: [Int]
    var after: [Int]

    /// One dimension counts as columns of one row.
    init(kernel: [Int], strides: [Int], dilations: [Int], before: [Int], after: [Int]) {
        func plane(_ values: [Int], _ missing: Int) -> [Int] { values.count == 1 ? [missing] + values : values }
        self.kernel = plane(kernel, 1)
        self.strides = plane(strides, 1)
        self.dilations = plane(dilations, 1)
        self.before = plane(before, 0)
        self.after = plane(after, 0)
    }

    /// - Throws: `ComputeError.shapeMismatch` for lists of other lengths.
    func picture() throws -> ImageWindow {
        let lists = [kernel, strides, dilations, before, after]
        guard lists.allSatisfy({ $0.count == 2 }) else {
            throw ComputeError.shapeMismatch(what: "dimensions of a window", expected: 2, found: kernel.count)
        }
        return ImageWindow(
            kernelHeight: kernel[0], kernelWidth: kernel[1], strideY: strides[0], strideX: strides[1],
            dilationY: dilations[0], dilationX: dilations[1], top: before[0], left: before[1], bottom: after[0],
            right: after[1])
    }
}

/// Where planes of a tensor lie for the kernels.
extension ImageShape {
    /// - Parameter shape: [N, C, H, W], [N, C, L] or [N, C].
    /// - Throws: `ComputeError.shapeMismatch` for others.
    init(_ shape: [Int]) throws {
        guard (2...4).contains(shape.count) else {
            throw ComputeError.shapeMismatch(what: "dimensions of a picture", expected: 4, found: shape.count)
        }
        try self.init(
            batch: shape[0], channels: shape[1], height: shape.count == 4 ? shape[2] : 1,
            width: shape.count > 2 ? shape[shape.count - 1] : 1)
    }

    /// Rows as columns.
    func turned() throws -> ImageShape {
        try ImageShape(batch: batch, channels: channels, height: width, width: height)
    }
}

/// A product of rows with a matrix.
package struct PlanLinear: Sendable, Codable, Equatable {
    var rows: Int
    var inputs: Int
    var outputs: Int
    var weights: PlanWeights
    var bias: PlanWeights?
    var epilogue = PlanEpilogue.none
}

/// Channels of one operand's tensor to channels of one result's.
package struct PlanChannels: Sendable, Codable, Equatable {
    /// Which of the step's inputs, and which of its outputs.
    var operand: Int
    var result: Int
    var first: Int
    var resultFirst: Int
    var resultStep: Int
    var count: Int
}

/// Elements of one operand's tensor to places of one result's.
package struct PlanCopy: Sendable, Codable, Equatable {
    package var operand: Int
    package var result: Int
    /// The innermost dimension last.
    package var size: [Int]
    package var start: Int
    package var strides: [Int]
    package var resultStart: Int
    package var resultStrides: [Int]
}
