import Foundation
import HearthSimulation
import Testing

/// Seeds that nobody chose: other lives each time. `HEARTH_SEED` repeats those of an earlier run.
enum FreshSeeds {
    static let first: UInt64 = {
        let given = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap(UInt64.init)
        let first = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("simulated lives: HEARTH_SEED=\(first) repeats them")
        return first
    }()

    static func some(_ count: Int) -> [UInt64] { (0..<UInt64(count)).map { first &+ $0 } }
}

@Suite("Simulation", .timeLimit(.minutes(20)))
struct SimulationTests {
    /// Some seconds of optimised code; code that is not optimised is many times slower.
    #if DEBUG
    static let length = 1000
    #else
    static let length = 10_000
    #endif

    private func expectNothingBroken(_ report: SimulationReport, _ events: Int) async {
        #expect(report.events == events)
        guard let script = await Simulation.shrink(report) else { return }
        for violation in report.violations {
            Issue.record("\(violation.invariant.rule): \(violation.detail)")
        }
        let numbers = script.events.map(String.init).joined(separator: ",")
        Issue.record(
            """
            hearth simulate --seed \(report.seed) --only \(numbers)
            \(script.lines.joined(separator: "\n"))
            """)
    }

    /// Each seed is a case of its own, so that a failure names it.
    @Test("No invariant breaks", arguments: FreshSeeds.some(16))
    func holds(seed: UInt64) async {
        let report = await Simulation.run(SimulationOptions(seed: seed, events: Self.length))
        await expectNothingBroken(report, Self.length)
    }

    /// Seeds that once found something. Lives were drawn in another way then; `LifeTests` has what these two met.
    @Test("What was found once is not found again", arguments: [12, 2_078_615_697] as [UInt64])
    func regressions(seed: UInt64) async {
        let report = await Simulation.run(SimulationOptions(seed: seed, events: 2 * Self.length))
        await expectNothingBroken(report, 2 * Self.length)
    }

    /// Who asks while a model that failed is unloaded gets that failure, and does not wait for the next load.
    @Test("A caller that comes after a failure and before its report is answered by it")
    func lateCaller() async {
        let events = [
            43_111, 43_112, 43_113, 43_116, 43_117, 43_118, 43_119, 43_120, 43_121, 43_122, 43_123, 43_124, 43_125,
            43_129, 43_130,
            43_131, 43_134, 43_135, 43_136,
        ]
        let report = await Simulation.replay(seed: 20_263_013_722, events: events)
        #expect(report.events == events.count && report.violations.isEmpty, "\(report.violations)")
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

    /// The digest covers every event, every state and the number of jobs run. That another
    /// process lives the same life is a test of the program.
    @Test("Equal seeds give equal runs, whoever asks and whatever else runs")
    func replay() async {
        let options = SimulationOptions(seed: 11, events: 1500)
        let first = await Simulation.run(options)
        let other = await Simulation.run(SimulationOptions(seed: 12, events: 1500))
        #expect(first.digest != other.digest)
        let again = await withTaskGroup(of: SimulationReport.self) { group -> [SimulationReport] in
            for priority in [TaskPriority.background, .low, .medium, .high] {
                group.addTask(priority: priority) { await Simulation.run(options) }
            }
            var reports: [SimulationReport] = []
            for await report in group { reports.append(report) }
            return reports
        }
        #expect(again.count == 4)
        for report in again {
            #expect(report.digest == first.digest)
            #expect(report.states == first.states && report.tally == first.tally)
            #expect(report.virtualTime == first.virtualTime && report.eventsByKind == first.eventsByKind)
        }
    }

    @Test("A cancelled simulation ends early")
    func cancellation() async {
        let task = Task { await Simulation.run(SimulationOptions(seed: 1, events: 100_000_000)) }
        task.cancel()
        #expect(await task.value.events < 100_000_000)
    }
}
