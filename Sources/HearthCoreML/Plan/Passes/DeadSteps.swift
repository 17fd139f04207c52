/// Removes steps with unused results, and constants that no step reads.
enum DeadSteps: GraphPass {
    static func apply(to graph: inout CoreMLGraph) -> Bool {
        let before = graph.steps.count
        graph.removeDeadSteps()
        graph.forgetUnusedConstants()
        return graph.steps.count != before
    }
}

extension CoreMLGraph {
    package mutating func removeDeadSteps() {
        var isNeeded = [Bool](repeating: false, count: tensors.count)
        for output in outputs { isNeeded[output] = true }
        var kept: [GraphStep] = []
        for step in steps.reversed() where step.outputs.contains(where: { isNeeded[$0] }) {
            for case let input? in step.inputs { isNeeded[input] = true }
            kept.append(step)
        }
        if kept.count != steps.count { steps = kept.reversed() }
    }

    fileprivate mutating func forgetUnusedConstants() {
        var used = Set(outputs)
        for step in steps { used.formUnion(step.inputs.compactMap(\.self)) }
        constants = constants.filter { used.contains($0.key) }
    }
}
