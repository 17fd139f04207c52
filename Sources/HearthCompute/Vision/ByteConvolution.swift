internal import CHearthKernels

/// The sizes of a convolution of 8-bit codes with 8-bit weights, which determine the packing of its weights.
package struct ByteConvolutionShape: Hashable, Sendable {
    /// Number of input channels.
    package let inputChannels: Int
    /// Number of output channels.
    package let outputChannels: Int
    /// Kernel size, strides, dilations and padding.
    package let window: ImageWindow
    /// Groups of input and output channels of equal size.
    package let groups: Int

    /// Whether each channel has a filter of its own.
    package var isDepthwise: Bool { groups > 1 && groups == inputChannels && groups == outputChannels }

    /// - Throws: `ComputeError.shapeMismatch` also where sums of products could leave 32 bits.
    package init(inputChannels: Int, outputChannels: Int, window: ImageWindow, groups: Int = 1) throws(ComputeError) {
        for size in [inputChannels, outputChannels] where size < 1 || size > 1 << 24 {
            throw .shapeMismatch(what: "channels of a convolution", expected: 1, found: size)
        }
        guard groups >= 1, inputChannels % groups == 0, outputChannels % groups == 0 else {
            throw .shapeMismatch(what: "groups of a convolution", expected: 1, found: groups)
        }
        try window.check()
        let (taps, overflow) = window.kernelHeight.multipliedReportingOverflow(by: window.kernelWidth)
        let most = Int(HK_MOST_BYTE_PRODUCTS)
        guard !overflow, taps <= most, taps * ((inputChannels / groups + 3) / 4 * 4) <= most else {
            throw .shapeMismatch(what: "products of a sum of 32 bits", expected: most, found: taps)
        }
        self.inputChannels = inputChannels
        self.outputChannels = outputChannels
        self.window = window
        self.groups = groups
    }

    /// Number of weights as stored by models: [output channels][input channels / groups][kernel height][kernel width].
    package var weightCount: Int {
        outputChannels * (inputChannels / groups) * window.kernelHeight * window.kernelWidth
    }
    /// Number of values of memory of the packed weights, four weights each.
    package var packedCount: Int {
        var descriptor = kernel
        return hk_packed_bytes(&descriptor) / 4
    }
    /// Number of values per output channel, padded to whole blocks.
    package var channelCount: Int { (outputChannels + ImageShape.block - 1) / ImageShape.block * ImageShape.block }

    /// Packs weights.
    /// - Parameters:
    ///   - weights: `weightCount` values, as stored by models.
    ///   - packed: space for `packedCount` values.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func pack(
        _ weights: [Int8], into packed: UnsafeMutableBufferPointer<Float>
    ) throws(ComputeError) {
        guard weights.count == weightCount else {
            throw .shapeMismatch(what: "weights of a convolution", expected: weightCount, found: weights.count)
        }
        guard let to = packed.baseAddress, packed.count >= packedCount else {
            throw .shapeMismatch(what: "packed weights", expected: packedCount, found: packed.count)
        }
        var descriptor = kernel
        weights.withUnsafeBufferPointer { weights in
            hk_pack_bytes(
                &descriptor, weights.baseAddress,
                UnsafeMutableRawPointer(to).assumingMemoryBound(to: Int8.self))
        }
    }

    var kernel: hk_byte_convolution {
        var descriptor = hk_byte_convolution()
        descriptor.window = window.kernel
        descriptor.input_channels = inputChannels
        descriptor.output_channels = outputChannels
        descriptor.groups = isDepthwise ? 1 : groups
        descriptor.depthwise = isDepthwise
        return descriptor
    }
}

