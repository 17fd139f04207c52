public import HearthFormats

/// A Core ML model that runs: its inputs and outputs, its labels, and the network as one graph, whatever file it came from.
///
///     let model = try VisionModel(path: "Digits.mlpackage")
///     let results = try model.predict(["image": VisionTensor(shape: [1, 3, 32, 32], values: pixels)])
///
/// A value; weights stay mapped.
public struct VisionModel: Sendable {
    /// What goes in.
    public struct Input: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The dimensions; those of a picture are [1, channels, height, width].
        public let shape: [Int]
        /// How the picture's pixels are laid out, values from 0 to 255; nil for an input that is no picture.
        public let image: CoreMLImageType?
        /// The declared type of the elements. Integers are cut off, half precision is rounded to.
        public let type: MILDataType
    }

    /// What comes out.
    public struct Output: Sendable, Equatable {
        /// What an output is.
        public enum Kind: Sendable, Equatable {
            /// A tensor.
            case tensor
            /// The probability of each label.
            case probabilities
            /// The place of the best label among the labels; of integer labels the label itself.
            case label
        }

        /// The name.
        public let name: String
        /// What it is.
        public let kind: Kind
        /// The dimensions; none for a label.
        public let shape: [Int]
    }

    /// The path of the model.
    public let path: String
    /// What goes in, in the model's order.
    public let inputs: [Input]
    /// What comes out, in the model's order.
    public let outputs: [Output]
    /// The classes of a classifier.
    public let labels: VisionLabels?
    /// What people wrote about the model: author, license, and what tools keep there, such as a detector's classes.
    public let metadata: [String: String]
    /// The network.
    let graph: VisionGraph
    /// Where the probabilities of a classifier are, and every other output by its name.
    let probabilities: VisionGraph.TensorID?
    let outputTensors: [String: VisionGraph.TensorID]

    /// Opens the package or bare model at `path`.
    ///
    /// Throws `FormatError` for what is wrong with the file and `VisionError` for a model that is not run here.
    /// - Parameter inputShapes: shapes of inputs that the model leaves open.
    public init(path: String, inputShapes: [String: [Int]] = [:]) throws {
        try self.init(CoreMLPackage(path: path), inputShapes: inputShapes)
    }

    /// A model out of a package that was opened.
    public init(_ package: CoreMLPackage, inputShapes: [String: [Int]] = [:]) throws {
        let build = try ModelBuild(package, inputShapes: inputShapes)
        path = package.path
        metadata = Dictionary(
            package.model.description.metadata.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        inputs = build.inputs
        outputs = build.outputs
        labels = build.labels
        graph = build.graph
        probabilities = build.probabilities
        outputTensors = build.outputTensors
    }

    /// The results for some inputs, by name, computed by plain reference arithmetic.
    ///
    /// Throws `VisionError` for inputs that do not fit and results that are not finite, and `CancellationError`.
    public func predict(_ inputs: [String: VisionTensor]) throws -> [String: VisionTensor] {
        let results = try ReferenceExecutor.run(graph, inputs: prepared(inputs))
        return try named(results)
    }

    /// The inputs as the graph takes them, checked and rounded to their types.
    func prepared(_ given: [String: VisionTensor]) throws -> [VisionGraph.TensorID: VisionTensor] {
        for name in given.keys.sorted() where !inputs.contains(where: { $0.name == name }) {
            throw VisionError.unknownInput(name: name, inputs: inputs.map(\.name))
        }
        var tensors: [VisionGraph.TensorID: VisionTensor] = [:]
        for (input, id) in zip(inputs, graph.inputs) {
            guard let tensor = given[input.name] else { throw VisionError.missingInput(name: input.name) }
            guard tensor.shape == input.shape, tensor.values.count == GraphShape.count(tensor.shape) else {
                throw VisionError.inputShape(name: input.name, expected: input.shape, found: tensor.shape)
            }
            if let index = tensor.values.firstIndex(where: { !$0.isFinite }) {
                throw VisionError.nonFiniteInput(name: input.name, index: index)
            }
            tensors[id] = VisionTensor(shape: tensor.shape, values: Self.rounded(tensor.values, to: input.type))
        }
        return tensors
    }

    private static func rounded(_ values: [Float], to type: MILDataType) -> [Float] {
        if type == .float16 { return values.map(HalfPrecision.rounded) }
        if type == .bool { return values.map { $0 == 0 ? 0 : 1 } }
        return type.isInteger ? values.map { $0.rounded(.towardZero) } : values
    }

    /// Results of the graph under the names of the outputs; a classifier's label is made of its probabilities.
    func named(_ results: [VisionGraph.TensorID: VisionTensor]) throws -> [String: VisionTensor] {
        var named: [String: VisionTensor] = [:]
        for output in outputs {
            let id = output.kind == .tensor ? outputTensors[output.name] : probabilities
            guard let id, let result = results[id] else { continue }
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
