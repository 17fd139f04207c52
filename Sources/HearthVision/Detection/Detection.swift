public import HearthImages

/// An object detected in an image.
public struct Detection: Sendable, Equatable {
    /// The class of the object.
    public var label: String
    /// The confidence, 0 to 1.
    public var confidence: Float
    /// The box in the upright image (EXIF orientation applied), as fractions of its width and height, 0 to 1, with the origin
    /// at the **top left** and y growing downwards.
    ///
    /// Apple's Vision has its origin at the bottom left: y is 1 − y − height there.
    public var box: ImageBox

    /// Creates a detection.
    package init(label: String, confidence: Float, box: ImageBox) {
        self.label = label
        self.confidence = confidence
        self.box = box
    }
}
