internal import HearthCoreMLFormat

/// The classes of a classifier, in the order of its probabilities.
package enum CoreMLLabels: Sendable, Equatable, Codable {
    case strings([String])
    case integers([Int])

    /// How many.
    package var count: Int {
        switch self {
        case .strings(let labels): labels.count
        case .integers(let labels): labels.count
        }
    }

    /// A label as text.
    package subscript(_ index: Int) -> String {
        switch self {
        case .strings(let labels): labels[index]
        case .integers(let labels): String(labels[index])
        }
    }

    /// The labels of a network of layers.
    init(_ labels: NeuralNetwork.Labels) {
        switch labels {
        case .strings(let labels): self = .strings(labels)
        case .integers(let labels): self = .integers(labels)
        }
    }

    /// The value of `classes`: a list of texts or integers, or a tensor of them; nil for anything else.
    init?(_ value: MILValue, _ package: CoreMLPackage) throws {
        let parts = value.type.tensor == nil ? value.members : [value]
        guard parts.allSatisfy({ $0.type.tensor != nil }) else { return nil }
        let tensors = try parts.map { try package.tensor($0) }
        let texts = tensors.compactMap { $0.strings() }
        if texts.count == tensors.count {
            self = .strings(texts.flatMap { $0 })
            return
        }
        let integers = tensors.compactMap { $0.integers() }
        guard integers.count == tensors.count else { return nil }
        self = .integers(integers.flatMap { $0 })
    }
}
