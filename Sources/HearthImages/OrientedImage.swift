/// A decoded image: pixels in the order in which the file stores them, and their orientation.
///
/// The image is rotated after it was scaled to a model's input, because rotating a small image is cheaper.
public struct OrientedImage: Sendable, Equatable {
    /// The pixels, not yet rotated. Fewer than the file has, by `reduction` along both axes, if less was enough.
    package let pixels: PixelImage
    /// Their orientation.
    package let orientation: ImageOrientation
    /// How many pixels of the file one decoded pixel stands for, along each axis: 1, 2, 4 or 8. The last column and the last row
    /// may stand for fewer.
    package let reduction: Int
    /// Width of the file's pixels, before they are turned.
    let storedWidth: Int
    /// Height of the file's pixels, before they are turned.
    let storedHeight: Int

    /// Pixels as they are to be shown, or as a camera gives them together with its orientation.
    package init(_ pixels: PixelImage, orientation: ImageOrientation = .topLeft) {
        self.init(
            pixels, orientation: orientation, reduction: 1, storedWidth: pixels.width, storedHeight: pixels.height)
    }

    init(
        _ pixels: PixelImage, orientation: ImageOrientation, reduction: Int, storedWidth: Int, storedHeight: Int
    ) {
        (self.pixels, self.orientation, self.reduction) = (pixels, orientation, reduction)
        (self.storedWidth, self.storedHeight) = (storedWidth, storedHeight)
    }

    /// Width in pixels of the upright image, in full resolution.
    public var width: Int { orientation.isTransposed ? storedHeight : storedWidth }
    /// Height in pixels of the upright image, in full resolution.
    public var height: Int { orientation.isTransposed ? storedWidth : storedHeight }

    /// The pixels as they are to be shown.
    package var upright: PixelImage { orientation.upright(pixels) }
}
