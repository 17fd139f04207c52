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

    /// A rectangle with its top left corner and size.
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

    /// What of it lies within 0 to 1 along both axes; nil where nothing does.
    package var clippedToUnit: ImageBox? {
        let (left, top) = (max(0, x), max(0, y))
        let (right, bottom) = (min(1, x + width), min(1, y + height))
        guard right > left, bottom > top else { return nil }
        return ImageBox(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// A box in shares of a model's input picture, as shares of the picture that this was made of. It may reach beyond it.
    /// - Parameters:
    ///   - width: of the picture, like `height`, in pixels.
    package func mapped(by plan: CropPlan, width: Int, height: Int) -> ImageBox {
        let box = plan.picture(self)
        let (width, height) = (Double(width), Double(height))
        return ImageBox(x: box.x / width, y: box.y / height, width: box.width / width, height: box.height / height)
    }
}
