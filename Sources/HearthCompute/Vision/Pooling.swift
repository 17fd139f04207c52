internal import CHearthKernels

/// Maximum or average pooling of a blocked image.
package struct Pooling: @unchecked Sendable {
    // Sendable: the descriptors' pointers are null, or refer to constant weights.
    /// The input's shape.
    package let input: ImageShape
    /// The output's shape.
    package let output: ImageShape
    package let window: ImageWindow
    /// Whether it is the mean, and whether padding counts in that.
    package let isAverage, countsPadding: Bool
    let kernel: hk_pooling
    let parts: [hk_part]

    /// - Parameters:
    ///   - window: its bottom and right padding matter only for an average that counts padding.
    ///   - outputHeight: may exceed the window's output height if sizes are rounded up; positions beyond the input are ignored.
    ///   - average: whether to compute the mean instead of the maximum.
    ///   - countsPadding: whether padding counts in the divisor of the mean.
    /// - Throws: `ComputeError.shapeMismatch`, also if an output position covers only padding.
    package init(
        input: ImageShape, window: ImageWindow, outputHeight: Int? = nil, outputWidth: Int? = nil,
        average: Bool, countsPadding: Bool = false
    ) throws(ComputeError) {
        try window.check()
        let height: Int
        let width: Int
        if let outputHeight, let outputWidth {
            (height, width) = (outputHeight, outputWidth)
        } else {
            let size = try window.output(height: input.height, width: input.width)
            (height, width) = (outputHeight ?? size.height, outputWidth ?? size.width)
        }
        output = try ImageShape(batch: input.batch, channels: input.channels, height: height, width: width)
        guard (height - 1) * window.strideY - window.top < input.height,
            (width - 1) * window.strideX - window.left < input.width
        else { throw .shapeMismatch(what: "output height of a pooling", expected: input.height, found: height) }
        self.input = input
        (self.window, isAverage, self.countsPadding) = (window, average, countsPadding)
        kernel = hk_pooling(
            input: nil, output: nil, window: window.kernel, average: average, counts_padding: countsPadding,
            bottom: window.bottom, right: window.right, blocks: input.blocks, height: input.height,
            width: input.width, output_height: height, output_width: width)
        parts = rowParts(output, rowFloats: ImageShape.block * (width + input.width * window.strideY))
    }
}
