package import HearthCoreMLFormat

/// A network in one form, whatever file it came from: tensors, and steps that compute them in the order in which they run.
///
/// Everything is float32 when it runs: half precision is wider there, integers and truth values are small whole numbers.
/// All shapes are known. A graph is a value; passes take one and give another.
package struct CoreMLGraph: Sendable {
    /// A tensor by its place in `tensors`.
    package typealias TensorID = Int

    /// The tensors: inputs, constants and results.
    package var tensors: [GraphTensor] = []
    /// The values of the constants among them.
    package var constants: [TensorID: GraphConstant] = [:]
    /// The steps; each uses only tensors that are inputs, constants or results of earlier steps.
    package var steps: [GraphStep] = []
    /// What goes in, in the model's order.
    package var inputs: [TensorID] = []
    /// What comes out, in the model's order.
    package var outputs: [TensorID] = []
    /// Path of the model, for errors.
    package var file = "model"

    package init() {}

    /// The same graph with the elements of all constants in memory, for many runs.
    package func expanded() throws -> CoreMLGraph {
        var graph = self
        for (id, constant) in constants { graph.constants[id] = .values(try constant.floats()) }
        return graph
    }
}

/// A tensor's name, dimensions and declared type.
package struct GraphTensor: Sendable, Equatable {
    /// Its name in the file, for errors and for outputs.
    package var name: String
    /// The dimensions, slowest first; empty for a scalar.
    package var shape: [Int]
    /// The type that the file declares.
    package var type: MILDataType

    package init(name: String, shape: [Int], type: MILDataType) {
        self.name = name
        self.shape = shape
        self.type = type
    }

    /// Elements.
    package var count: Int { shape.reduce(1, *) }
}

/// One step of a graph.
package struct GraphStep: Sendable, Equatable {
    /// Where it comes from: the operation's type and name, for errors and traces.
    package var place: String
    /// What it does.
    package var operation: GraphOperation
    /// Its operands, in the order that the operation documents; nil for an operand that was left out.
    package var inputs: [CoreMLGraph.TensorID?]
    /// Its results.
    package var outputs: [CoreMLGraph.TensorID]

    package init(
        place: String, operation: GraphOperation, inputs: [CoreMLGraph.TensorID?], outputs: [CoreMLGraph.TensorID]
    ) {
        self.place = place
        self.operation = operation
        self.inputs = inputs
        self.outputs = outputs
    }
}

/// The elements of a constant.
package enum GraphConstant: Sendable {
    /// In memory, row by row.
    case values([Float])
    /// In the file, of any numeric type.
    case tensor(MILTensor)
    /// In the file, compressed, every parameter a constant: chains of compression are resolved by the builder of the graph.
    case expression(ConstantExpression, file: String)
    /// Weights of a network of layers, in the file.
    case layerWeights(NeuralNetworkWeights)

    /// The elements, as many as the tensor's shape says.
    package func floats() throws -> [Float] {
        switch self {
        case .values(let values): values
        case .tensor(let tensor): tensor.floats() ?? []
        case .expression(let expression, let file): try expression.expanded(file: file).values
        case .layerWeights(let weights): weights.floats() ?? []
        }
    }
}
