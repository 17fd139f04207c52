internal import CHearthKernels

/// Operations on images: convolutions, pooling, and layout conversions. Sizes are checked on every call, which takes
/// nanoseconds; nothing allocates where scratch is handed in. An output may not overlap an input unless stated otherwise.
extension Compute {
    /// Creates a compute for operations on images and plain float32 tensors.
    /// - Throws: `ComputeError.outOfMemory`, `.threadsUnavailable`.
    package convenience init(kernels: KernelSet, threads: Int) throws(ComputeError) {
        try self.init(kernels: kernels, threads: threads, maximumRows: 1, maximumColumns: 256)
    }

    /// Convolves a blocked (or plain, according to the shape) input to a blocked output, or a plain one in the form `planes`.
    /// - Parameters:
    ///   - residual: in the layout of the output; may be the output itself if it is added before the function.
    ///   - scratch: `scratchCount` values; allocated where it is nil.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func convolve(
        _ convolution: Convolution, _ input: FloatRegion, residual: FloatRegion? = nil, scratch: FloatRegion? = nil,
        into output: FloatRegion
    ) throws(ComputeError) {
        let shape = convolution.shape
        let results = shape.form == .planes ? shape.output.plainCount : shape.output.blockedCount
        try input.require(
            "input of a convolution", atLeast: shape.inputIsPlain ? shape.input.plainCount : shape.input.blockedCount)
        try output.require("output of a convolution", atLeast: results)
        try convolution.epilogue.check(residual: residual, count: results)
        let epilogue = convolution.epilogue.kernel(bias: convolution.bias, residual: residual)
        if shape.form == .depthwise {
            var kernel = convolution.depthwise
            kernel.input = UnsafePointer(input.base)
            kernel.output = output.base
            kernel.weights = convolution.weights.base
            kernel.epilogue = epilogue
            run(kernel, convolution.parts) { $0.convolve_depthwise($1, $2) }
        } else {
            var kernel = convolution.direct
            kernel.input = UnsafePointer(input.base)
            kernel.output = output.base
            kernel.weights = convolution.weights.base
            kernel.epilogue = epilogue
            guard shape.form != .planes else {
                return run(kernel, convolution.parts) { $0.convolve_planes($1, $2) }
            }
            let count = convolution.scratchCount
            guard count > 0 else { return run(kernel, convolution.parts) { $0.convolve($1, $2) } }
            let transformed: FloatRegion
            if let scratch { transformed = scratch } else { transformed = try FloatRegion(count: count) }
            try transformed.require("scratch of a convolution", atLeast: count)
            kernel.transformed = UnsafePointer(transformed.base)
            eachPart(shape.output.blocks) { [kernels] block in
                withUnsafePointer(to: kernel) {
                    kernels.vision.transform_weights($0, block, block + 1, transformed.base)
                }
            }
            withExtendedLifetime(transformed.buffer) { run(kernel, convolution.parts) { $0.convolve($1, $2) } }
        }
    }

    /// Pools a blocked input to a blocked output.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func pool(_ pooling: Pooling, _ input: FloatRegion, into output: FloatRegion) throws(ComputeError) {
        try input.require("input of a pooling", atLeast: pooling.input.blockedCount)
        try output.require("output of a pooling", atLeast: pooling.output.blockedCount)
        var kernel = pooling.kernel
        kernel.input = UnsafePointer(input.base)
        kernel.output = output.base
        run(kernel, pooling.parts) { $0.pool($1, $2) }
    }

    /// The mean of each channel over all positions of a blocked image: [batch][blocks][height][width][16] to [batch][blocks][16].
    /// - Throws: `ComputeError.shapeMismatch`.
    package func average(_ shape: ImageShape, _ input: FloatRegion, into output: FloatRegion) throws(ComputeError) {
        try input.require("input of a mean", atLeast: shape.blockedCount)
        try output.require("output of a mean", atLeast: shape.batch * shape.blocks * ImageShape.block)
        let x = UnsafePointer(input.base)
        forEachBlock(shape) { vision, block, _ in
            vision.average(x, shape.positions, block, block + 1, output.base)
        }
    }

    /// y = function(scale * x + shift), per channel of a blocked image; `output` may be `input`.
    /// - Parameters:
    ///   - scale: one value per channel, padded to whole blocks (with separate values for each image if `scalePerPicture`): the
    ///     channel scale of squeeze-and-excite. Nil is 1.
    ///   - shift: one value per channel, padded to whole blocks. Nil is 0.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func scaleChannels(
        _ shape: ImageShape, _ input: FloatRegion, scale: FloatWeights?, shift: FloatWeights?,
        scalePerPicture: Bool = false, function: ElementFunction = .identity, into output: FloatRegion
    ) throws(ComputeError) {
        let channels = shape.blocks * ImageShape.block
        try input.require("input of a scale", atLeast: shape.blockedCount)
        try output.require("output of a scale", atLeast: shape.blockedCount)
        try scale?.require("channel scales", scalePerPicture ? shape.batch * channels : channels)
        try shift?.require("channel shifts", channels)
        let (f, a, b) = function.kernel
        let size = shape.positions * ImageShape.block
        let blocks = shape.blocks
        forEachBlock(shape) { vision, block, _ in
            let lane = block % blocks * ImageShape.block
            let scaleLane = scalePerPicture ? block * ImageShape.block : lane
            vision.scale_shift(
                input.base + block * size, scale.map { $0.base + scaleLane }, shift.map { $0.base + lane },
                shape.positions, f, a, b, output.base + block * size)
        }
    }

    /// Converts from plain to blocked; lanes after the last channel are set to 0.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func toBlocked(_ shape: ImageShape, _ plain: FloatRegion, into blocked: FloatRegion) throws(ComputeError) {
        try plain.require("plain picture", atLeast: shape.plainCount)
        try blocked.require("blocked picture", atLeast: shape.blockedCount)
        let size = shape.positions * ImageShape.block
        forEachBlock(shape) { vision, block, start in
            vision.to_block(
                plain.base + start.channel * shape.positions, start.count, shape.positions, blocked.base + block * size)
        }
    }

    /// Converts from blocked to plain.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func fromBlocked(_ shape: ImageShape, _ blocked: FloatRegion, into plain: FloatRegion) throws(ComputeError)
    {
        try plain.require("plain picture", atLeast: shape.plainCount)
        try blocked.require("blocked picture", atLeast: shape.blockedCount)
        let size = shape.positions * ImageShape.block
        forEachBlock(shape) { vision, block, start in
            vision.from_block(
                blocked.base + block * size, start.count, shape.positions, plain.base + start.channel * shape.positions)
        }
    }

    /// Copies channels `from` ..< `from + count` of a blocked image to channels `to`, `to + step`, ... of another with the same
    /// positions: for concatenations, splits and shuffles. Whole blocks are copied directly. A concatenation whose parts start
    /// at multiples of 16 channels can instead be written in place by the operations that compute the parts.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func copyChannels(
        of source: ImageShape, _ input: FloatRegion, from: Int, count: Int, to: Int, step: Int = 1,
        of target: ImageShape, _ output: FloatRegion
    ) throws(ComputeError) {
        try input.require("input of a channel copy", atLeast: source.blockedCount)
        try output.require("output of a channel copy", atLeast: target.blockedCount)
        guard from >= 0, count >= 0, to >= 0, step > 0, step <= target.channels, from <= source.channels - count,
            to <= target.channels, source.batch == target.batch, source.positions == target.positions,
            count == 0 || to + (count - 1) * step < target.channels
        else { throw .shapeMismatch(what: "channels of a copy", expected: target.channels, found: count) }
        if count == 0 { return }
        let work = ChannelWork(
            kernels: kernels, input: UnsafePointer(input.base), output: output.base, from: from, count: count, to: to,
            step: step, inputSize: source.blockedCount / source.batch, outputSize: target.blockedCount / target.batch,
            positions: source.positions)
        run(work, count: source.batch * work.pieces)
    }

    /// Index of a block's first channel among all plain channels of the batch, and the number of channels that exist.
    typealias BlockStart = (channel: Int, count: Int)

    /// Runs a body for every block of every image, with `block` counting through the batch; small blocks are grouped into parts.
    private func forEachBlock(
        _ shape: ImageShape, _ body: (hk_vision_kernels, _ block: Int, BlockStart) -> Void
    ) {
        let total = shape.batch * shape.blocks
        let step = max(1, min((total + 15) / 16, 16384 / (shape.positions * ImageShape.block)))
        let table = kernels.vision
        let parts = (total + step - 1) / step
        eachPart(parts) { part in
            for block in part * step..<min((part + 1) * step, total) {
                let (picture, index) = block.quotientAndRemainder(dividingBy: shape.blocks)
                let first = index * ImageShape.block
                body(
                    table, block, (picture * shape.channels + first, min(ImageShape.block, shape.channels - first)))
            }
        }
    }
}

private struct ChannelWork: ParallelWork {
    let kernels: KernelSet
    let input: UnsafePointer<Float>
    let output: UnsafeMutablePointer<Float>
    let from, count, to, step, inputSize, outputSize, positions: Int

    /// Number of channels per piece: those of one output block, so that no two threads write the same values.
    private var stretch: Int { max(1, 64 / step) }
    var pieces: Int { (count + stretch - 1) / stretch }

    func run(_ index: Int) {
        let (picture, piece) = index.quotientAndRemainder(dividingBy: pieces)
        let first = piece * stretch
        var channels = hk_channels(
            input: input + picture * inputSize, output: output + picture * outputSize, input_first: from + first,
            output_first: to + first * step, output_step: step, count: min(stretch, count - first),
            positions: positions)
        kernels.vision.copy_channels(&channels)
    }
}
