public import HearthFormats

/// A Core ML model that runs: its inputs and outputs, its labels, and the network as one graph, whatever file it came from.
///
///     let model = try VisionModel(path: "Digits.mlpackage")
///     let results = try model.predict(["image": VisionTensor(shape: [1, 3, 32, 32], values: pixels)])
///
/// A value; weights stay mapped.
public struct VisionModel: Sendable {
    /// What goes in.
    public struct Input: Sendable, Equatable, Codable {
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
    public struct Output: Sendable, Equatable, Codable {
        /// What an output is.
        public enum Kind: String, Sendable, Codable {
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

    /// What goes in and comes out.
    public let interface: VisionInterface
    /// The network.
    let graph: VisionGraph

    /// The path of the model.
    public var path: String { interface.path }
    /// What goes in, in the model's order.
    public var inputs: [Input] { interface.inputs }
    /// What comes out, in the model's order.
    public var outputs: [Output] { interface.outputs }
    /// The classes of a classifier.
    public var labels: VisionLabels? { interface.labels }

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
        graph = build.graph
        interface = VisionInterface(
            path: package.path, inputs: build.inputs, outputs: build.outputs, labels: build.labels,
            metadata: Dictionary(package.model.description.metadata, uniquingKeysWith: { first, _ in first }),
            positions: build.outputs.map { output in
                let id = output.kind == .tensor ? build.outputTensors[output.name] : build.probabilities
                return id.flatMap { build.graph.outputs.firstIndex(of: $0) } ?? -1
            })
    }

    /// The results for some inputs, by name, computed by plain reference arithmetic.
    ///
    /// Throws `VisionError` for inputs that do not fit and results that are not finite, and `CancellationError`.
    public func predict(_ inputs: [String: VisionTensor]) throws -> [String: VisionTensor] {
        let given = try interface.prepared(inputs)
        let results = try ReferenceExecutor.run(
            graph, inputs: Dictionary(uniqueKeysWithValues: zip(graph.inputs, given)))
        return try interface.named(graph.outputs.map { results[$0] ?? VisionTensor(shape: [], values: []) })
    }
}
