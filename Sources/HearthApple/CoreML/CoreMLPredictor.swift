public import HearthCoreML

/// A loaded Core ML model, whatever runs it. `ImageClassifier` and `ImageDetector` make its inputs and read its outputs.
public protocol CoreMLPredictor: Sendable {
    /// What goes in and comes out.
    var interface: CoreMLInterface { get }
    /// The results for some inputs, by name. Cancelling the task ends the inference.
    /// - Throws: `CoreMLError` for inputs that do not fit and results that are not finite; `CancellationError`.
    func predict(_ inputs: [String: CoreMLTensor]) async throws -> [String: CoreMLTensor]
}

extension CoreMLSession: CoreMLPredictor {}

extension CoreMLPredictor {
    /// Inputs of grey pictures and halves, to try a model with.
    package var dummyInputs: [String: CoreMLTensor] {
        Dictionary(
            interface.inputs.map { input in
                (input.name, CoreMLTensor(shape: input.shape, repeating: input.image == nil ? 0.5 : 127))
            }, uniquingKeysWith: { first, _ in first })
    }
}
