internal import HearthRuntime

/// What to simulate.
public struct SimulationOptions: Sendable {
    /// Chooses everything that happens.
    public var seed: UInt64
    /// How many events, at least 1.
    public var events: Int
    /// A bug on purpose.
    public var fault: SimulationFault?

    /// At least one event.
    public init(seed: UInt64, events: Int, fault: SimulationFault? = nil) {
        self.seed = seed
        self.events = max(1, events)
        self.fault = fault
    }
}

/// What a simulation went through and found.
public struct SimulationReport: Sendable {
    /// Finds the same again.
    public var seed: UInt64
    /// Events that took place: all that were asked for, or those up to the first violation.
    public var events = 0
    /// What was broken, at the last event; empty where all held.
    public var violations: [Violation] = []
    /// How often each kind of event took place.
    public var eventsByKind: [EventKind: Int] = [:]
    /// After how many events each state was seen.
    public var states: [String: Int] = [:]
    /// What engine and callers went through.
    public var tally = Tally()
    /// Lives of a runner.
    public var lives = 0
    /// Time that passed in the simulation.
    public var virtualTime = Duration.zero
    /// Stands for everything that was done and seen; equal for equal seeds.
    public var digest: UInt64 = 0
}

/// Drives the real runner and store through random lives, on a clock and threads that are simulated: whatever it finds, the
/// same seed finds again.
@MainActor
public enum Simulation {
    /// - Parameter progress: events done; called now and then.
    public static func run(
        _ options: SimulationOptions, progress: @escaping @MainActor @Sendable (Int) -> Void = { _ in }
    ) async -> SimulationReport {
        let work: @MainActor @Sendable () async -> SimulationReport = { await drive(options, progress) }
        let driver = Task(executorPreference: MainThread.executor, operation: work)
        return await withTaskCancellationHandler {
            await driver.value
        } onCancel: {
            driver.cancel()
        }
    }

    private static func drive(
        _ options: SimulationOptions, _ progress: @MainActor @Sendable (Int) -> Void
    ) async -> SimulationReport {
        var report = SimulationReport(seed: options.seed)
        var dice = SeededGenerator(seed: options.seed)
        var trace = Trace()
        var jobs = 0
        while report.events < options.events, report.violations.isEmpty, !Task.isCancelled {
            var own = dice.split()
            let length = min(own.within(20...400), options.events - report.events)
            let episode = Episode(dice: own, fault: options.fault)
            report.lives += 1
            for _ in 0..<length where !episode.isBroken {
                report.events += 1
                let entry = await episode.step(report.events)
                trace.append(entry, tally: episode.world.note { $0.tally }, ran: jobs + episode.executor.ran)
                report.eventsByKind[entry.kind, default: 0] += 1
                report.states[entry.state.name, default: 0] += 1
            }
            if !episode.isBroken { await episode.end() }
            jobs += episode.executor.ran
            report.virtualTime += episode.clock.now.offset
            let (tally, found) = episode.world.note {
                ($0.tally, $0.found.map { Found(invariant: $0.0, detail: $0.1) })
            }
            report.tally.add(tally)
            report.violations = found.map {
                Violation(event: report.events, invariant: $0.invariant, detail: $0.detail, history: trace.lines)
            }
            if !found.isEmpty { await episode.abandon() }
            // Others who need the main thread have their turn.
            await MainThread.turn()
            progress(report.events)
        }
        report.digest = trace.digest
        return report
    }

    private struct Found: Sendable {
        var invariant: Invariant
        var detail: String
    }
}
