internal import HearthCompute
internal import HearthSystem

/// What one step of a model costs.
package struct CoreMLLayer: Sendable, Equatable, Codable {
    /// From where in the model: an operation's type and name.
    package var place: String
    /// What computes it: `conv 1×1`, `conv depthwise`, `linear`; `reference …` for what has no fast kernel.
    package var kind: String
    /// The shape of its (first) result.
    package var shape: [Int]
    /// Multiplications and additions of its products, in pairs.
    package var multiplyAdds: Int
    /// Median, in milliseconds.
    package var ms: Double

    /// 10⁹ floating-point operations a second, two a multiply-add; 0 for steps without products.
    package var gigaflops: Double { ms > 0 ? 2e-6 * Double(multiplyAdds) / ms : 0 }
}

extension CoreMLSession {
    /// Measures every step alone, on dummy inputs.
    /// - Parameter runs: of which the median counts.
    /// - Throws: as `predict`.
    package func layers(runs: Int) async throws -> [CoreMLLayer] {
        var times = [[Double]](repeating: [], count: plan.steps.count)
        for _ in 0..<max(runs, 1) {
            for (step, milliseconds) in try await timedSteps().enumerated() { times[step].append(milliseconds) }
        }
        return zip(plan.steps, times).map { step, times in
            CoreMLLayer(
                place: step.place, kind: step.kernel.name,
                shape: step.outputs.first.map { plan.tensors[$0].shape } ?? [],
                multiplyAdds: step.multiplyAdds, ms: times.sorted()[times.count / 2])
        }
    }

    /// Multiplications and additions of one inference, in pairs.
    package var multiplyAdds: Int { plan.multiplyAdds }

    /// Floating-point operations a second that this session's threads reach at most.
    package func measuredPeak() async throws -> Double { try await onQueue { _ in self.compute.measuredPeak() } }

    /// Milliseconds of inferences on the same dummy inputs, one after the other.
    /// - Parameter next: asked before each one with how many there were; false ends the run.
    /// - Throws: as `predict`.
    package func latencies(while next: @escaping @Sendable (Int) -> Bool) async throws -> [Double] {
        let prepared = try interface.prepared(dummyInputs())
        return try await onQueue { isCancelled in
            var times: [Double] = []
            while next(times.count) {
                let begin = ContinuousClock.now
                _ = try self.run(prepared, isCancelled: isCancelled)
                times.append((ContinuousClock.now - begin).milliseconds)
            }
            return times
        }
    }
}
