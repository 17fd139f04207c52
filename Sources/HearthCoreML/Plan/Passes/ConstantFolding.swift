/// Computes what depends on constants alone.
enum ConstantFolding: GraphPass {
    /// Larger results stay steps: a few bytes in a file must not fill the memory.
    static let largestResult = 1 << 22

    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        var changed = false
        for step in graph.steps where isFoldable(step, graph) {
            let inputs = try step.inputs.map { id -> CoreMLTensor? in
                guard let id, let values = try graph.values(of: id) else { return nil }
                return CoreMLTensor(shape: graph.tensors[id].shape, values: values)
            }
            let results = try ReferenceExecutor.stoppedByTask.run(
                step.operation, inputs, shapes: step.outputs.map { graph.tensors[$0].shape })
            for (id, result) in zip(step.outputs, results) { graph.constants[id] = .values(result.values) }
            changed = true
        }
        if changed {
            graph.steps.removeAll { $0.outputs.contains { graph.constants[$0] != nil } }
        }
        return changed
    }

    private static func isFoldable(_ step: GraphStep, _ graph: CoreMLGraph) -> Bool {
        let inputs = step.inputs.compactMap(\.self)
        guard !inputs.isEmpty, inputs.allSatisfy({ graph.constants[$0] != nil }) else { return false }
        // Suppression makes results whose number depends on the data; it is no constant of any real model.
        if case .nonMaximumSuppression = step.operation { return false }
        if case .random = step.operation { return false }
        return step.outputs.allSatisfy { graph.tensors[$0].count <= largestResult }
    }
}

/// A canonical order of operands, and one step for common subexpressions, so that later passes have fewer forms to match.
enum CommonSteps: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        var changed = false
        for index in graph.steps.indices {
            guard case .binary(let function) = graph.steps[index].operation, function.isCommutative,
                graph.steps[index].inputs.count == 2, let left = graph.steps[index].inputs[0],
                let right = graph.steps[index].inputs[1],
                graph.constants[left] != nil, graph.constants[right] == nil
            else { continue }
            graph.steps[index].inputs = [right, left]
            changed = true
        }
        // By their first input: two steps that are the same share it.
        var seen: [Int: [Int]] = [:]
        for index in graph.steps.indices {
            let step = graph.steps[index]
            guard let first = step.inputs.first ?? nil, step.outputs.count == 1 else { continue }
            if case .random = step.operation { continue }
            let twin = seen[first]?.first { other in
                let other = graph.steps[other]
                return other.operation == step.operation && other.inputs == step.inputs
                    && graph.tensors[other.outputs[0]].shape == graph.tensors[step.outputs[0]].shape
            }
            if let twin {
                // Two outputs of the graph stay two tensors only where something needs them to be.
                graph.replaceUses(of: step.outputs[0], with: graph.steps[twin].outputs[0])
                changed = true
            } else {
                seen[first, default: []].append(index)
            }
        }
        if changed { graph.removeDeadSteps() }
        return changed
    }
}

extension GraphBinary {
    var isCommutative: Bool {
        switch self {
        case .add, .multiply, .maximum, .minimum, .equal, .notEqual, .and, .or: true
        default: false
        }
    }
}
