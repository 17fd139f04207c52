import Foundation
import HearthSimulation

/// `hearth simulate`: the model lifecycle in simulated time, with random orders of events.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs the model lifecycle through random events and checks its invariants.",
        discussion: """
            Drives the real runner, store and policies on a simulated engine, device, clock and threads: callers
            arrive, give up and are cancelled, loads fail and hang, the device gets hot, runs short of memory
            and goes to the background. After every event the invariants are checked: at most one model is
            loaded, nothing is loaded while suspended or used after release, the state is accurate, every caller
            gets an answer, nothing leaks, and progress never goes back. Equal seeds give equal runs.

            If an invariant is violated, the exit status is 1, and the failing run is shrunk: events are left
            out one by one as long as it still fails in the same way, and the rest is printed. --only replays
            such events without the others. --fault injects a bug on purpose, to show that it is detected.
            """,
        examples: [
            ("simulate --seed 1 --events 1000000", "A million events."),
            ("simulate --seed 7 --events 20000 --json", "The same, as JSON."),
            ("simulate --seed 1 --events 20000 --fault second-owner", "Shows how a violation is reported."),
            ("simulate --seed 1 --only 3,17,42", "Replays these events only."),
        ])

    @Option(valueName: "N", help: "Seed of the events; equal seeds give equal runs.")
    var seed: UInt64 = 1
    @Option(valueName: "K", help: "Number of events (default: 100000).")
    var events: Int?
    @Option(valueName: "LIST", help: "Replays only these events, all of one run: comma-separated numbers.")
    var only: String?
    @Option(valueName: "F", help: "Injects a bug on purpose.")
    var fault: SimulationFault?
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        try checkPositive("events", events)
        guard only != nil else { return }
        if events != nil { throw UsageError("'--only' lists the events: leave '--events' out") }
        _ = try listed()
    }

    /// The sorted events of `--only`; nil without it.
    private func listed() throws -> [Int]? {
        guard let only else { return nil }
        let numbers = only.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.allSatisfy({ $0 > 0 }) else {
            throw UsageError("'--only \(only)' is not a list: expected numbers from 1, with commas between them")
        }
        return Set(numbers).sorted()
    }

    private struct Result: Encodable {
        struct Entry: Encodable {
            var event: Int
            var invariant: String
            var rule: String
            var detail: String
            var history: [String]
        }
        /// An event of the shrunk script, and the state observed after it.
        struct Step: Encodable {
            var event: Int
            var line: String
        }
        var seed: UInt64
        var events: Int
        var violations: [Entry]
        var shrunk: [Step]
        var replay: String?
        var digest: String
        var lives: Int
        var virtualSeconds: Double
        var seconds: Double
        var eventsByKind: [String: Int]
        var states: [String: Int]
        var answers: [String: Int]
    }

    mutating func run() async throws {
        let listed = try listed()
        let begin = ContinuousClock.now
        let report = if let listed { try await replayed(listed) } else { await simulated() }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let script = listed == nil ? await Simulation.shrink(report, fault: fault) : nil
        if json {
            try Output.standard.writeJSON(result(report, script, seconds: seconds))
        } else {
            Output.standard.write(text(report, script, seconds: seconds))
        }
        guard let first = report.violations.first else { return }
        throw CommandFailure(
            .failure, "an invariant is violated: \(first.invariant.rule)", at: "seed \(seed), event \(first.event)",
            todo: "Replay it with '\(again(first))'.")
    }

    private func simulated() async -> SimulationReport {
        let events = events ?? 100_000
        let meter = json ? nil : ProgressMeter(total: events, label: "simulating")
        let report = await Simulation.run(
            HearthSimulation.SimulationOptions(seed: seed, events: events, fault: fault), progress: { meter?.show($0) })
        meter?.clear()
        return report
    }

    private func replayed(_ events: [Int]) async throws -> SimulationReport {
        guard Simulation.areOfOneLife(events, seed: seed) else {
            throw UsageError("the events of '--only' belong to several runs: expected those of one")
        }
        return await Simulation.replay(seed: seed, events: events, fault: fault)
    }

    /// The command that reproduces the violation, from all events or from the listed ones.
    private func again(_ violation: Violation) -> String {
        command(only.map { "--only \($0)" } ?? "--events \(violation.event)")
    }

    private func again(_ script: ShrunkScript) -> String {
        command("--only \(script.events.map(String.init).joined(separator: ","))")
    }

    private func command(_ words: String) -> String {
        "hearth simulate --seed \(seed) \(words)" + (fault.map { " --fault \($0.rawValue)" } ?? "")
    }

    private func result(_ report: SimulationReport, _ script: ShrunkScript?, seconds: Double) -> Result {
        Result(
            seed: seed, events: report.events,
            violations: report.violations.map {
                .init(
                    event: $0.event, invariant: $0.invariant.rawValue, rule: $0.invariant.rule, detail: $0.detail,
                    history: $0.history)
            },
            shrunk: script.map { script in
                zip(script.events, script.lines).map { Result.Step(event: $0, line: $1) }
            } ?? [], replay: script.map(again) ?? report.violations.first.map(again),
            digest: String(format: "%016llx", report.digest), lives: report.lives,
            virtualSeconds: report.virtualTime / .seconds(1), seconds: seconds,
            eventsByKind: Dictionary(uniqueKeysWithValues: report.eventsByKind.map { ($0.key.rawValue, $0.value) }),
            states: report.states, answers: report.tally.answers)
    }

    private func text(_ report: SimulationReport, _ script: ShrunkScript?, seconds: Double) -> String {
        let rate = Int(Double(report.events) / max(seconds, 1e-9))
        let kinds = EventKind.allCases.map { ($0.rawValue, report.eventsByKind[$0, default: 0]) }
        let tally = report.tally
        var lines = [
            "seed        \(seed)",
            "events      \(report.events) in \(String(format: "%.1f", seconds)) s, \(rate) per second",
            "virtual     \(String(format: "%.1f", report.virtualTime / .seconds(3600))) hours, \(report.lives) runs",
            "kinds       \(counts(kinds))",
            "states      \(counts(report.states.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))",
            "engine      loads \(tally.loads), failures \(tally.failures), cancelled \(tally.cancelledLoads), "
                + "uses \(tally.uses), interrupted \(tally.interrupts), unloads \(tally.unloads)",
            "answers     \(counts(tally.answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))",
            "digest      \(String(format: "%016llx", report.digest))",
            "violations  \(report.violations.isEmpty ? "none" : String(report.violations.count))",
        ]
        if let first = report.violations.first {
            lines += report.violations.map { "  broken: \($0.invariant.rule): \($0.detail)" }
            lines += [script == nil ? "the events:" : "the last events:"] + first.history.map { "  \($0)" }
            lines.append("again: \(again(first))")
        }
        if let script { lines += shrunk(script) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func shrunk(_ script: ShrunkScript) -> [String] {
        var lines = [
            "shrunk      \(script.events.count) of the \(script.from) events of this life, after \(script.attempts) tries"
                + (script.isMinimal ? "; none can be left out" : "; the search stopped at its limits")
        ]
        lines += zip(1..., script.lines).map { "  \($0). \($1)" }
        lines += script.violations.map { "  then: \($0.invariant.rule): \($0.detail)" }
        lines.append("again: \(again(script))")
        return lines
    }

    private func counts(_ entries: [(String, Int)]) -> String {
        entries.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension SimulationFault: ExpressibleByArgument {}
