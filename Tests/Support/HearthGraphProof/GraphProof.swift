import HearthCompute
import HearthCoreML

/// Whether rewriting a graph and running it over the kernels leaves its numbers what the graph says they are.
package struct GraphProof {
    /// One for each kernel set of the machine.
    let computes: [Compute]

    init() throws {
        computes = try KernelSet.available.map { try Compute(kernels: $0, threads: 1) }
    }

    /// Elements that were compared.
    package struct Tally {
        package var graphs = 0
        package var elements = 0
        /// Of them, those that were known to three digits at least.
        package var sharp = 0
    }

    /// What is wrong; nil for nothing.
    func problem(_ graph: CoreMLGraph, _ inputs: [CoreMLTensor], _ tally: inout Tally) throws -> String? {
        let expected = try RangeExecutor.run(graph, inputs)
        tally.graphs += 1
        for tensor in expected {
            tally.elements += tensor.elements.count
            tally.sharp += tensor.elements.count(where: \.isSharp)
        }
        let plain = try ReferenceExecutor.stoppedByTask.run(graph, inputs)
        if let problem = Self.difference(plain, expected) { return "plain loops, as written: \(problem)" }
        for optimizes in [true, false] {
            let optimized = optimizes ? try GraphOptimizer.optimized(graph) : graph
            let (plan, requests) = try PlanBuilder(optimized).build()
            if let problem = plan.problem() { return "the plan is refused: \(problem)" }
            let weights = try PackedWeights(plan, requests, optimized)
            let interface = CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])
            for compute in computes {
                let session = try CoreMLSession(
                    PlanFile(plan: plan, interface: interface), ModelWeights(weights.floats), compute)
                let found = try session.run(inputs) { false }
                if let problem = Self.difference(found, expected) {
                    return "\(compute.kernels.name), \(optimizes ? "optimised" : "as written"): \(problem)"
                }
            }
        }
        return nil
    }

    private static func difference(_ found: [CoreMLTensor], _ expected: [RangeTensor]) -> String? {
        for (output, (tensor, ranges)) in zip(found, expected).enumerated() {
            guard tensor.shape == ranges.shape else { return "output \(output) has the shape \(tensor.shape)" }
            for (index, (value, range)) in zip(tensor.values, ranges.elements).enumerated() where !range.allows(value) {
                return "output \(output)[\(index)] is \(value), not \(range.value) in \(range.low)...\(range.high)"
            }
        }
        return nil
    }
}
