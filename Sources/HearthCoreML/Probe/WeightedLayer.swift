import HearthCoreMLFormat

/// A convolution or dense layer of a model whose weight is a constant that nothing else uses.
package struct WeightedLayer: Sendable, Equatable {
    /// From where in the model: an operation's type and name.
    package let place: String
    /// The name of the weight; there is no bias where it is no constant, or is used by others too.
    package let weight: String
    /// The name of the bias.
    package let bias: String?
    /// The weight's dimensions, outputs first.
    package let shape: [Int]
    /// Whether it has half precision.
    package let isHalf: Bool
    /// Sets of inputs that are multiplied by matrices of their own: 1 but for grouped convolutions.
    package let groups: Int
    /// Outputs of a group.
    package let outputs: Int
    /// Inputs that an output is made of: of a convolution the elements of its window, in the weight's order.
    package let inputs: Int
    /// The tensors that it reads and makes.
    let input: CoreMLGraph.TensorID
    let output: CoreMLGraph.TensorID
    /// nil for a dense layer.
    let geometry: GraphConvolution?
}

extension CoreMLGraph {
    /// Whether a constant is stored in no file directly: true for weights with several steps of compression.
    fileprivate func isComputed(_ id: TensorID) -> Bool {
        if case .values? = constants[id] { true } else { false }
    }
}

extension CoreMLModel {
    /// The layers whose inputs a calibration can look at, in the order in which they run.
    package var weightedLayers: [WeightedLayer] {
        var uses: [CoreMLGraph.TensorID: Int] = [:]
        for step in graph.steps { for case let id? in step.inputs { uses[id, default: 0] += 1 } }
        var names: [String: Int] = [:]
        for id in graph.constants.keys { names[graph.tensors[id].name, default: 0] += 1 }
        func isOwn(_ id: CoreMLGraph.TensorID) -> Bool {
            graph.constants[id] != nil && uses[id] == 1 && names[graph.tensors[id].name] == 1
                && !graph.outputs.contains(id)
        }
        return graph.steps.compactMap { step in
            guard step.inputs.count >= 2, let input = step.inputs[0], let weight = step.inputs[1],
                let output = step.outputs.first, graph.constants[input] == nil, isOwn(weight),
                !graph.isCompressed(weight), !graph.isComputed(weight)
            else { return nil }
            let shape = graph.tensors[weight].shape
            let geometry: GraphConvolution?
            switch step.operation {
            case .convolution(let convolution): geometry = convolution
            case .linear: geometry = nil
            default: return nil
            }
            let groups = geometry?.groups ?? 1
            guard let all = shape.first, all > 0, groups > 0, all % groups == 0, graph.tensors[weight].count > 0 else {
                return nil
            }
            let bias = step.inputs.count > 2 ? step.inputs[2] : nil
            return WeightedLayer(
                place: step.place, weight: graph.tensors[weight].name,
                bias: bias.flatMap { isOwn($0) ? graph.tensors[$0].name : nil }, shape: shape,
                isHalf: graph.tensors[weight].type == .float16, groups: groups,
                outputs: all / groups, inputs: shape.dropFirst().reduce(1, *), input: input, output: output,
                geometry: geometry)
        }
    }

    /// The values of a constant; nil if there is none of that name.
    package func constant(_ name: String) throws -> [Float]? {
        guard let id = graph.constants.keys.first(where: { graph.tensors[$0].name == name }) else { return nil }
        return try graph.constants[id]?.floats()
    }
}
