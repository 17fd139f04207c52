import HearthCompute
import HearthCoreML
import Testing

/// Expects two lists of tensors to be the same numbers, up to `tolerance` of the largest.
func expectSame(
    _ left: [CoreMLTensor], _ right: [CoreMLTensor], tolerance: Float = 2e-6, _ comment: Comment? = nil,
    location: SourceLocation = #_sourceLocation
) {
    #expect(left.map(\.shape) == right.map(\.shape), comment, sourceLocation: location)
    for (left, right) in zip(left, right) {
        let largest = max(1, right.values.map(abs).max() ?? 1)
        var worst: Float = 0
        for (a, b) in zip(left.values, right.values) {
            worst = max(worst, (a - b).isFinite ? abs(a - b) : .infinity)
        }
        #expect(worst <= tolerance * largest, comment, sourceLocation: location)
    }
}

/// Expects two lists of tensors to be the same numbers bit by bit, but for which NaN a NaN is.
func expectBits(
    _ left: [CoreMLTensor], _ right: [CoreMLTensor], _ comment: Comment? = nil,
    location: SourceLocation = #_sourceLocation
) {
    #expect(left.map(\.shape) == right.map(\.shape), comment, sourceLocation: location)
    for (left, right) in zip(left, right) {
        #expect(left.values.count == right.values.count, comment, sourceLocation: location)
        let places = zip(left.values, right.values).enumerated().filter { _, pair in
            pair.0.bitPattern != pair.1.bitPattern && !(pair.0.isNaN && pair.1.isNaN)
        }
        guard let (place, pair) = places.first else { continue }
        Issue.record(
            "\(comment?.rawValue ?? ""): [\(place)] is \(pair.0) instead of \(pair.1), and \(places.count - 1) more",
            sourceLocation: location)
    }
}

/// Plans a graph and runs it, twice in one session of every kernel set, beside the plain loops of the reference.
///
/// - Parameters:
///   - isFast: whether no step may be left to plain loops.
///   - isExact: whether every bit counts; inputs may be anything then.
func expectPlanned(
    _ graph: CoreMLGraph, _ inputs: [CoreMLTensor], tolerance: Float = 0, isFast: Bool = true, isExact: Bool = false,
    _ comment: Comment
) throws {
    let expected = try ReferenceExecutor { false }.run(graph, inputs)
    let (plan, requests) = try PlanBuilder(graph).build()
    #expect(plan.problem() == nil, comment)
    #expect(plan.referenceSteps.isEmpty == isFast, comment)
    let weights = try PackedWeights(plan, requests, graph)
    for kernels in KernelSet.available {
        let session = try CoreMLSession(
            PlanFile(plan: plan, interface: CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])),
            ModelWeights(weights.floats), try Compute(kernels: kernels, threads: 2))
        for _ in 0..<2 {
            let results = try session.run(inputs) { false }
            if isExact {
                expectBits(results, expected, comment)
            } else {
                expectSame(results, expected, tolerance: tolerance, comment)
            }
        }
    }
}
