/// A decoded image: pixels in the order in which the file stores them, and their orientation.
///
/// Rotation happens after scaling to a model's input, because rotating a small image is cheaper.
public struct OrientedImage: Sendable, Equatable {
    /// The pixels before rotation, reduced by `reduction` along both axes if fewer were sufficient.
    package let pixels: PixelImage
    /// The orientation of the pixels.
    package let orientation: ImageOrientation
    /// The number of file pixels per decoded pixel along each axis: 1, 2, 4 or 8. The last column and row may represent fewer.
    package let reduction: Int
    /// The width of the file's pixels before rotation.
    let storedWidth: Int
    /// The height of the file's pixels before rotation.
    let storedHeight: Int

    /// Creates an image from pixels in memory, for example from a camera, with their orientation.
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

    /// The pixels rotated for display.
    package var upright: PixelImage { orientation.upright(pixels) }
}
