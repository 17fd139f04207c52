import HearthCoreMLFormat

/// A convolution or dense layer of a model whose weight is a constant that nothing else uses. Layers that share a weight are one:
/// the rounds of a loop, and networks that run twice.
package struct WeightedLayer: Sendable, Equatable {
    /// A step that computes the layer.
    struct Site: Sendable, Equatable {
        /// What it reads and makes.
        let input: CoreMLGraph.TensorID
        let output: CoreMLGraph.TensorID
    }

    /// Sites that are observed: their tensors are in memory at once.
    static let mostSites = 16

    /// From where in the model: an operation's type and name.
    package let place: String
    /// The name of the weight.
    package let weight: String
    /// The name of the bias; nil where it is no constant in floating point, or is used by others too.
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
    /// At even intervals where there are more than `mostSites`.
    let sites: [Site]
    /// nil for a dense layer.
    let geometry: GraphConvolution?
}

extension CoreMLGraph {
    /// How the elements of a constant are stored, as far as calibration can replace them: floats of the file, or halves.
    fileprivate func isHalf(_ id: TensorID) -> Bool? {
        switch constants[id] {
        case .tensor: tensors[id].type == .float16
        case .layerWeights(let weights) where weights.encoding == .float32: false
        case .layerWeights(let weights) where weights.encoding == .float16: true
        // Compressed already, or with several steps of compression.
        default: nil
        }
    }
}

extension CoreMLModel {
    /// The layers whose inputs a calibration can look at, in the order in which they run first.
    package var weightedLayers: [WeightedLayer] {
        var uses: [CoreMLGraph.TensorID: Int] = [:]
        for step in graph.steps { for case let id? in step.inputs { uses[id, default: 0] += 1 } }
        var names: [String: Int] = [:]
        for id in graph.constants.keys { names[graph.tensors[id].name, default: 0] += 1 }
        var groups: [CoreMLGraph.TensorID: [GraphStep]] = [:]
        var order: [CoreMLGraph.TensorID] = []
        for step in graph.steps where step.isWeighted {
            guard step.inputs.count >= 2, let weight = step.inputs[1], graph.constants[weight] != nil else { continue }
            if groups[weight] == nil { order.append(weight) }
            groups[weight, default: []].append(step)
        }
        /// Whether a constant is used by these many steps only, and is found by its name.
        func isOwn(_ id: CoreMLGraph.TensorID, _ steps: Int) -> Bool {
            graph.isHalf(id) != nil && uses[id] == steps && names[graph.tensors[id].name] == 1
                && !graph.outputs.contains(id)
        }
        return order.compactMap { weight in
            guard let steps = groups[weight], let first = steps.first, isOwn(weight, steps.count),
                let isHalf = graph.isHalf(weight), steps.allSatisfy({ $0.isAlike(first) })
            else { return nil }
            let sites = steps.compactMap { step -> WeightedLayer.Site? in
                guard let input = step.inputs[0], let output = step.outputs.first, graph.constants[input] == nil else {
                    return nil
                }
                return WeightedLayer.Site(input: input, output: output)
            }
            var geometry: GraphConvolution?
            if case .convolution(let convolution) = first.operation { geometry = convolution }
            let shape = graph.tensors[weight].shape
            let groups = geometry?.groups ?? 1
            guard !sites.isEmpty, let all = shape.first, all > 0, groups > 0, all % groups == 0,
                graph.tensors[weight].count > 0
            else { return nil }
            let bias = first.inputs.count > 2 ? first.inputs[2] : nil
            let observed = min(sites.count, WeightedLayer.mostSites)
            return WeightedLayer(
                place: first.place, weight: graph.tensors[weight].name,
                bias: bias.flatMap { isOwn($0, steps.count) ? graph.tensors[$0].name : nil }, shape: shape,
                isHalf: isHalf, groups: groups, outputs: all / groups, inputs: shape.dropFirst().reduce(1, *),
                sites: (0..<observed).map { sites[$0 * sites.count / observed] }, geometry: geometry)
        }
    }

    /// The values of a constant; nil if there is none of that name.
    package func constant(_ name: String) throws -> [Float]? {
        guard let id = graph.constants.keys.first(where: { graph.tensors[$0].name == name }) else { return nil }
        return try graph.constants[id]?.floats()
    }
}

extension GraphStep {
    /// Whether it is a convolution or a dense layer.
    fileprivate var isWeighted: Bool {
        switch operation {
        case .convolution, .linear: true
        default: false
        }
    }

    /// Whether it computes the same as another one, of other inputs.
    fileprivate func isAlike(_ other: GraphStep) -> Bool {
        operation == other.operation && inputs.dropFirst() == other.inputs.dropFirst()
    }
}
