import Foundation
import HearthGraphProof
import HearthTestSupport
import Testing

/// Optimising a graph never changes its numbers.
@Suite("proof of the optimiser", .timeLimit(.minutes(60)))
struct GraphProofTests {
    /// `HEARTH_GRAPHS` says how many, `HEARTH_SEED` repeats a run.
    @Test("random graphs give the numbers that they spell, on every kernel set")
    func graphs() throws {
        let count = ProcessInfo.processInfo.environment["HEARTH_GRAPHS"].flatMap { Int($0) } ?? GraphProofRun.usual
        let run = try GraphProofRun(count: count, seed: SeededNumbers.freshSeed("proof of the optimiser"))
        for failure in run.failures { Issue.record("\(failure)") }
        print(run.summary)
        // A bound that is as wide as a barn door proves nothing.
        #expect(run.tally.sharp * 10 > run.tally.elements * 5, "too few elements are known well")
    }
}