/// A convolution of 8-bit codes with its packed 8-bit weights, split into parts for the threads. Its sums have 32 bits and are
/// exact; result = function(sum · scale + bias + residual), rounded to codes if the output has them.
package struct ByteConvolution: @unchecked Sendable {
    // Sendable: the descriptor's pointers are null, or refer to constant weights.
    /// What the results are.
    package enum Output: Sendable {
        /// Codes.
        case codes(CodeShape)
        /// Blocked floats.
        case blocked
        /// Floats whose channels are the innermost dimension.
        case rows
    }

    /// The codes that are convolved.
    package let input: CodeShape
    /// The results' sizes.
    package let image: ImageShape
    /// What the results are.
    package let output: Output
    /// Applied to the sums.
    package let epilogue: Epilogue
    /// Keeps the weights in memory, their sums, their scales and the bias.
    private let constants: [FloatWeights]
    fileprivate let kernel: hk_byte_convolution
    fileprivate let parts: [hk_part]

    /// - Parameters:
    ///   - weights: packed by `ByteConvolutionShape.pack`.
    ///   - sums: of all weights of an output, `channelCount` whole numbers.
    ///   - scales: the input's scale times that of an output's weights, `channelCount` values.
    ///   - bias: `channelCount` values.
    /// - Throws: `ComputeError.shapeMismatch`, also if the input's border is narrower than the window's padding.
    package init(
        _ shape: ByteConvolutionShape, input: CodeShape, output: Output, weights: FloatWeights, sums: FloatWeights,
        scales: FloatWeights, bias: FloatWeights? = nil, epilogue: Epilogue = Epilogue()
    ) throws(ComputeError) {
        let (window, border) = (shape.window, input.border)
        let size = try window.output(height: input.image.height, width: input.image.width)
        let image = try ImageShape(
            batch: input.image.batch, channels: shape.outputChannels, height: size.height, width: size.width)
        guard input.image.channels == shape.inputChannels else {
            throw .shapeMismatch(
                what: "channels of codes", expected: shape.inputChannels, found: input.image.channels)
        }
        guard window.top <= border.top, window.left <= border.left, window.bottom <= border.bottom,
            window.right <= border.right
        else { throw .shapeMismatch(what: "border of codes", expected: window.top, found: border.top) }
        try weights.require("packed weights", shape.packedCount)
        for values in [sums, scales] + (bias.map { [$0] } ?? []) {
            try values.require("values per output", shape.channelCount)
        }
        var kernel = shape.kernel
        kernel.input = input.kernel(nil)
        kernel.weights = UnsafeRawPointer(weights.base).assumingMemoryBound(to: Int8.self)
        kernel.sums = sums.base
        kernel.scales = scales.base
        kernel.epilogue = epilogue.kernel(bias: bias, residual: nil)
        kernel.output_height = image.height
        kernel.output_width = image.width
        switch output {
        case .codes(let codes):
            guard codes.image == image else {
                throw .shapeMismatch(
                    what: "codes of a convolution", expected: image.plainCount, found: codes.image.plainCount)
            }
            guard epilogue.residual == .none else {
                throw .shapeMismatch(what: "residuals of a convolution to codes", expected: 0, found: 1)
            }
            kernel.codes = codes.kernel(nil)
        case .blocked:
            kernel.output_position = ImageShape.block
            kernel.output_block = image.positions * ImageShape.block
            kernel.output_image = image.blockedCount / image.batch
        case .rows:
            kernel.output_position = image.channels
            kernel.output_block = ImageShape.block
            kernel.output_image = image.plainCount / image.batch
        }
        let descriptor = kernel
        parts = plannedParts { parts, capacity in
            // Planning changes the kernel: each call begins with the same one.
            kernel = descriptor
            return hk_plan_byte_convolution(&kernel, image.batch, parts, capacity)
        }
        self.input = input
        self.image = image
        self.output = output
        self.epilogue = epilogue
        self.kernel = kernel
        constants = [weights, sums, scales] + (bias.map { [$0] } ?? [])
    }

    /// Number of values of memory that results take.
    fileprivate var outputCount: Int {
        switch output {
        case .codes(let codes): codes.floatCount
        case .blocked: image.blockedCount
        case .rows: image.plainCount
        }
    }
}

extension Compute {
    /// Convolves codes.
    /// - Parameter residual: in the layout of the output, which has to be floats; may be the output itself.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func convolve(
        _ convolution: ByteConvolution, _ input: FloatRegion, residual: FloatRegion? = nil, into output: FloatRegion
    ) throws(ComputeError) {
        try input.require("codes", atLeast: convolution.input.floatCount)
        try output.require("output of a convolution", atLeast: convolution.outputCount)
        try convolution.epilogue.check(residual: residual, count: convolution.outputCount)
        var kernel = convolution.kernel
        kernel.input.bytes = UnsafeMutableRawPointer(input.base).assumingMemoryBound(to: UInt8.self)
        if case .codes = convolution.output {
            kernel.codes.bytes = UnsafeMutableRawPointer(output.base).assumingMemoryBound(to: UInt8.self)
        } else {
            kernel.output = output.base
        }
        if convolution.epilogue.residual != .none { kernel.epilogue.residual = residual.map { UnsafePointer($0.base) } }
        run(kernel, convolution.parts) { $0.bytes.pointee.convolve($1, $2) }
    }
}
