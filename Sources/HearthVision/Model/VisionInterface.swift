internal import HearthFormats

/// What goes into a model and what comes out, without the network: all that a caller of a loaded model needs to know.
public struct VisionInterface: Sendable, Equatable, Codable {
    /// The path of the model, as it was given when it was opened or compiled.
    public let path: String
    /// What goes in, in the model's order.
    public let inputs: [VisionModel.Input]
    /// What comes out, in the model's order.
    public let outputs: [VisionModel.Output]
    /// The classes of a classifier.
    public let labels: VisionLabels?
    /// What people and tools wrote into the model: its author, its licence, a detector's classes.
    public let metadata: [String: String]
    /// For each output, the place of its tensor among the network's results.
    let positions: [Int]

    /// The inputs as the network takes them, in its order, checked and rounded to their types.
    /// - Throws: `VisionError` for inputs that are missing, unknown, of another shape or not finite.
    func prepared(_ given: [String: VisionTensor]) throws -> [VisionTensor] {
        for name in given.keys.sorted() where !inputs.contains(where: { $0.name == name }) {
            throw VisionError.unknownInput(name: name, inputs: inputs.map(\.name))
        }
        return try inputs.map { input in
            guard let tensor = given[input.name] else { throw VisionError.missingInput(name: input.name) }
            guard tensor.shape == input.shape, tensor.values.count == GraphShape.count(tensor.shape) else {
                throw VisionError.inputShape(name: input.name, expected: input.shape, found: tensor.shape)
            }
            if let index = tensor.values.firstIndex(where: { !$0.isFinite }) {
                throw VisionError.nonFiniteInput(name: input.name, index: index)
            }
            return VisionTensor(shape: tensor.shape, values: Self.rounded(tensor.values, to: input.type))
        }
    }

    private static func rounded(_ values: [Float], to type: MILDataType) -> [Float] {
        if type == .float16 { return values.map(HalfPrecision.rounded) }
        if type == .bool { return values.map { $0 == 0 ? 0 : 1 } }
        return type.isInteger ? values.map { $0.rounded(.towardZero) } : values
    }

    /// The network's results under the names of the outputs; a classifier's label is made of its probabilities.
    /// - Throws: `VisionError.nonFiniteOutput`.
    func named(_ results: [VisionTensor]) throws -> [String: VisionTensor] {
        var named: [String: VisionTensor] = [:]
        for (output, position) in zip(outputs, positions) where results.indices.contains(position) {
            let result = results[position]
            if let index = result.values.firstIndex(where: { !$0.isFinite }) {
                throw VisionError.nonFiniteOutput(name: output.name, index: index)
            }
            switch output.kind {
            case .tensor: named[output.name] = result
            case .probabilities: named[output.name] = VisionTensor(shape: output.shape, values: result.values)
            case .label: named[output.name] = VisionTensor(shape: [], values: [label(result.values)])
            }
        }
        return named
    }

    /// The best class, the first one of equals.
    private func label(_ probabilities: [Float]) -> Float {
        var best = 0
        for (index, value) in probabilities.enumerated() where value > probabilities[best] { best = index }
        if case .integers(let labels)? = labels, labels.indices.contains(best) { return Float(labels[best]) }
        return Float(best)
    }
}
