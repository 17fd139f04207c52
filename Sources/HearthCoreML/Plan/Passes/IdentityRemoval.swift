/// Removes steps that return their input. A cast between floating-point types is one: everything is computed in
/// float32, and half precision is what a file stores.
enum IdentityRemoval: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        try graph.rewrite { graph, _, place in
            let step = graph.steps[place]
            guard let input = step.inputs.first ?? nil, let output = step.outputs.first, step.outputs.count == 1,
                input != output, try isIdentity(step, input, output, graph)
            else { return false }
            graph.replaceUses(of: output, with: input)
            return true
        }
    }

    private static func isIdentity(
        _ step: GraphStep, _ input: CoreMLGraph.TensorID, _ output: CoreMLGraph.TensorID, _ graph: CoreMLGraph
    ) throws -> Bool {
        guard graph.tensors[input].shape == graph.tensors[output].shape else { return false }
        switch step.operation {
        case .cast(.float32), .cast(.float16): return true
        case .cast: return graph.tensors[input].type == graph.tensors[output].type
        case .reshape, .tile, .concat, .split: return step.inputs.compactMap(\.self).count == 1
        case .transpose(let permutation): return permutation == Array(permutation.indices)
        case .slice(let begin, let step): return begin.allSatisfy { $0 == 0 } && step.allSatisfy { $0 == 1 }
        case .pad(let before, let after, _): return (before + after).allSatisfy { $0 == 0 }
        case .unary(.linear(alpha: 1, beta: 0)): return true
        case .binary(let function):
            guard step.inputs.count == 2, let scalar = try graph.scalar(step.inputs[1]) else { return false }
            switch function {
            case .add, .subtract: return scalar == 0
            case .multiply, .divide, .power: return scalar == 1
            default: return false
            }
        case .pool(let pool):
            return pool.kernel.allSatisfy { $0 == 1 } && pool.strides.allSatisfy { $0 == 1 } && pool.kind != .l2
        default: return false
        }
    }
}
