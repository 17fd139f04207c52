public import HearthCoreML

/// A loaded Core ML model, independent of its backend. `ImageClassifier` and `ImageDetector` prepare its inputs and interpret
/// its outputs.
public protocol CoreMLPredictor: Sendable {
    /// The inputs and outputs of the model.
    var interface: CoreMLInterface { get }
    /// Returns the outputs for the given inputs, by name. Cancelling the task ends the inference.
    /// - Throws: `CoreMLError` for inputs that do not fit and results that are not finite; `CancellationError`.
    func predict(_ inputs: [String: CoreMLTensor]) async throws -> [String: CoreMLTensor]
}

extension CoreMLSession: CoreMLPredictor {}

extension CoreMLPredictor {
    /// Dummy inputs for a trial run: gray images, and tensors filled with 0.5.
    package var dummyInputs: [String: CoreMLTensor] {
        Dictionary(
            interface.inputs.map { input in
                (input.name, CoreMLTensor(shape: input.shape, repeating: input.image == nil ? 0.5 : 127))
            }, uniquingKeysWith: { first, _ in first })
    }
}
