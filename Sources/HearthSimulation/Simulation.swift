internal import HearthRuntime

/// What to simulate.
package struct SimulationOptions: Sendable {
    /// Chooses everything that happens.
    package var seed: UInt64
    /// How many events, at least 1.
    package var events: Int
    /// A bug on purpose.
    package var fault: SimulationFault?

    /// At least one event.
    package init(seed: UInt64, events: Int, fault: SimulationFault? = nil) {
        self.seed = seed
        self.events = max(1, events)
        self.fault = fault
    }
}

/// What a simulation went through and found.
package struct SimulationReport: Sendable {
    /// Finds the same again.
    package var seed: UInt64
    /// Events that took place: all that were asked for, or those up to the first violation.
    package var events = 0
    /// What was broken, at the last event; empty where all held.
    package var violations: [Violation] = []
    /// How often each kind of event took place.
    package var eventsByKind: [EventKind: Int] = [:]
    /// After how many events each state was seen.
    package var states: [String: Int] = [:]
    /// What engine and callers went through.
    package var tally = Tally()
    /// Lives of a runner.
    package var lives = 0
    /// Time that passed in the simulation.
    package var virtualTime = Duration.zero
    /// Stands for everything that was done and seen; equal for equal seeds.
    package var digest: UInt64 = 0
}

/// The fewest events that still break the rule: what is left of a life when everything that does not matter is taken out.
package struct ShrunkScript: Sendable, Equatable {
    /// Numbers of the events, in order: what `Simulation.replay` takes.
    package var events: [Int]
    /// How many events the life had up to the violation.
    package var from: Int
    /// What breaks, once these events are lived alone.
    package var violations: [Violation]
    /// The events, each with what was seen after it, one a line.
    package var lines: [String]
    /// Lives that were tried.
    package var attempts: Int
    /// Whether leaving out any one more event keeps the rule whole; false where the limits ended the search before that was known.
    package var isMinimal: Bool
}

/// Drives the real runner and store through random runs, on a clock and threads that are simulated: whatever it finds, the
/// same seed finds again.
@MainActor
package enum Simulation {
    /// Lives one life after the other, up to the first violation.
    /// - Parameter progress: events done; called now and then.
    package static func run(
        _ options: SimulationOptions, progress: @escaping @MainActor @Sendable (Int) -> Void = { _ in }
    ) async -> SimulationReport {
        await onDriver {
            var run = Run(seed: options.seed, fault: options.fault)
            while run.report.events < options.events, run.report.violations.isEmpty, !Task.isCancelled {
                let next = run.report.events + 1
                let life = Life.containing(next, seed: options.seed).ending(with: options.events)
                await run.live(life)
                progress(run.report.events)
            }
            return run.finished
        }
    }

    /// Lives some events of one life, without the others.
    /// - Parameter events: numbers as a report has them, of one life (`areOfOneLife`).
    /// - Returns: what `run` would, about these events only.
    package static func replay(
        seed: UInt64, events: [Int], fault: SimulationFault? = nil
    ) async -> SimulationReport {
        guard let first = events.first else { return SimulationReport(seed: seed) }
        return await onDriver {
            let life = Life.containing(first, seed: seed).keeping(Set(events))
            return await live(life, seed: seed, fault: fault, history: life.events.count)
        }
    }

    /// Whether these events belong to one life of the seed's run. Events are counted from 1.
    package nonisolated static func areOfOneLife(_ events: [Int], seed: UInt64) -> Bool {
        guard let first = events.first, events.allSatisfy({ $0 > 0 }) else { return false }
        let numbers = Set(Life.containing(first, seed: seed).events.map(\.number))
        return numbers.isSuperset(of: events)
    }

    /// Leaves out events of the life in which a report's violation was found for as long as the same rule is broken in the same way.
    /// - Parameters:
    ///   - attempts: lives to try at most; equal seeds give equal scripts where this, and not the time, is the limit.
    ///   - limit: time that may be spent.
    /// - Returns: nil where the report has no violation.
    package static func shrink(
        _ report: SimulationReport, fault: SimulationFault? = nil, attempts: Int = 3000,
        within limit: Duration = .seconds(20)
    ) async -> ShrunkScript? {
        guard let violation = report.violations.first else { return nil }
        let whole = Life.containing(violation.event, seed: report.seed).ending(with: violation.event)
        return await onDriver {
            var shrinking = Shrinking(life: whole, fault: fault, violation: violation, attempts: attempts, limit: limit)
            return await shrinking.script()
        }
    }

    /// One life alone.
    package static func live(
        _ life: Life, seed: UInt64 = 0, fault: SimulationFault? = nil, history: Int = 20
    ) async -> SimulationReport {
        var run = Run(seed: seed, fault: fault, history: history)
        await run.live(life)
        return run.finished
    }

    /// Runs on the main thread in a fixed order. At a high priority: who waits for the result must not be able to raise it midway,
    /// because tasks inherit it and actors look at it.
    static func onDriver<Result: Sendable>(_ work: @escaping @MainActor @Sendable () async -> Result) async -> Result {
        let driver = Task(executorPreference: MainThread.executor, priority: .high, operation: work)
        return await withTaskCancellationHandler {
            await driver.value
        } onCancel: {
            driver.cancel()
        }
    }
}
