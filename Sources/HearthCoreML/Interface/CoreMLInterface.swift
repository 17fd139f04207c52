package import HearthCoreMLFormat
import HearthSystem

/// The inputs and outputs of a model: all that is needed besides the network itself. A compiled artifact contains it, so that a
/// start need not read the package.
public struct CoreMLInterface: Sendable, Equatable, Codable {
    /// What goes in.
    package struct Input: Sendable, Equatable, Codable {
        /// The name.
        package let name: String
        /// The dimensions; those of a picture are [1, channels, height, width].
        package let shape: [Int]
        /// How the picture's pixels are laid out, values from 0 to 255; nil for an input that is no picture.
        package let image: CoreMLImageType?
        /// The declared type of the elements. Integers are cut off, half precision is rounded to.
        package let type: MILDataType
        /// What every element is where nothing is passed; nil for an input that has to be.
        package let usual: Float?

        package init(
            name: String, shape: [Int], image: CoreMLImageType? = nil, type: MILDataType, usual: Float? = nil
        ) {
            self.usual = usual
            self.name = name
            self.shape = shape
            self.image = image
            self.type = type
        }
    }

    /// What comes out.
    package struct Output: Sendable, Equatable, Codable {
        /// What an output is.
        package enum Kind: String, Sendable, Codable {
            /// A tensor.
            case tensor
            /// The probability of each label.
            case probabilities
            /// The place of the best label among the labels; of integer labels the label itself.
            case label
        }

        /// The name.
        package let name: String
        /// What it is.
        package let kind: Kind
        /// The dimensions; none for a label.
        package let shape: [Int]
        /// Which result of the network it is made of.
        let result: Int

        package init(name: String, kind: Kind, shape: [Int], result: Int) {
            self.name = name
            self.kind = kind
            self.shape = shape
            self.result = result
        }
    }

    /// State from one prediction to the next; 0 before the first.
    package struct State: Sendable, Equatable, Codable {
        /// The name.
        package let name: String
        /// The dimensions.
        package let shape: [Int]
        /// Which result of the network becomes the state.
        let result: Int

        package init(name: String, shape: [Int], result: Int) {
            (self.name, self.shape, self.result) = (name, shape, result)
        }
    }

    /// What goes in, in the order of the network's inputs.
    package let inputs: [Input]
    /// What predictions leave to the next one: the network's inputs behind all others.
    package let states: [State]
    /// What comes out, in the model's order.
    package let outputs: [Output]
    /// The classes of a classifier.
    package let labels: CoreMLLabels?
    /// What becomes of a detector's boxes behind the network; nil where nothing does.
    package let suppression: SuppressionStep?
    /// What people and converters wrote about the model; of equal keys the first.
    package let metadata: [String: String]

    package init(
        inputs: [Input], outputs: [Output], labels: CoreMLLabels?, suppression: SuppressionStep? = nil,
        states: [State] = [], metadata: [String: String]
    ) {
        self.inputs = inputs
        self.states = states
        self.outputs = outputs
        self.labels = labels
        self.suppression = suppression
        self.metadata = metadata
    }

    /// The initial state: zeros.
    package var emptyState: [CoreMLTensor] { states.map { CoreMLTensor(shape: $0.shape) } }

