/// What knowledge of a layer's inputs is used for; each is of use by itself, and the later ones build on the earlier ones.
package struct CalibrationSteps: OptionSet, Sendable, Hashable {
    /// The steps as bits.
    package let rawValue: Int

    /// Steps from bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Levels are chosen for weights in proportion to the mean square of what they are multiplied with.
    package static let importance = CalibrationSteps(rawValue: 1)
    /// Codes make up for each other's errors, and levels are fitted to the codes.
    package static let compensation = CalibrationSteps(rawValue: 2)
    /// Biases take up what shifts a layer's mean output.
    package static let bias = CalibrationSteps(rawValue: 4)
    /// Weights aim at the outputs of the original model for the inputs that the layer has in the smaller one.
    package static let drift = CalibrationSteps(rawValue: 8)

    /// All of them.
    package static let all: CalibrationSteps = [.importance, .compensation, .bias, .drift]
    /// Their names, in the order in which they build on each other.
    package static let names: [(name: String, step: CalibrationSteps)] = [
        ("importance", .importance), ("compensation", .compensation), ("bias", .bias), ("drift", .drift),
    ]
}
