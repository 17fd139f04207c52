import Foundation
import HearthModels
import HearthRuntime

/// `hearth conditions`: the device's conditions, and each policy's current decision.
struct ConditionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions",
        abstract: "Shows battery, power, heat and memory, and what each policy decides now.",
        discussion: """
            prewarm    whether a model may be loaded before it is asked for
            residency  what should happen to the model while the user does what --activity says
            budget     how much may be computed: all the time (full), half of the time (reduced) or not at
                       all (suspended); it drops at once and recovers after ten calm seconds
            tier       the model that fits into memory: large, small or none (libraryOnly)

            With --watch, prints a line for each change until Ctrl-C, or until the script has no more changes.
            """,
        examples: [
            ("conditions", "Prints readings, their sources, and decisions."),
            ("conditions --watch --json", "One JSON object for each change, until Ctrl-C."),
            (
                "conditions --watch --simulate thermal=serious@2s,thermal=nominal@4s",
                "Shows the effect of heat on a cool device."
            ),
        ])

    @Flag(help: "Prints a line for each change, until Ctrl-C or the end of the script.")
    var watch = false
    @OptionGroup var simulation: DeviceScriptOptions
    @Option(valueName: "A", help: "User activity assumed for residency.")
    var activity: UserActivity = .browsing
    @Flag(help: "Assumes for residency that the model is in memory.")
    var loaded = false
    @Flag(help: "Prints one JSON object; with --watch, one per line.")
    var json = false

    mutating func run() async throws {
        let monitor = try simulation.monitor()
        let usage = try Usage(isSimulated: simulation.script() != nil)
        if watch { return try await follow(monitor, usage) }

        let conditions = usage.complete(monitor.current())
        var budget = InferenceBudget()
        budget.update(conditions, at: .zero)
        let report = report(conditions, budget)
        if json { return try Output.standard.writeJSON(report) }
        let terminal = Terminal(.standard)
        Output.standard.write(
            report.table(sources: usage.complete(monitor.sources())) { terminal?.dim($0) ?? $0 })
    }

    private func report(_ conditions: DeviceConditions, _ budget: InferenceBudget) -> ConditionsReport {
        ConditionsReport(
            conditions, activity: activity, isLoaded: loaded, budget: budget, tierPolicy: ModelTierPolicy())
    }

    private enum Event {
        case change(DeviceConditions)
        /// The budget may have recovered.
        case recovery
        /// There will be no more changes.
        case end
    }

    private func follow(_ monitor: any DeviceMonitor, _ usage: Usage) async throws {
        let begin = ContinuousClock.now
        let (events, sender) = AsyncStream.makeStream(of: Event.self)
        let listener = Task {
            for await conditions in monitor.conditions() { sender.yield(.change(usage.complete(conditions))) }
            sender.yield(.end)
        }
        defer { listener.cancel() }

        var budget = InferenceBudget()
        var last: DeviceConditions?
        var printed: InferenceBudget.Level?
        var hasEnded = false
        if !json { Output.standard.writeLine(ConditionsReport.heading) }
        for await event in events {
            let time = ContinuousClock.now - begin
            let before = last
            switch event {
            case .change(let conditions): last = conditions
            case .recovery: break
            case .end: hasEnded = true
            }
            guard let conditions = last else { break }
            budget.update(conditions, at: time)
            if before != conditions || printed != budget.level {
                let report = report(conditions, budget)
                if json {
                    try Output.standard.writeJSON(report)
                } else {
                    Output.standard.writeLine(report.line(after: time / .seconds(1)))
                }
                printed = budget.level
            }
            if let recovery = budget.recoversAt {
                Task {
                    try await Task.sleep(until: begin + recovery, clock: .continuous)
                    sender.yield(.recovery)
                }
            } else if hasEnded {
                break
            }
        }
    }

    /// Recent use of Hearth, which no sensor reports.
    private struct Usage {
        var recent: Int?

        init(isSimulated: Bool) { recent = isSimulated ? nil : RecentUse.sessions() }

        func complete(_ conditions: DeviceConditions) -> DeviceConditions {
            guard let recent else { return conditions }
            var conditions = conditions
            conditions.recentSessions = recent
            return conditions
        }

        func complete(_ sources: [String: String]) -> [String: String] {
            recent == nil ? sources : sources.merging(["recentSessions": "within seven days, from usage.json"]) { $1 }
        }
    }
}

extension UserActivity: ExpressibleByArgument {}
