/// A rectangle in an image, from its top left corner. Units are pixels or fractions of a side, depending on the context.
public struct ImageBox: Sendable, Equatable {
    /// Left edge.
    public var x: Double
    /// Top edge.
    public var y: Double
    /// Width.
    public var width: Double
    /// Height.
    public var height: Double

    /// Creates a rectangle from its top left corner and size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

extension ImageBox {
    /// The area; 0 if a side is negative.
    package var area: Double { max(0, width) * max(0, height) }

    /// Intersection over union (the Jaccard index) of two boxes, 0 to 1.
    package func intersectionOverUnion(_ other: ImageBox) -> Double {
        let width = min(x + self.width, other.x + other.width) - max(x, other.x)
        let height = min(y + self.height, other.y + other.height) - max(y, other.y)
        guard width > 0, height > 0 else { return 0 }
        let common = width * height
        let union = area + other.area - common
        return union > 0 ? min(1, common / union) : 0
    }

    /// The part within 0 to 1 along both axes; nil if there is none.
    package var clippedToUnit: ImageBox? {
        let (left, top) = (max(0, x), max(0, y))
        let (right, bottom) = (min(1, x + width), min(1, y + height))
        guard right > left, bottom > top else { return nil }
        return ImageBox(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Maps a box from a model's input image to the original image, both as fractions of the sides. The result may extend
    /// beyond the image.
    /// - Parameters:
    ///   - width: the width of the original image in pixels.
    ///   - height: its height in pixels.
    package func mapped(by plan: CropPlan, width: Int, height: Int) -> ImageBox {
        let box = plan.picture(self)
        let (width, height) = (Double(width), Double(height))
        return ImageBox(x: box.x / width, y: box.y / height, width: box.width / width, height: box.height / height)
    }
}
