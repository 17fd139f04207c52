internal import CHearthKernels

/// The order of the floats beside codes.
package enum CodedFloats: Sendable {
    /// [image][channels / 16][height][width][16].
    case blocked
    /// [image][channel][height][width].
    case planes
    /// The channels are the innermost dimension.
    case channelsLast
}

/// Conversions between floats and codes, and sums of codes. Sizes are checked on every call; an output may not overlap an input.
extension Compute {
    /// Rounds floats to codes: halves to even, within the range of the codes; NaN becomes the highest code.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func quantize(
        _ shape: CodeShape, _ input: FloatRegion, _ order: CodedFloats, into output: FloatRegion
    ) throws(ComputeError) {
        try convert(shape, floats: input, codes: output, order) { $0.bytes.pointee.quantize($1, $2) }
    }

    /// The values of codes.
    /// - Parameter isBlocked: whether the output is blocked; otherwise its channels are the innermost dimension.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func dequantize(
        _ shape: CodeShape, _ input: FloatRegion, isBlocked: Bool, into output: FloatRegion
    ) throws(ComputeError) {
        try convert(shape, floats: output, codes: input, isBlocked ? .blocked : .channelsLast) {
            $0.bytes.pointee.dequantize($1, $2)
        }
    }

    /// output = function(x + y) of codes of the same sizes.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func addCodes(
        _ x: (shape: CodeShape, region: FloatRegion), _ y: (shape: CodeShape, region: FloatRegion),
        function: ElementFunction, _ shape: CodeShape, into output: FloatRegion
    ) throws(ComputeError) {
        guard x.shape.image == shape.image, y.shape.image == shape.image else {
            throw .shapeMismatch(
                what: "values of a sum of codes", expected: shape.image.plainCount, found: x.shape.image.plainCount)
        }
        let (f, a, b) = function.kernel
        let sum = hk_code_sum(
            x: try x.shape.kernel(checking: x.region), y: try y.shape.kernel(checking: y.region),
            output: try shape.kernel(checking: output), channels: shape.image.channels, function: f, a: a, b: b)
        run(sum, parts(of: shape)) { $0.bytes.pointee.add($1, $2) }
    }

    private func convert(
        _ shape: CodeShape, floats: FloatRegion, codes: FloatRegion, _ order: CodedFloats,
        call: @escaping (hk_vision_kernels, UnsafePointer<hk_coded_picture>, UnsafePointer<hk_part>) -> Void
    ) throws(ComputeError) {
        try floats.require(
            "floats of a conversion of codes",
            atLeast: order == .blocked ? shape.image.blockedCount : shape.image.plainCount)
        let picture = hk_coded_picture(
            floats: floats.base, codes: try shape.kernel(checking: codes), channels: shape.image.channels,
            blocked: order == .blocked, planes: order == .planes)
        run(picture, parts(of: shape), call: call)
    }

    /// Rows of an image, all channels of each.
    private func parts(of shape: CodeShape) -> [hk_part] {
        rowParts(shape.image, blocks: 1, rowFloats: 2 * shape.image.width * shape.image.channels)
    }
}

extension CodeShape {
    /// - Throws: `ComputeError.shapeMismatch` if the region is too small.
    fileprivate func kernel(checking region: FloatRegion) throws(ComputeError) -> hk_codes {
        try region.require("codes", atLeast: floatCount)
        return kernel(region)
    }
}
