/// How an image is fitted to a different size and aspect ratio, with the names and meanings of Apple's Vision
/// (`VNImageCropAndScaleOption`).
public enum CropAndScale: String, Sendable, CaseIterable {
    /// Scales the shorter side to fit, preserving the aspect ratio, and crops both ends of the longer side.
    case centerCrop
    /// Scales the whole image to fit, preserving the aspect ratio, centered on black.
    case scaleFit
    /// Stretches both sides to fit: nothing is cropped, and the aspect ratio changes.
    case scaleFill

    /// Computes the source region and its position in the target. Source regions are exact, to fractions of a pixel; the
    /// position for `scaleFit` is in whole pixels, with sides rounded to the nearest integer of at least 1, and the left and
    /// top margins rounded down.
    /// - Parameters:
    ///   - width: the width of the upright image, at least 1.
    ///   - height: its height, at least 1.
    ///   - target: the target size.
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
    /// The number of pixels in a row, at least 1.
    package var width: Int
    /// The number of rows, at least 1.
    package var height: Int

    /// Creates a size of at least one pixel per side; smaller numbers count as 1.
    package init(width: Int, height: Int) { (self.width, self.height) = (max(1, width), max(1, height)) }
}

/// The source region and target position of ``CropAndScale``, and the inverse mapping.
package struct CropPlan: Sendable, Equatable {
    /// The size of the target image.
    package var target: ImageSize
    /// The region of the upright image that is used, in its pixels.
    package var source: ImageBox
    /// The number of target columns to the left of the region.
    package var left: Int
    /// The number of target rows above the region.
    package var top: Int
    /// The number of target columns that the region fills.
    package var columns: Int
    /// The number of target rows that the region fills.
    package var rows: Int

    /// Maps a box in the target to the upright image, in its pixels. The result may extend beyond the image if the box extends
    /// into the margin.
    /// - Parameter box: as fractions of the target's sides, from its top left corner.
    package func picture(_ box: ImageBox) -> ImageBox {
        let across = source.width / Double(columns)
        let down = source.height / Double(rows)
        return ImageBox(
            x: source.x + (box.x * Double(target.width) - Double(left)) * across,
            y: source.y + (box.y * Double(target.height) - Double(top)) * down,
            width: box.width * Double(target.width) * across, height: box.height * Double(target.height) * down)
    }
}
