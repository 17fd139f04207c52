import HearthCoreML
import HearthTestSupport

/// Many random graphs, and what went wrong with them.
package struct GraphProofRun {
    package private(set) var tally = GraphProof.Tally()
    package private(set) var failures: [String] = []
    private let time: Duration
    /// How many the suite takes: unoptimised, the ranges take twenty times as long.
    package static let usual = _isDebugAssertConfiguration() ? 200 : 2_000
    /// A few say what is wrong; more take long to make small.
    private static let mostFailures = 5

    /// - Parameters:
    ///   - count: of graphs.
    ///   - seed: of the first one; each has one of its own.
    package init(count: Int, seed: UInt64) throws {
        let proof = try GraphProof()
        let begin = ContinuousClock.now
        var seeds = SeededNumbers(seed: seed)
        for index in 0..<count where failures.count < Self.mostFailures {
            let own = seeds.next()
            let (graph, inputs) = FunctionGraphs.graph(seed: own)
            guard !graph.outputs.isEmpty else { continue }
            guard let problem = Self.problem(proof, graph, inputs, &tally) else { continue }
            failures.append(
                "graph \(index): \(Self.shrunk(proof, graph, inputs, problem))")
        }
        time = ContinuousClock.now - begin
    }

    package var summary: String {
        let share = tally.elements > 0 ? 100 * tally.sharp / tally.elements : 0
        return "\(tally.graphs) graphs, \(tally.elements) elements, \(share) % known to three digits, \(time)"
    }

    private static func problem(
        _ proof: GraphProof, _ graph: CoreMLGraph, _ inputs: [CoreMLTensor], _ tally: inout GraphProof.Tally
    ) -> String? {
        do {
            return try proof.problem(graph, inputs, &tally)
        } catch {
            return "\(error)"
        }
    }

    private static func shrunk(
        _ proof: GraphProof, _ graph: CoreMLGraph, _ inputs: [CoreMLTensor], _ problem: String
    ) -> String {
        var ignored = GraphProof.Tally()
        // The same way to fail: a set and a form, before the numbers.
        let kind = problem.prefix { $0 != ":" }
        let small = GraphShrinker(graph, inputs) { graph, inputs in
            var ignored = GraphProof.Tally()
            return Self.problem(proof, graph, inputs, &ignored)?.hasPrefix(kind) ?? false
        }
        let last = Self.problem(proof, small.graph, small.inputs, &ignored) ?? problem
        return "\(last)\n\(small.description)"
    }
}
