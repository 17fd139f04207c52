internal import CHearthKernels

/// A tensor of 8-bit codes: [batch][row][column][channel], value = (code − zero) · scale.
///
/// A border of rows and columns with the code of zero takes the place of the padding of the convolutions that read it.
package struct CodeShape: Hashable, Sendable {
    /// The sizes without the border. A matrix is one row of as many columns as it has rows, its columns are the channels.
    package let image: ImageShape
    /// Rows above, columns on the left, rows below and columns on the right.
    package let border: (top: Int, left: Int, bottom: Int, right: Int)
    /// What a step of the code is worth.
    package let scale: Float
    /// The code of zero.
    package let zero: Int
    /// The codes that values are rounded to.
    package let codes: ClosedRange<Int>

    /// The widest border.
    package static let mostBorder = 1024

    /// - Throws: `ComputeError.shapeMismatch` for borders, codes and scales that cannot be.
    package init(
        _ image: ImageShape, border: (top: Int, left: Int, bottom: Int, right: Int) = (0, 0, 0, 0), scale: Float,
        zero: Int, codes: ClosedRange<Int> = 0...255
    ) throws(ComputeError) {
        for size in [border.top, border.left, border.bottom, border.right] where !(0...Self.mostBorder).contains(size) {
            throw .shapeMismatch(what: "border of codes", expected: Self.mostBorder, found: size)
        }
        guard (0...255).contains(zero), codes.lowerBound >= 0, codes.upperBound <= 255 else {
            throw .shapeMismatch(what: "code of zero", expected: 255, found: zero)
        }
        // The reciprocal is used as well.
        guard scale > 0, scale.isNormal, (1 / scale).isNormal else {
            throw .shapeMismatch(what: "scale of codes", expected: 1, found: 0)
        }
        self.image = image
        self.border = border
        self.scale = scale
        self.zero = zero
        self.codes = codes
    }

    /// Number of values of memory, four codes each.
    package var floatCount: Int {
        let rows = border.top + image.height + border.bottom
        let columns = border.left + image.width + border.right
        return (image.batch * rows * columns * channels + Int(HK_CODES_MARGIN)) / 4
    }

    /// Channels of a position in memory.
    var channels: Int { (image.channels + 3) / 4 * 4 }

    func kernel(_ region: FloatRegion?) -> hk_codes {
        hk_codes(
            bytes: region.map { UnsafeMutableRawPointer($0.base).assumingMemoryBound(to: UInt8.self) },
            height: image.height, width: image.width, channels: channels, top: border.top, left: border.left,
            bottom: border.bottom, right: border.right, scale: scale, zero: Int32(zero),
            lowest: Int32(codes.lowerBound), highest: Int32(codes.upperBound))
    }

    package static func == (a: CodeShape, b: CodeShape) -> Bool {
        a.image == b.image && a.border == b.border && a.scale == b.scale && a.zero == b.zero && a.codes == b.codes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(image)
        hasher.combine(scale)
        hasher.combine(zero)
    }
}

/// Conversions between floats and codes, and sums of codes. Sizes are checked on every call; an output may not overlap an input.
extension Compute {
    /// Rounds floats to codes: halves to even, within the range of the codes; NaN becomes the highest code.
    /// - Parameter isBlocked: whether the input is blocked; otherwise its channels are the innermost dimension.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func quantize(
        _ shape: CodeShape, _ input: FloatRegion, isBlocked: Bool, into output: FloatRegion
    ) throws(ComputeError) {
        try input.require(
            "input of a quantization", atLeast: isBlocked ? shape.image.blockedCount : shape.image.plainCount)
        try output.require("codes", atLeast: shape.floatCount)
        let picture = hk_coded_picture(
            floats: input.base, codes: shape.kernel(output), channels: shape.image.channels, blocked: isBlocked)
        let parts = codeParts(shape.image)
        run(
            Parts(kernels: kernels, descriptor: picture, parts: parts) { $0.bytes.pointee.quantize($1, $2) },
            count: parts.count)
    }

    /// The values of codes.
    /// - Parameter isBlocked: whether the output is blocked; otherwise its channels are the innermost dimension.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func dequantize(
        _ shape: CodeShape, _ input: FloatRegion, isBlocked: Bool, into output: FloatRegion
    ) throws(ComputeError) {
        try input.require("codes", atLeast: shape.floatCount)
        try output.require(
            "output of a dequantization", atLeast: isBlocked ? shape.image.blockedCount : shape.image.plainCount)
        let picture = hk_coded_picture(
            floats: output.base, codes: shape.kernel(input), channels: shape.image.channels, blocked: isBlocked)
        let parts = codeParts(shape.image)
        run(
            Parts(kernels: kernels, descriptor: picture, parts: parts) { $0.bytes.pointee.dequantize($1, $2) },
            count: parts.count)
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
        try x.region.require("codes", atLeast: x.shape.floatCount)
        try y.region.require("codes", atLeast: y.shape.floatCount)
        try output.require("codes", atLeast: shape.floatCount)
        let (f, a, b) = function.kernel
        let sum = hk_code_sum(
            x: x.shape.kernel(x.region), y: y.shape.kernel(y.region), output: shape.kernel(output),
            channels: shape.image.channels, function: f, a: a, b: b)
        let parts = codeParts(shape.image)
        run(
            Parts(kernels: kernels, descriptor: sum, parts: parts) { $0.bytes.pointee.add($1, $2) },
            count: parts.count)
    }

    /// Rows of a picture, all channels of each.
    private func codeParts(_ image: ImageShape) -> [hk_part] {
        let rowFloats = 2 * image.width * image.channels
        let count = hk_plan_rows(image.batch, 1, image.height, image.width, rowFloats, nil, 0)
        return [hk_part](unsafeUninitializedCapacity: count) { parts, initialized in
            initialized = hk_plan_rows(
                image.batch, 1, image.height, image.width, rowFloats, parts.baseAddress, count)
        }
    }
}
