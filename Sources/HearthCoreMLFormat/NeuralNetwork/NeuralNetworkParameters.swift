/// A convolution, or its transpose.
package struct NeuralNetworkConvolution: Sendable, Equatable {
    /// Channels that come out.
    package var outputChannels = 0
    /// Channels of the kernel: those that come in, divided by the groups.
    package var kernelChannels = 0
    /// Groups.
    package var groups = 1
    /// Height and width.
    package var kernelSize = [3, 3]
    /// Steps down and right.
    package var stride = [1, 1]
    /// Distances between the kernel's rows and columns.
    package var dilation = [1, 1]
    /// How the border is treated.
    package var padding = NeuralNetworkLayerKind.Padding.valid(.init())
    /// Whether it is the transpose.
    package var isDeconvolution = false
    /// Height and width of what the transpose makes, where the file states them.
    package var outputShape: [Int]?
    /// [output channels, kernel channels, height, width]; of a transpose [kernel channels, output channels / groups, …]. nil
    /// where they are the second input.
    package var weights: NeuralNetworkWeights?
    /// One a channel that comes out.
    package var bias: NeuralNetworkWeights?
}

/// A maximum or mean over windows.
package struct NeuralNetworkPooling: Sendable, Equatable {
    /// What is computed.
    package enum Operation: Int, Sendable {
        case max = 0
        case average = 1
        case l2 = 2
    }

    /// What is computed.
    package var operation = Operation.max
    /// Height and width of the window.
    package var kernelSize = [3, 3]
    /// Steps down and right.
    package var stride = [1, 1]
    /// How the border is treated.
    package var padding = NeuralNetworkLayerKind.Padding.valid(.init())
    /// Whether a mean leaves out the padding.
    package var excludesPadding = false
    /// Whether the window is the whole picture.
    package var isGlobal = false
}

/// A matrix product.
package struct NeuralNetworkInnerProduct: Sendable, Equatable {
    /// Values that come in.
    package var inputChannels = 0
    /// Values that come out.
    package var outputChannels = 0
    /// [output channels, input channels].
    package var weights: NeuralNetworkWeights?
    /// One a value that comes out.
    package var bias: NeuralNetworkWeights?
}

/// Normalisation by channel.
package struct NeuralNetworkBatchNorm: Sendable, Equatable {
    /// Channels.
    package var channels = 0
    /// Whether mean and variance are computed from what comes in.
    package var computesMeanVariance = false
    /// Whether that is done for each picture by itself.
    package var isInstanceNormalization = false
    /// Added to the variance.
    package var epsilon: Float = 1e-5
    /// Factor, summand, mean and variance, one a channel each.
    package var gamma: NeuralNetworkWeights?, beta: NeuralNetworkWeights?
    /// Mean and variance.
    package var mean: NeuralNetworkWeights?, variance: NeuralNetworkWeights?
}

/// A factor and perhaps a summand, one for all or one a channel.
package struct NeuralNetworkScale: Sendable, Equatable {
    /// Dimensions of the factor.
    package var scaleShape: [Int] = []
    /// The factor.
    package var scale: NeuralNetworkWeights?
    /// Dimensions of the summand.
    package var biasShape: [Int] = []
    /// The summand.
    package var bias: NeuralNetworkWeights?
}
