/// What a layer does: the layers of common image classifiers. Others are kept and not read.
///
/// Names, fields and defaults are those of Core ML's `NeuralNetwork.proto`.
package enum NeuralNetworkLayerKind: Sendable, Equatable {
    /// Pads: rows above and below, columns left and right.
    package struct Border: Sendable, Equatable {
        /// Rows or columns.
        package var top = 0, bottom = 0, left = 0, right = 0
    }

    /// How a convolution or pooling treats the border.
    package enum Padding: Sendable, Equatable {
        /// Pads of given size.
        case valid(Border)
        /// Pads that make the output ceil(input / stride) long; the odd one goes to the end, or to the beginning.
        case same(oddAtBeginning: Bool)
        /// Pads of given size, and windows that begin in the picture and end beyond it.
        case includeLastPixel(Border)
    }

    /// What stands around a picture.
    package enum PaddingMode: Sendable, Equatable {
        case constant(Float)
        /// The picture mirrored, its border not repeated.
        case reflection
        /// The border repeated.
        case replication
    }

    /// What an activation computes.
    package enum Activation: Sendable, Equatable {
        case relu, tanh, sigmoid, softsign, softplus
        case linear(alpha: Float, beta: Float)
        case leakyRelu(alpha: Float)
        case thresholdedRelu(alpha: Float)
        case prelu(NeuralNetworkWeights)
        case scaledTanh(alpha: Float, beta: Float)
        case sigmoidHard(alpha: Float, beta: Float)
        case elu(alpha: Float)
        /// alpha · log(1 + exp(beta · x)), with numbers by channel or for all.
        case parametricSoftplus(alpha: NeuralNetworkWeights, beta: NeuralNetworkWeights)
        /// Another one, by the number of its field.
        case other(Int)
    }

    case convolution(NeuralNetworkConvolution)
    case pooling(NeuralNetworkPooling)
    case activation(Activation)
    case innerProduct(NeuralNetworkInnerProduct)
    case batchNorm(NeuralNetworkBatchNorm)
    case scale(NeuralNetworkScale)
    case bias(shape: [Int], NeuralNetworkWeights)
    case loadConstant(shape: [Int], NeuralNetworkWeights)
    case softmax
    case softmaxND(axis: Int)
    case lrn(alpha: Float, beta: Float, localSize: Int, k: Float)
    /// Values around the picture.
    case padding(PaddingMode, Border)
    /// Number of the function, its parameters: see `UnaryFunctionLayerParams`.
    case unary(type: Int, alpha: Float, epsilon: Float, shift: Float, scale: Float)
    /// With one input, `alpha` is the other operand.
    case add(alpha: Float)
    case multiply(alpha: Float)
    case addBroadcastable
    case multiplyBroadcastable
    case clip(minimum: Float, maximum: Float)
    case reduceMean(axes: [Int], keepsDimensions: Bool, reducesAll: Bool)
    /// Number of the operation, and of the axes: see `ReduceLayerParams`.
    case reduce(mode: Int, epsilon: Float, axis: Int)
    case reshape(targetShape: [Int], isChannelLast: Bool)
    case reshapeStatic(targetShape: [Int])
    case flatten(isChannelLast: Bool)
    case flattenTo2D(axis: Int)
    case permute(axes: [Int])
    case transpose(axes: [Int])
    case squeeze(axes: [Int], squeezesAll: Bool)
    case concat
    case concatND(axis: Int, interleaves: Bool)
    case split(outputs: Int)
    /// A copy of the input.
    case copy
    /// A function of each element without parameters, or a function of two or more tensors, by the layer's name.
    case elementwise(String)
    /// GELU: exact, by tanh, or by a sigmoid.
    case gelu(mode: Int)
    /// One number for all elements along axes; what, by the layer's name.
    case reduceAxes(String, axes: [Int], keepsDimensions: Bool, reducesAll: Bool)
    /// Parts of equal size, or of given sizes.
    case splitND(axis: Int, count: Int, sizes: [Int])
    /// From one place to another, on one axis of the picture: 0 channels, 1 rows, 2 columns.
    case slice(start: Int, end: Int, stride: Int, axis: Int)
    case sliceStatic(NeuralNetworkSlice)
    case expandDims(axes: [Int])
    case stack(axis: Int)
    /// A product of matrices, of two inputs or of one with weights.
    case batchedMatmul(NeuralNetworkMatmul)
    /// Normalisation along the last axes.
    case layerNormalization(shape: [Int], epsilon: Float, gamma: NeuralNetworkWeights, beta: NeuralNetworkWeights)
    /// A layer of a few numbers, or of weights for gates.
    case general(NeuralNetworkGeneralLayer)
    /// A layer that this module keeps and does not read.
    case other

    /// Layers by the number of their field.
    package static let names: [Int: String] = NeuralNetworkGeneralLayer.names.merging([
        100: "convolution", 120: "pooling", 130: "activation", 140: "innerProduct", 160: "batchnorm",
        175:
            "softmax", 180: "lrn", 200: "padding", 220: "unary", 230: "add", 231: "multiply", 240: "average",
        245:
            "scale", 250: "bias", 260: "max", 261: "min", 280: "reduce", 290: "loadConstant", 300: "reshape",
        301:
            "flatten", 310: "permute", 320: "concat", 330: "split", 350: "slice", 500: "custom", 600: "copy",
        605:
            "branch", 615: "loop", 620: "loopBreak", 625: "loopContinue", 660: "clip", 665: "ceil", 670: "floor",
        680:
            "sign", 685: "round", 700: "exp2", 710: "sin", 715: "cos", 720: "tan", 730: "asin", 735: "acos",
        740:
            "atan", 750: "sinh", 755: "cosh", 760: "tanh", 790: "erf", 795: "gelu", 865: "modBroadcastable",
        870:
            "minBroadcastable", 875: "maxBroadcastable", 880: "addBroadcastable", 885: "powBroadcastable",
        890:
            "divideBroadcastable", 895: "floorDivBroadcastable", 900: "multiplyBroadcastable",
        905:
            "subtractBroadcastable", 925: "stack", 950: "softmaxND", 975: "splitND", 980: "concatND", 985: "transpose",
        995: "sliceStatic", 1045: "batchedMatmul", 1070: "loadConstantND", 1120: "squeeze", 1125: "expandDims",
        1130: "flattenTo2D", 1140: "reshapeStatic", 1230: "categoricalDistribution", 1250: "reduceL1",
        1255:
            "reduceL2", 1260: "reduceMax", 1265: "reduceMin", 1270: "reduceSum", 1275: "reduceProd", 1280: "reduceMean",
        1290: "reduceSumSquare", 1295: "reduceLogSumExp", 1313: "whereNonZero", 1350: "layerNormalization",
        1400:
            "NonMaximumSuppression", 1465: "pooling3d", 1466: "globalPooling3d", 1471: "convolution3d",
    ]) { name, _ in name }
}
