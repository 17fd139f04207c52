import Foundation
import HearthGraphProof
import Testing

/// Optimising a graph never changes its numbers.
@Suite("proof of the optimiser", .timeLimit(.minutes(60)))
struct GraphProofTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// `HEARTH_GRAPHS` says how many, `HEARTH_SEED` repeats a run.
    @Test("random graphs give the numbers that they spell, on every kernel set")
    func graphs() throws {
        let count = Self.environment["HEARTH_GRAPHS"].flatMap { Int($0) } ?? GraphProofRun.usual
        let seed = Self.environment["HEARTH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        print("proof of the optimiser: \(count) graphs, HEARTH_SEED=\(seed)")
        let run = try GraphProofRun(count: count, seed: seed)
        for failure in run.failures { Issue.record("\(failure)") }
        print(run.summary)
        // A bound that is as wide as a barn door proves nothing.
        #expect(run.tally.sharp * 10 > run.tally.elements * 5, "too few elements are known well")
    }
}
