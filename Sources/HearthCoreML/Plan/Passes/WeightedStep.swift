/// A convolution or linear layer with constant weights, and which of its weights belong to which channel.
struct WeightedStep {
    let weight: CoreMLGraph.TensorID
    let bias: CoreMLGraph.TensorID?
    /// Output channels.
    let outputs: Int
    /// The axis of the result along which they lie.
    let outputAxis: Int
    /// Neither transposed nor of a rank that is not known here.
    let isPlain: Bool
    private let groups: Int
    private let shape: [Int]

    /// Nil for other steps, and where weight or bias are not constants.
    init?(_ step: GraphStep, _ graph: CoreMLGraph) {
        guard step.inputs.count >= 2, let weight = step.inputs[1], graph.constants[weight] != nil,
            let output = step.outputs.first
        else { return nil }
        let bias = step.inputs.count > 2 ? step.inputs[2] : nil
        if let bias, graph.constants[bias] == nil { return nil }
        let shape = graph.tensors[weight].shape
        switch step.operation {
        case .convolution(let geometry):
            outputs = shape[0]
            outputAxis = 1
            groups = geometry.groups
            isPlain = true
        case .transposedConvolution(let geometry):
            outputs = shape[1] * geometry.groups
            outputAxis = 1
            groups = geometry.groups
            isPlain = false
        case .linear:
            outputs = shape[0]
            outputAxis = graph.tensors[output].shape.count - 1
            groups = 1
            isPlain = true
        default: return nil
        }
        self.weight = weight
        self.bias = bias
        self.shape = shape
        isLinear = step.operation == .linear
    }

    private let isLinear: Bool

    /// The axis of the input along which the channels lie that weights are for.
    func inputAxis(rank: Int) -> Int { isLinear ? rank - 1 : 1 }

    /// The weights, those of each output channel multiplied by its scale.
    func scaled(_ values: [Float], byOutput scale: [Float]) -> [Float] {
        var values = values
        if isPlain {
            let each = max(values.count / max(outputs, 1), 1)
            for index in values.indices { values[index] *= scale[index / each] }
        } else {
            // [C, O / groups, kernel…]
            let kernel = max(shape.dropFirst(2).reduce(1, *), 1)
            let perGroup = shape[1]
            let inputsPerGroup = max(shape[0] / groups, 1)
            for index in values.indices {
                let (input, output) = (index / (kernel * perGroup), index / kernel % perGroup)
                values[index] *= scale[input / inputsPerGroup * perGroup + output]
            }
        }
        return values
    }

    /// Weights that take x where these take x · scale.
    func folded(_ weight: [Float], ahead scale: [Float]) -> [Float]? {
        let inputs = shape[1]  // of one group
        let kernel = max(shape.dropFirst(2).reduce(1, *), 1)
        guard isPlain, scale.count == inputs * groups, outputs % groups == 0 else { return nil }
        var weight = weight
        for output in 0..<outputs {
            let first = output / (outputs / groups) * inputs
            for input in 0..<inputs {
                for place in 0..<kernel { weight[(output * inputs + input) * kernel + place] *= scale[first + input] }
            }
        }
        return weight
    }
}
