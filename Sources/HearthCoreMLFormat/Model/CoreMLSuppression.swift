/// The last model of a detector: of boxes that overlap it keeps the most confident. Read-only.
///
/// Fields and rules are those of Core ML's `NonMaximumSuppression.proto`: scores are [boxes, classes], coordinates
/// [boxes, 4] with centre x, centre y, width and height.
package struct CoreMLSuppression: Sendable, Equatable {
    /// Of two boxes that overlap by more than this (intersection over union), the better one stays.
    package private(set) var intersectionOverUnion = 0.0
    /// Least confidence of a box in its best class.
    package private(set) var confidence = 0.0
    /// Whether a box only suppresses boxes of its own class.
    package private(set) var isPerClass = false
    /// The classes, in the order of the scores; nil where the model does not name them.
    package private(set) var labels: NeuralNetwork.Labels?
    /// The feature that holds the scores.
    package private(set) var confidenceInput = ""
    /// The feature that holds the boxes.
    package private(set) var coordinatesInput = ""
    /// An input that takes the place of `intersectionOverUnion`; empty for none.
    package private(set) var intersectionOverUnionInput = ""
    /// An input that takes the place of `confidence`; empty for none.
    package private(set) var confidenceThresholdInput = ""
    /// The output with the scores that stay.
    package private(set) var confidenceOutput = ""
    /// The output with the boxes that stay.
    package private(set) var coordinatesOutput = ""
    package var origin = WireOrigin()
}

extension CoreMLSuppression: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: isPerClass = try Self.isPerClass(field)
            case 100: labels = .strings(try NeuralNetwork.strings(field))
            case 101: labels = .integers(try NeuralNetwork.integers(field))
            case 110: intersectionOverUnion = try field.double("iouThreshold")
            case 111: confidence = try field.double("confidenceThreshold")
            case 200: confidenceInput = try field.string("confidenceInputFeatureName")
            case 201: coordinatesInput = try field.string("coordinatesInputFeatureName")
            case 202: intersectionOverUnionInput = try field.string("iouThresholdInputFeatureName")
            case 203: confidenceThresholdInput = try field.string("confidenceThresholdInputFeatureName")
            case 210: confidenceOutput = try field.string("confidenceOutputFeatureName")
            case 211: coordinatesOutput = try field.string("coordinatesOutputFeatureName")
            default: origin.keep(field)
            }
        }
        // Converters leave a threshold of 0 out; values outside 0 to 1 are ignored.
        for (name, value) in [("iouThreshold", intersectionOverUnion), ("confidenceThreshold", confidence)]
        where !(0...1).contains(value) {
            throw .malformed(name, "\(value) is not between 0 and 1")
        }
        origin.settle(input)
    }

    private static func isPerClass(_ field: WireField) throws(WireFault) -> Bool {
        var result = false
        var reader = WireReader(try field.input.child(field.bytes("pickTop")))
        while let inner = try reader.next() {
            if inner.number == 1 { result = try inner.bool("perClass") }
        }
        return result
    }

    // Only ever written as it was read.
    package func encode(into writer: inout WireWriter) {}
}
