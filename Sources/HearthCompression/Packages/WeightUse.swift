internal import HearthCoreMLFormat

/// What the steps of a program use a constant for: whether it is a weight, and along which axes its channels lie.
struct WeightUse {
    /// Parameters that are vectors by their nature: small, and what a small error in them does is large.
    private static let vectors: Set<String> = ["bias", "gamma", "beta", "mean", "variance", "alpha"]
    /// Parameters that are weights whatever their shape: those of recurrent layers that read one number a step are columns.
    private static let weights: Set<String> = ["weight", "weight_ih", "weight_hh", "weight_ih_back", "weight_hh_back"]
    /// What recurrent layers begin with: an error in it goes through every step.
    private static let states: Set<String> = ["initial_h", "initial_c"]

    /// Parameters that it is bound to.
    private(set) var parameters: Set<String> = []
    /// The axis of output channels, and that of input channels.
    private(set) var axis = 0
    private(set) var inputAxis = 1

    /// Uses of every name, in nested blocks too.
    static func uses(in block: MILBlock) -> [String: WeightUse] {
        var uses: [String: WeightUse] = [:]
        collect(block, &uses)
        return uses
    }

    private static func collect(_ block: MILBlock, _ uses: inout [String: WeightUse]) {
        for operation in block.operations {
            for input in operation.inputs {
                for binding in input.value.bindings {
                    guard case .name(let name) = binding.kind else { continue }
                    uses[name, default: WeightUse()].add(input.key, of: operation)
                }
            }
            for nested in operation.blocks { collect(nested, &uses) }
        }
    }

    private mutating func add(_ parameter: String, of operation: MILOperation) {
        parameters.insert(parameter)
        switch (operation.type, parameter) {
        // [input, output / groups, …]
        case ("conv_transpose", "weight"): (axis, inputAxis) = (1, 0)
        default: break
        }
    }

    /// Why a constant of this shape is left alone; nil for a weight.
    ///
    /// Weights are parameters of that name, and all other tensors of at least two dimensions; vectors (biases,
    /// normalisation) and the initial states of recurrent layers are not.
    func reason(against shape: [Int]) -> String? {
        if let vector = parameters.sorted().first(where: Self.vectors.contains) { return "it is a \(vector)" }
        if !parameters.isDisjoint(with: Self.weights) { return nil }
        if !parameters.isDisjoint(with: Self.states) { return "it is the initial state of a recurrent layer" }
        return shape.filter { $0 > 1 }.count < 2 ? "it is a vector" : nil
    }
}
