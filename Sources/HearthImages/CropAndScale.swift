/// How an image is fitted to another size and shape, with the names and meanings of Apple's Vision
/// (`VNImageCropAndScaleOption`).
public enum CropAndScale: String, Sendable, CaseIterable {
    /// Scales the shorter side to fit, keeping the proportions, and crops both ends of the longer side.
    case centerCrop
    /// Scales the whole image to fit, keeping the proportions, centred on black.
    case scaleFit
    /// Stretches both sides to fit: nothing is cropped, and the proportions change.
    case scaleFill

    /// What of a picture goes where. Regions of a picture are exact, to fractions of a pixel; where `scaleFit` puts a
    /// picture is whole pixels, its sides rounded to the nearest and at least 1, the left and upper margin rounded down.
    /// - Parameters:
    ///   - width: of the upright picture, at least 1, like `height`.
    ///   - target: what is made of it.
    package func plan(width: Int, height: Int, to target: ImageSize) -> CropPlan {
        let (wide, high) = (Double(width), Double(height))
        let (newWide, newHigh) = (Double(target.width), Double(target.height))
        var source = ImageBox(x: 0, y: 0, width: wide, height: high)
        var (left, top, columns, rows) = (0, 0, target.width, target.height)
        switch self {
        case .scaleFill: break
        case .centerCrop:
            if wide * newHigh > high * newWide {
                source.width = high * newWide / newHigh
                source.x = (wide - source.width) / 2
            } else {
                source.height = wide * newHigh / newWide
                source.y = (high - source.height) / 2
            }
        case .scaleFit:
            if wide * newHigh > high * newWide {
                rows = min(target.height, max(1, Int((high * newWide / wide).rounded())))
                top = (target.height - rows) / 2
            } else {
                columns = min(target.width, max(1, Int((wide * newHigh / high).rounded())))
                left = (target.width - columns) / 2
            }
        }
        return CropPlan(target: target, source: source, left: left, top: top, columns: columns, rows: rows)
    }
}

/// A size in pixels.
package struct ImageSize: Sendable, Equatable {
    /// Pixels in a row, at least 1.
    package var width: Int
    /// Rows, at least 1.
    package var height: Int

    /// A size of at least one pixel; smaller numbers count as 1.
    package init(width: Int, height: Int) { (self.width, self.height) = (max(1, width), max(1, height)) }
}

/// Which region of a picture becomes which pixels of another: the arithmetic of ``CropAndScale``, and its inverse.
package struct CropPlan: Sendable, Equatable {
    /// The size of what is made.
    package var target: ImageSize
    /// The region of the upright picture that is used, in its pixels.
    package var source: ImageBox
    /// Columns of the target to the left of the region.
    package var left: Int
    /// Rows of the target above it.
    package var top: Int
    /// Columns of the target that the region becomes.
    package var columns: Int
    /// Rows of the target that the region becomes.
    package var rows: Int

    /// A box in the target as the box in the upright picture, in the picture's pixels. It may reach beyond the picture where
    /// the box reaches into the margin.
    /// - Parameter box: in shares of the target's sides, from its upper left corner.
    package func picture(_ box: ImageBox) -> ImageBox {
        let across = source.width / Double(columns)
        let down = source.height / Double(rows)
        return ImageBox(
            x: source.x + (box.x * Double(target.width) - Double(left)) * across,
            y: source.y + (box.y * Double(target.height) - Double(top)) * down,
            width: box.width * Double(target.width) * across, height: box.height * Double(target.height) * down)
    }
}
