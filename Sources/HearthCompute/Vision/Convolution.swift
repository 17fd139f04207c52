internal import CHearthKernels

/// The sizes of a convolution, which determine its output and the packing of its weights.
///
/// The packing depends only on the sizes, not on the kernel set, so packed weights may be stored in a file.
package struct ConvolutionShape: Hashable, Sendable {
    /// The algorithm and its packing of weights. Stored with packed weights, because more forms may be added.
    package enum Form: Int, Hashable, Sendable {
        /// [output block][input block][kernel row][kernel column][16 inputs][16 outputs].
        case direct = 0
        /// A plain input with few channels: [output block][channel][kernel row][kernel column][16 outputs].
        case directFromPlain = 1
        /// One filter per channel: [block][kernel row][kernel column][16].
        case depthwise = 2
        /// A plain output with few channels: [input channel][kernel row][kernel column][output channel].
        case planes = 3
    }

    /// The input's shape.
    package let input: ImageShape
    /// The output's shape; blocked except in the form `planes`.
    package let output: ImageShape
    /// Kernel size, strides, dilations and padding.
    package let window: ImageWindow
    /// Number of channel groups.
    package let groups: Int
    /// The packing of the weights.
    package let form: Form
    /// Whether the input is a plain image.
    package let inputIsPlain: Bool

    /// - Parameters:
    ///   - inputIsPlain: whether the input is a plain image; only with one group. Fastest for fewer than 16 channels.
    ///   - outputIsPlain: whether the output is a plain image, in the form `planes`; only if `canBePlanes`.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        input: ImageShape, outputChannels: Int, window: ImageWindow, groups: Int = 1, inputIsPlain: Bool = false,
        outputIsPlain: Bool = false
    ) throws(ComputeError) {
        guard groups > 0, input.channels % groups == 0, outputChannels > 0, outputChannels % groups == 0 else {
            throw .shapeMismatch(what: "channels of a group", expected: groups, found: outputChannels)
        }
        guard groups == 1 || !inputIsPlain else {
            throw .shapeMismatch(what: "groups over a plain picture", expected: 1, found: groups)
        }
        let size = try window.output(height: input.height, width: input.width)
        let output = try ImageShape(
            batch: input.batch, channels: outputChannels, height: size.height, width: size.width)
        let isDepthwise = groups > 1 && groups == input.channels && groups == outputChannels
        self.input = input
        self.output = output
        self.window = window
        self.groups = groups
        self.inputIsPlain = inputIsPlain
        self.form = outputIsPlain ? .planes : inputIsPlain ? .directFromPlain : isDepthwise ? .depthwise : .direct
        // Keep later products of sizes far from overflow.
        let (taps, overflow) = (window.kernelHeight * window.kernelWidth).multipliedReportingOverflow(
            by: (input.channels + 16) * (outputChannels + 16))
        guard !overflow, taps < 1 << 40 else {
            throw .shapeMismatch(what: "weights of a convolution", expected: 1 << 40, found: taps)
        }
        guard !outputIsPlain || canBePlanes else {
            throw .shapeMismatch(what: "taps of a convolution to planes", expected: 1, found: taps)
        }
    }

    /// Whether there is a kernel for the form `planes`: one group, and a window that is neither too large nor too strided.
    package var canBePlanes: Bool {
        var descriptor = kernel
        return groups == 1 && hk_takes_planes(&descriptor)
    }

    /// Whether the form `planes` is the fastest: a block of output channels would be half empty, and vectors of columns are not.
    ///
    /// Up to 8 channels of whole vectors take at most four fifths of the time that one block takes, with every kernel set.
    package var isFastestAsPlanes: Bool {
        guard output.channels <= ImageShape.block / 2, canBePlanes else { return false }
        let columns = taps == 1 ? output.positions : output.width
        let vectors = (columns + ImageShape.block - 1) / ImageShape.block * ImageShape.block
        return output.channels * vectors <= 10 * columns
    }

    /// Number of weights as stored by models: [output channels][input channels of a group][kernel height][kernel width].
    package var weightCount: Int { output.channels * (input.channels / groups) * taps }
    /// Number of packed weights.
    package var packedCount: Int {
        guard form != .depthwise else { return output.blocks * taps * ImageShape.block }
        guard form != .planes else { return weightCount }
        var descriptor = kernel
        return output.blocks * hk_packed_block(&descriptor)
    }
    /// Number of bias values, padded to whole blocks.
    package var biasCount: Int { output.blocks * ImageShape.block }
    /// Whether coded weights can be expanded during the multiplication.
    package var takesCoded: Bool {
        guard form == .direct else { return false }
        var descriptor = kernel
        return hk_takes_coded(&descriptor)
    }
    /// Number of multiply-adds per run.
    package var products: Int { output.batch * output.positions * weightCount }

    /// Packs weights.
    /// - Parameters:
    ///   - weights: `weightCount` values, as stored by models.
    ///   - packed: space for `packedCount` values.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func pack(
        _ weights: UnsafeBufferPointer<Float>, into packed: UnsafeMutableBufferPointer<Float>
    ) throws(ComputeError) {
        guard let from = weights.baseAddress, weights.count == weightCount else {
            throw .shapeMismatch(what: "weights of a convolution", expected: weightCount, found: weights.count)
        }
        guard let to = packed.baseAddress, packed.count >= packedCount else {
            throw .shapeMismatch(what: "packed weights", expected: packedCount, found: packed.count)
        }
        var descriptor = kernel
        switch form {
        case .depthwise: hk_pack_depthwise(from, output.channels, taps, to)
        case .planes: hk_pack_planes(&descriptor, from, to)
        case .direct, .directFromPlain: hk_pack_convolution(&descriptor, from, to)
        }
    }

    var taps: Int { window.kernelHeight * window.kernelWidth }

    /// Number of input blocks that contribute to one output block; with groups, the maximum over all output blocks.
    package var inputBlocks: Int {
        guard !inputIsPlain else { return input.channels }
        guard groups > 1 else { return input.blocks }
        let inputs = input.channels / groups
        let outputs = output.channels / groups
        var most = 1
        for block in 0..<output.blocks {
            let firstGroup = block * ImageShape.block / outputs
            let lastGroup = min((block + 1) * ImageShape.block, output.channels) - 1
            let last = (lastGroup / outputs + 1) * inputs - 1
            most = max(most, last / ImageShape.block - firstGroup * inputs / ImageShape.block + 1)
        }
        return most
    }

    var kernel: hk_convolution {
        var descriptor = hk_convolution()
        descriptor.window = window.kernel
        descriptor.plain = inputIsPlain
        descriptor.channels = input.channels
        descriptor.height = input.height
        descriptor.width = input.width
        descriptor.output_channels = output.channels
        descriptor.output_height = output.height
        descriptor.output_width = output.width
        descriptor.group_inputs = input.channels / groups
        descriptor.group_outputs = output.channels / groups
        descriptor.input_blocks = inputBlocks
        return descriptor
    }

    var depthwiseKernel: hk_depthwise {
        var descriptor = hk_depthwise()
        descriptor.window = window.kernel
        descriptor.blocks = output.blocks
        descriptor.height = input.height
        descriptor.width = input.width
        descriptor.output_height = output.height
        descriptor.output_width = output.width
        return descriptor
    }
}

