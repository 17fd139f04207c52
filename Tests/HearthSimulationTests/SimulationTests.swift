import HearthSimulation
import Testing

@Suite("Simulation", .timeLimit(.minutes(2)))
struct SimulationTests {
    /// Enough lives to meet everything once; each seed is a case of its own, so that a failure names it.
    @Test("No invariant breaks", arguments: 1...60 as ClosedRange<UInt64>)
    func holds(seed: UInt64) async {
        let report = await Simulation.run(SimulationOptions(seed: seed, events: 600))
        #expect(report.events == 600)
        for violation in report.violations {
            Issue.record(
                "hearth simulate --seed \(seed) --events \(violation.event): \(violation.invariant.rule): \(violation.detail)"
            )
        }
    }

    @Test("Random events reach everything that can happen")
    func coverage() async {
        let report = await Simulation.run(SimulationOptions(seed: 3, events: 12_000))
        #expect(report.violations.isEmpty)
        #expect(Set(report.eventsByKind.keys) == Set(EventKind.allCases))
        #expect(Set(report.states.keys) == ["cold", "warming", "ready", "failed", "unavailable"])
        #expect(
            Set(report.tally.answers.keys) == [
                "success", "own error", "cancelled", "released", "unavailable", "failed", "deadline",
            ])
        let tally = report.tally
        #expect(
            min(tally.loads, tally.failures, tally.uses, tally.interrupts, tally.unloads, tally.cancelledLoads) > 10)
        #expect(report.virtualTime > .seconds(600))
    }

    @Test("A bug on purpose is found, named, and found again at the same event", arguments: SimulationFault.allCases)
    func faults(fault: SimulationFault) async throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let report = await Simulation.run(SimulationOptions(seed: seed, events: 20_000, fault: fault))
            let violation = try #require(report.violations.first, "seed \(seed) does not find it")
            #expect(report.violations.contains { $0.invariant == fault.breaks }, "\(report.violations)")
            #expect(violation.event == report.events && violation.history.count == min(20, report.events))

            let again = await Simulation.run(SimulationOptions(seed: seed, events: violation.event, fault: fault))
            #expect(again.violations == report.violations)
            #expect(again.digest == report.digest)

            let before = await Simulation.run(SimulationOptions(seed: seed, events: 20_000))
            #expect(before.violations.isEmpty, "without the bug there is none")
        }
    }

    /// The digest covers every event, every state and the number of jobs run. The number below was printed by another process: a
    /// dictionary's order or a thread of the pool that had a say would change it from run to run.
    @Test("Equal seeds give equal lives, in every process")
    func replay() async {
        let first = await Simulation.run(SimulationOptions(seed: 11, events: 3000))
        let again = await Simulation.run(SimulationOptions(seed: 11, events: 3000))
        let other = await Simulation.run(SimulationOptions(seed: 12, events: 3000))
        #expect(first.digest == again.digest)
        #expect(first.digest != other.digest)
        #expect(first.states == again.states && first.tally == again.tally && first.virtualTime == again.virtualTime)
    }

    @Test("A cancelled simulation ends early")
    func cancellation() async {
        let task = Task { await Simulation.run(SimulationOptions(seed: 1, events: 100_000_000)) }
        task.cancel()
        #expect(await task.value.events < 100_000_000)
    }
}
