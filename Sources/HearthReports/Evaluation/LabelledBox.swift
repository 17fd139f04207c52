/// A labelled object in a picture. In pixels from the top left corner, as in COCO's annotations.
///
/// In a results file it is an array: class, 1 for a crowd or 0, x, y, width, height.
package struct LabelledBox: Sendable, Equatable {
    /// The index of its class.
    package var label: Int
    /// Whether it surrounds a group of objects, in which detections neither count nor are missed.
    package var isCrowd: Bool
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(label: Int, isCrowd: Bool = false, x: Double, y: Double, width: Double, height: Double) {
        (self.label, self.isCrowd, self.x, self.y, self.width, self.height) = (label, isCrowd, x, y, width, height)
    }
}

/// An object that a model found in a picture, in the same units.
///
/// In a results file it is an array: class, confidence, x, y, width, height.
package struct FoundBox: Sendable, Equatable {
    /// The index of its class.
    package var label: Int
    package var confidence: Double
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(label: Int, confidence: Double, x: Double, y: Double, width: Double, height: Double) {
        (self.label, self.confidence) = (label, confidence)
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Intersection over union; with a crowd, the share of this box that lies in it.
    func overlap(with other: LabelledBox) -> Double {
        let across = min(width + x, other.width + other.x) - max(x, other.x)
        let down = min(height + y, other.height + other.y) - max(y, other.y)
        guard across > 0, down > 0 else { return 0 }
        let (common, area) = (across * down, width * height)
        return common / (other.isCrowd ? area : area + other.width * other.height - common)
    }
}

extension LabelledBox: Codable {
    package init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        label = try values.decode(Int.self)
        isCrowd = try values.decode(Int.self) != 0
        (x, y) = (try values.decode(Double.self), try values.decode(Double.self))
        (width, height) = (try values.decode(Double.self), try values.decode(Double.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(label)
        try values.encode(isCrowd ? 1 : 0)
        for value in [x, y, width, height] { try values.encode(value) }
    }
}

extension FoundBox: Codable {
    package init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        label = try values.decode(Int.self)
        confidence = try values.decode(Double.self)
        (x, y) = (try values.decode(Double.self), try values.decode(Double.self))
        (width, height) = (try values.decode(Double.self), try values.decode(Double.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(label)
        for value in [confidence, x, y, width, height] { try values.encode(value) }
    }
}