/// A convolution with its packed weights, split into parts for the threads.
package struct Convolution: @unchecked Sendable {
    // Sendable: the descriptors' pointers are null, or refer to constant weights.
    /// The sizes.
    package let shape: ConvolutionShape
    /// Applied to the sums.
    package let epilogue: Epilogue
    package let weights: ProductWeights
    package let bias: FloatWeights?
    let parts: [hk_part]
    let direct: hk_convolution
    let depthwise: hk_depthwise

    /// - Parameters:
    ///   - weights: packed by `ConvolutionShape.pack`.
    ///   - bias: `biasCount` values; those after the last channel are zero.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        _ shape: ConvolutionShape, weights: FloatWeights, bias: FloatWeights? = nil, epilogue: Epilogue = Epilogue()
    ) throws(ComputeError) {
        try self.init(shape, weights: .floats(weights), bias: bias, epilogue: epilogue)
    }

    /// - Parameters:
    ///   - weights: packed by `ConvolutionShape.pack`; may be coded if `takesCoded`.
    ///   - bias: `biasCount` values; those after the last channel are zero.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        _ shape: ConvolutionShape, weights: ProductWeights, bias: FloatWeights? = nil, epilogue: Epilogue = Epilogue()
    ) throws(ComputeError) {
        try weights.require("packed weights", shape.packedCount)
        guard weights.kernel == nil || shape.takesCoded else {
            throw .shapeMismatch(what: "taps of a convolution with coded weights", expected: 256, found: shape.taps)
        }
        try bias?.require("values of a bias", shape.biasCount)
        self.shape = shape
        self.epilogue = epilogue
        self.weights = weights
        self.bias = bias
        depthwise = shape.depthwiseKernel
        var direct = shape.kernel
        direct.coded = weights.kernel
        if shape.form == .depthwise {
            parts = rowParts(
                shape.output,
                rowFloats: ImageShape.block * (shape.output.width + shape.input.width * shape.window.strideY))
        } else {
            parts = plannedParts { parts, capacity in
                // Planning changes the kernel: each call begins with a new one.
                direct = shape.kernel
                direct.coded = weights.kernel
                guard shape.form != .planes else {
                    return hk_plan_planes(&direct, shape.input.batch, parts, capacity)
                }
                return hk_plan_convolution(&direct, shape.input.batch, parts, capacity)
            }
        }
        self.direct = direct
    }

    /// Number of scratch values that a run needs: transformed weights, where Winograd's products are fewer.
    package var scratchCount: Int { direct.transformed_count }
}
