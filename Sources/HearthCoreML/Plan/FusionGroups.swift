/// Which steps of a graph one kernel computes: a product, the function behind it, and a tensor that is added.
struct FusionGroup: Equatable {
    /// The product's step, or the only one.
    var anchor: Int
    /// The last one: its result is the group's, and there in the order the group runs.
    var last: Int
    var epilogue = PlanEpilogue.none
    /// What is added.
    var residual: CoreMLGraph.TensorID?

    /// All steps of a graph in groups, in an order in which they can run.
    /// - Parameter canFuse: whether the kernels know a function.
    static func groups(of graph: CoreMLGraph, canFuse: (GraphFunction) -> Bool) -> [FusionGroup] {
        let index = GraphIndex(graph)
        var isAbsorbed = [Bool](repeating: false, count: graph.steps.count)
        var groups: [FusionGroup] = []
        for place in graph.steps.indices where !isAbsorbed[place] {
            var group = FusionGroup(anchor: place, last: place)
            if graph.steps[place].isProduct(graph) || graph.steps[place].isPhased(graph) {
                while let next = group.next(graph, index, isAbsorbed, canFuse) {
                    group = next
                    isAbsorbed[group.last] = true
                }
            }
            groups.append(group)
        }
        return groups.sorted { $0.last < $1.last }
    }

    /// This group and the step behind it, where one kernel computes both.
    private func next(
        _ graph: CoreMLGraph, _ index: GraphIndex, _ isAbsorbed: [Bool], _ canFuse: (GraphFunction) -> Bool
    ) -> FusionGroup? {
        let output = graph.steps[last].outputs[0]
        guard let next = index.soleUser(of: output), !isAbsorbed[next] else { return nil }
        var group = self
        group.last = next
        switch graph.steps[next].operation {
        case .unary(let function):
            guard epilogue.activation == nil, canFuse(function) else { return nil }
            // What was added before stays in front of the function.
            group.epilogue.activation = function
            group.epilogue.residualIsFirst = epilogue.addsResidual
            return group
        case .binary(.add):
            guard !epilogue.addsResidual, graph.steps[next].inputs.count == 2, graph.steps[anchor].isProduct(graph),
                let left = graph.steps[next].inputs[0], let right = graph.steps[next].inputs[1]
            else { return nil }
            let other = left == output ? right : left
            guard other != output, graph.tensors[other].shape == graph.tensors[output].shape,
                graph.constants[other] == nil
            else { return nil }
            // Of two products that are added, the later one adds: the other operand exists by then, and is still in the cache.
            if let producer = index.producer(of: other), producer > last, index.soleUser(of: other) == next,
                graph.steps[producer].isProduct(graph)
            {
                return nil
            }
            group.residual = other
            group.epilogue.addsResidual = true
            group.epilogue.residualIsFirst = epilogue.activation == nil
            return group
        default: return nil
        }
    }
}

extension GraphStep {
    /// A product with constant weights whose kernel does more to its result than store it.
    package func isProduct(_ graph: CoreMLGraph) -> Bool {
        guard WeightedStep(self, graph)?.isPlain == true else { return false }
        if case .convolution(let geometry) = operation { return geometry.kernel.count <= 2 }
        return true
    }

    /// A transposed convolution that runs as convolutions: what they compute is not where the result will be.
    fileprivate func isPhased(_ graph: CoreMLGraph) -> Bool {
        guard case .transposedConvolution(let geometry) = operation, let x = inputs[0],
            WeightedStep(self, graph) != nil
        else { return false }
        return TransposedPhases(geometry, input: graph.tensors[x].shape, output: graph.tensors[outputs[0]].shape) != nil
    }
}
