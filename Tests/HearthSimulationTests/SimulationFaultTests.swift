import HearthSimulation
import Testing

@Suite("Bugs on purpose", .timeLimit(.minutes(20)))
struct SimulationFaultTests {
    /// Events within which every seed so far has found each of them, many times over.
    static let length = 400_000

    @Test("A bug on purpose is found, named, and found again at the same event", arguments: SimulationFault.allCases)
    func found(fault: SimulationFault) async throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            let report = await Simulation.run(SimulationOptions(seed: seed, events: Self.length, fault: fault))
            let violation = try #require(report.violations.first, "seed \(seed) does not find it")
            #expect(report.violations.contains { fault.breaks.contains($0.invariant) }, "\(report.violations)")
            #expect(violation.event == report.events && violation.history.count == min(20, report.events))

            let again = await Simulation.run(SimulationOptions(seed: seed, events: violation.event, fault: fault))
            #expect(again.violations == report.violations)
            #expect(again.digest == report.digest)

            let without = await Simulation.run(SimulationOptions(seed: seed, events: violation.event))
            #expect(without.violations.isEmpty, "without the bug there is none")
        }
    }

    @Test("A bug on purpose shrinks to a few events, which show it alone", arguments: SimulationFault.allCases)
    func shrunk(fault: SimulationFault) async throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            let report = await Simulation.run(SimulationOptions(seed: seed, events: Self.length, fault: fault))
            let script = try #require(await Simulation.shrink(report, fault: fault, within: .seconds(900)))
            #expect(script.isMinimal && script.events.count <= min(16, script.from), "\(script)")
            #expect(script.lines.count == script.events.count)
            #expect(script.events == script.events.sorted() && Simulation.areOfOneLife(script.events, seed: seed))
            #expect(script.violations.contains { $0.invariant == report.violations.first?.invariant })

            let again = await Simulation.replay(seed: seed, events: script.events, fault: fault)
            #expect(again.violations.map(\.detail) == script.violations.map(\.detail))
            #expect(again.violations.first?.history == script.lines)
            let without = await Simulation.replay(seed: seed, events: script.events)
            #expect(without.violations.isEmpty && without.events == script.events.count)
        }
    }

    @Test("Shrinking ends at its limits with what it has")
    func limits() async throws {
        let fault = SimulationFault.forgottenCaller
        let report = await Simulation.run(SimulationOptions(seed: 1, events: Self.length, fault: fault))
        let whole = try #require(await Simulation.shrink(report, fault: fault, attempts: 0))
        #expect(!whole.isMinimal && whole.attempts == 0 && whole.events.count == whole.from)
        #expect(whole.violations.map(\.detail) == report.violations.map(\.detail))
        let untimed = try #require(await Simulation.shrink(report, fault: fault, within: .zero))
        #expect(untimed == whole)
        let some = try #require(await Simulation.shrink(report, fault: fault, attempts: 5))
        #expect(!some.isMinimal && some.attempts == 5 && !some.violations.isEmpty)
        #expect(await Simulation.shrink(Simulation.run(SimulationOptions(seed: 1, events: 100))) == nil)
    }
}
