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
