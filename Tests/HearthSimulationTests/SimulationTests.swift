import HearthSimulation
import Testing

@Suite("Simulation", .timeLimit(.minutes(15)))
struct SimulationTests {
    /// Enough lives to meet everything once; each seed is a case of its own, so that a failure names it.
    @Test("No invariant breaks", arguments: 1...40 as ClosedRange<UInt64>)
    func holds(seed: UInt64) async {
        let report = await Simulation.run(SimulationOptions(seed: seed, events: 400))
        #expect(report.events == 400)
        for violation in report.violations {
            Issue.record(
                "hearth simulate --seed \(seed) --events \(violation.event): \(violation.invariant.rule): \(violation.detail)"
            )
        }
    }

    @Test("Random events reach everything that can happen")
    func coverage() async {
        let report = await Simulation.run(SimulationOptions(seed: 3, events: 5_000))
        #expect(report.violations.isEmpty)
        #expect(Set(report.eventsByKind.keys) == Set(EventKind.allCases))
        #expect(Set(report.states.keys) == ["cold", "warming", "ready", "failed", "unavailable"])
        #expect(
            Set(report.tally.answers.keys) == [
                "success", "own error", "cancelled", "released", "unavailable", "failed", "deadline",
            ])
        let tally = report.tally
        #expect(
            min(tally.loads, tally.failures, tally.uses, tally.interrupts, tally.unloads, tally.cancelledLoads) > 5)
        #expect(report.virtualTime > .seconds(600))
    }

    @Test("A bug on purpose is found, named, and found again at the same event", arguments: SimulationFault.allCases)
    func faults(fault: SimulationFault) async throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            let report = await Simulation.run(SimulationOptions(seed: seed, events: 20_000, fault: fault))
            let violation = try #require(report.violations.first, "seed \(seed) does not find it")
            #expect(report.violations.contains { $0.invariant == fault.breaks }, "\(report.violations)")
            #expect(violation.event == report.events && violation.history.count == min(20, report.events))

            let again = await Simulation.run(SimulationOptions(seed: seed, events: violation.event, fault: fault))
            #expect(again.violations == report.violations)
            #expect(again.digest == report.digest)

            let without = await Simulation.run(SimulationOptions(seed: seed, events: violation.event))
            #expect(without.violations.isEmpty, "without the bug there is none")
        }
    }

    /// The digest covers every event, every state and the number of jobs run. That another
    /// process lives the same life is a test of the program.
    @Test("Equal seeds give equal lives")
    func replay() async {
        let first = await Simulation.run(SimulationOptions(seed: 11, events: 1500))
        let again = await Simulation.run(SimulationOptions(seed: 11, events: 1500))
        let other = await Simulation.run(SimulationOptions(seed: 12, events: 1500))
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
