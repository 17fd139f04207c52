/// A plan comes from a file: nothing in it is believed before it was compared with everything else.
extension CoreMLPlan {
    /// Floats of memory and of weights that a plan may ask for.
    private static let largest = 1 << 30

    /// An error in the plan; nil if every tensor is inside its memory and every operand exists.
    ///
    /// That the tensors of a step fit each other is looked at when the step is prepared.
    package func problem() -> String? {
        guard (0...Self.largest).contains(arenaCount), (0...Self.largest).contains(weightCount)
        else { return "the plan asks for an absurd amount of memory" }
        for tensor in tensors {
            // Also without the dimensions that are 0: what is behind them is multiplied as well.
            guard let count = GraphShape.count(tensor.shape, limit: Self.largest), count >= 0,
                GraphShape.count(tensor.shape.map { max($0, 1) }, limit: Self.largest) != nil,
                tensor.layout != .blocked || (2...4).contains(tensor.shape.count), tensor.offset >= 0,
                tensor.offset % MemoryPlan.alignment == 0 || tensor.layout == .plain
            else { return "the tensor '\(tensor.name)' has an impossible shape" }
            if let problem = tensor.codeProblem { return "the tensor '\(tensor.name)' has \(problem)" }
            let room = tensor.isConstant ? weightCount : arenaCount
            guard tensor.storedCount <= room, tensor.offset <= room - tensor.storedCount else {
                return "the tensor '\(tensor.name)' lies outside the memory"
            }
        }
        for port in inputs + outputs where !tensors.indices.contains(port.tensor) {
            return "the input or output '\(port.name)' has no tensor"
        }
        for port in inputs + outputs where tensors[port.tensor].layout != .plain {
            return "the input or output '\(port.name)' is not in plain order"
        }
        for port in inputs where tensors[port.tensor].isConstant { return "the input '\(port.name)' is a constant" }
        for step in steps {
            guard !step.outputs.isEmpty,
                (step.inputs.compactMap(\.self) + step.outputs).allSatisfy({ tensors.indices.contains($0) }),
                step.outputs.allSatisfy({ !tensors[$0].isConstant })
            else { return "the step '\(step.place)' uses a tensor that does not exist" }
            for weights in step.kernel.weights {
                guard weights.count >= 0, weights.offset >= 0, weights.offset % MemoryPlan.alignment == 0,
                    weights.count <= weightCount, weights.offset <= weightCount - weights.count
                else { return "the weights of '\(step.place)' lie outside the file" }
            }
        }
        return nil
    }
}

extension PlanTensor {
    /// Why its codes cannot be; nil if they can, or if it has none and needs none.
    fileprivate var codeProblem: String? {
        guard (layout == .codes) == (code != nil) else { return "codes without a layout of codes" }
        guard let code else { return nil }
        guard !isConstant else { return "codes that are constants" }
        return (try? code.shape(of: shape)) == nil ? "codes that cannot be" : nil
    }
}

extension PlanKernel {
    /// Everything that it reads from the weights file.
    var weights: [PlanWeights] {
        switch self {
        case .convolution(let convolution):
            [convolution.weights] + (convolution.bias.map { [$0] } ?? [])
        case .byteConvolution(let convolution):
            [convolution.weights, convolution.sums, convolution.scales] + (convolution.bias.map { [$0] } ?? [])
        case .linear(let linear): [linear.weights] + (linear.bias.map { [$0] } ?? [])
        case .layerNorm(_, _, _, let gamma, let beta): [gamma, beta].compactMap(\.self)
        case .channelAffine(let scale, let shift, _): [scale, shift]
        case .recurrent(let plan): [plan.weights, plan.candidate, plan.bias, plan.peephole].compactMap(\.self)
        default: []
        }
    }
}