    /// The inputs in the network's order, checked and rounded to their types, and the state behind them.
    ///
    /// Throws `CoreMLError` for an input that is unknown, missing, of another shape or not finite.
    /// - Parameter state: what an earlier prediction left; nil begins anew.
    package func prepared(
        _ given: [String: CoreMLTensor], state: [CoreMLTensor]? = nil
    ) throws -> [CoreMLTensor] {
        let state = state ?? emptyState
        guard state.map(\.shape) == states.map(\.shape) else {
            throw CoreMLError.inputShape(
                name: states.first?.name ?? "state", expected: states.first?.shape ?? [],
                found: state.first?.shape ?? [])
        }
        for name in given.keys.sorted()
        where !inputs.contains(where: { $0.name == name }) && suppression?.isThreshold(name) != true {
            throw CoreMLError.unknownInput(name: name, inputs: inputs.map(\.name))
        }
        return try inputs.map { input -> CoreMLTensor in
            guard let tensor = given[input.name] else {
                guard let usual = input.usual else { throw CoreMLError.missingInput(name: input.name) }
                return CoreMLTensor(shape: input.shape, repeating: usual)
            }
            guard tensor.shape == input.shape, tensor.values.count == GraphShape.count(tensor.shape) else {
                throw CoreMLError.inputShape(name: input.name, expected: input.shape, found: tensor.shape)
            }
            if let index = tensor.values.firstIndex(where: { !$0.isFinite }) {
                throw CoreMLError.nonFiniteInput(name: input.name, index: index)
            }
            return CoreMLTensor(shape: tensor.shape, values: Self.rounded(tensor.values, to: input.type))
        } + state
    }

    /// State from one prediction to the next.
    package func state(of results: [CoreMLTensor]) -> [CoreMLTensor] {
        states.map { CoreMLTensor(shape: $0.shape, values: results[$0.result].values) }
    }

    private static func rounded(_ values: [Float], to type: MILDataType) -> [Float] {
        if type == .float16 { return values.map(HalfPrecision.rounded) }
        if type == .bool { return values.map { $0 == 0 ? 0 : 1 } }
        return type.isInteger ? values.map { $0.rounded(.towardZero) } : values
    }

    /// The network's results under the names of the outputs; a classifier's label is made of its probabilities.
    ///
    /// Throws `CoreMLError.nonFiniteOutput`.
    /// - Parameters:
    ///   - given: the inputs, among which a detector's thresholds may be.
    ///   - file: the model's path, for errors.
    package func named(
        _ results: [CoreMLTensor], _ given: [String: CoreMLTensor], file: String
    ) throws -> [String: CoreMLTensor] {
        var named: [String: CoreMLTensor] = [:]
        let kept = try suppression.map { try $0.apply(results, $0.thresholds(given), file: file) } ?? [:]
        for output in outputs {
            if let tensor = kept[output.name] {
                named[output.name] = tensor
                continue
            }
            let result = results[output.result]
            if let index = result.values.firstIndex(where: { !$0.isFinite }) {
                throw CoreMLError.nonFiniteOutput(.init(file: file, field: output.name), index: index)
            }
            switch output.kind {
            case .tensor, .probabilities: named[output.name] = CoreMLTensor(shape: output.shape, values: result.values)
            case .label: named[output.name] = CoreMLTensor(shape: [], values: [label(result.values)])
            }
        }
        return named
    }

    /// Which of the labels a label output stands for; nil for other outputs. It is found by the probabilities if they are an
    /// output too, because float32 does not tell all integer labels apart.
    package func labelPlace(_ output: Output, in outputs: [String: CoreMLTensor]) -> Int? {
        guard output.kind == .label, let labels, let value = outputs[output.name]?.values.first else { return nil }
        let probabilities = self.outputs.first { $0.kind == .probabilities && $0.result == output.result }
        if let values = probabilities.flatMap({ outputs[$0.name]?.values }) {
            let best = Self.best(values)
            return best < labels.count ? best : nil
        }
        switch labels {
        case .strings(let texts): return Int(exactly: value).flatMap { texts.indices.contains($0) ? $0 : nil }
        case .integers(let integers): return integers.firstIndex { Float($0) == value }
        }
    }

    /// The best class, the first one of equals.
    private static func best(_ probabilities: [Float]) -> Int {
        var best = 0
        for (index, value) in probabilities.enumerated() where value > probabilities[best] { best = index }
        return best
    }

    private func label(_ probabilities: [Float]) -> Float {
        let best = Self.best(probabilities)
        if case .integers(let labels)? = labels, labels.indices.contains(best) { return Float(labels[best]) }
        return Float(best)
    }
}
