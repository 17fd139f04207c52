/// Something that a model found in a picture.
public struct Detection: Sendable, Equatable {
    /// What it is.
    public var label: String
    /// 0 to 1.
    public var confidence: Float
    /// Where it is in the picture as a person sees it, EXIF orientation applied: 0 to 1 of its width and height, origin at the
    /// **top left**, y growing downwards.
    ///
    /// Apple's Vision has its origin at the bottom left: there y is 1 − y − height.
    public var box: ImageBox

    /// A find.
    package init(label: String, confidence: Float, box: ImageBox) {
        self.label = label
        self.confidence = confidence
        self.box = box
    }
}

extension ImageBox {
    /// Its area; none where a side is negative.
    public var area: Double { max(0, width) * max(0, height) }

    /// The part that both have, of all that either has, 0 to 1 (intersection over union, the Jaccard index); 0 where they do
    /// not overlap.
    public func intersectionOverUnion(_ other: ImageBox) -> Double {
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
