/// A convolution, or its transpose.
public struct NeuralNetworkConvolution: Sendable, Equatable {
    /// Channels that come out.
    public var outputChannels = 0
    /// Channels of the kernel: those that come in, divided by the groups.
    public var kernelChannels = 0
    /// Groups.
    public var groups = 1
    /// Height and width.
    public var kernelSize = [3, 3]
    /// Steps down and right.
    public var stride = [1, 1]
    /// Distances between the kernel's rows and columns.
    public var dilation = [1, 1]
    /// How the border is treated.
    public var padding = NeuralNetworkLayerKind.Padding.valid(.init())
    /// Whether it is the transpose.
    public var isDeconvolution = false
    /// [output channels, kernel channels, height, width]; of a transpose [kernel channels, output channels / groups, …].
    public var weights: NeuralNetworkWeights?
    /// One a channel that comes out.
    public var bias: NeuralNetworkWeights?
}

/// A maximum or mean over windows.
public struct NeuralNetworkPooling: Sendable, Equatable {
    /// What is computed.
    public enum Operation: Int, Sendable {
        case max = 0
        case average = 1
        case l2 = 2
    }

    /// What is computed.
    public var operation = Operation.max
    /// Height and width of the window.
    public var kernelSize = [3, 3]
    /// Steps down and right.
    public var stride = [1, 1]
    /// How the border is treated.
    public var padding = NeuralNetworkLayerKind.Padding.valid(.init())
    /// Whether a mean leaves out what was padded.
    public var excludesPadding = false
    /// Whether the window is the whole picture.
    public var isGlobal = false
}

/// A matrix product.
public struct NeuralNetworkInnerProduct: Sendable, Equatable {
    /// Values that come in.
    public var inputChannels = 0
    /// Values that come out.
    public var outputChannels = 0
    /// [output channels, input channels].
    public var weights: NeuralNetworkWeights?
    /// One a value that comes out.
    public var bias: NeuralNetworkWeights?
}

/// Normalisation by channel.
public struct NeuralNetworkBatchNorm: Sendable, Equatable {
    /// Channels.
    public var channels = 0
    /// Whether mean and variance are computed from what comes in.
    public var computesMeanVariance = false
    /// Whether that is done for each picture by itself.
    public var isInstanceNormalization = false
    /// Added to the variance.
    public var epsilon: Float = 1e-5
    /// Factor, summand, mean and variance, one a channel each.
    public var gamma: NeuralNetworkWeights?, beta: NeuralNetworkWeights?
    /// Mean and variance.
    public var mean: NeuralNetworkWeights?, variance: NeuralNetworkWeights?
}

/// A factor and perhaps a summand, one for all or one a channel.
public struct NeuralNetworkScale: Sendable, Equatable {
    /// Dimensions of the factor.
    public var scaleShape: [Int] = []
    /// The factor.
    public var scale: NeuralNetworkWeights?
    /// Dimensions of the summand.
    public var biasShape: [Int] = []
    /// The summand.
    public var bias: NeuralNetworkWeights?
}
