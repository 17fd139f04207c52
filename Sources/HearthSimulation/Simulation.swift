internal import HearthRuntime

/// Options of a simulation.
package struct SimulationOptions: Sendable {
    /// Determines everything that happens.
    package var seed: UInt64
    /// The number of events, at least 1.
    package var events: Int
    /// A fault to inject.
    package var fault: SimulationFault?

    /// Creates options; at least one event is simulated.
    package init(seed: UInt64, events: Int, fault: SimulationFault? = nil) {
        self.seed = seed
        self.events = max(1, events)
        self.fault = fault
    }
}

/// The results of a simulation.
package struct SimulationReport: Sendable {
    /// The seed, which reproduces the results.
    package var seed: UInt64
    /// The number of events executed: all that were requested, or those up to the first violation.
    package var events = 0
    /// The violations found after the last event; empty if there are none.
    package var violations: [Violation] = []
    /// The number of events of each kind.
    package var eventsByKind: [EventKind: Int] = [:]
    /// The number of events after which each state was observed.
    package var states: [String: Int] = [:]
    /// Statistics of engine and callers.
    package var tally = Tally()
    /// The number of lives executed.
    package var lives = 0
    /// The simulated time.
    package var virtualTime = Duration.zero
    /// A digest of all events and observations; equal for equal seeds.
    package var digest: UInt64 = 0
}

/// A minimized list of events that still violates the invariant.
package struct ShrunkScript: Sendable, Equatable {
    /// The numbers of the events, in order; input of `Simulation.replay`.
    package var events: [Int]
    /// The number of events of the life up to the violation.
    package var from: Int
    /// The violations when only these events are executed.
    package var violations: [Violation]
    /// The events with the states observed after them, one per line.
    package var lines: [String]
    /// The number of lives tried.
    package var attempts: Int
    /// Whether removing any further event removes the violation; false if a limit ended the search before that was known.
    package var isMinimal: Bool
}

/// Tests the real runner and store with random events, on a simulated clock and executor: the same seed reproduces every
/// result.
@MainActor
package enum Simulation {
    /// Executes lives one after another, up to the first violation.
    /// - Parameter progress: called occasionally with the number of events done.
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

    /// Executes only some events of one life.
    /// - Parameter events: numbers from a report, all of one life (`areOfOneLife`).
    /// - Returns: a report about these events only.
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

    /// Removes events from the life of a report's violation while the same invariant is violated in the same way.
    /// - Parameters:
    ///   - attempts: the maximum number of lives tried; equal seeds give equal scripts if this is the effective limit.
    ///   - limit: the maximum time.
    /// - Returns: nil if the report has no violation.
    package static func shrink(
        _ report: SimulationReport, fault: SimulationFault? = nil, attempts: Int = 3000,
        within limit: Duration = .seconds(120)
    ) async -> ShrunkScript? {
        guard let violation = report.violations.first else { return nil }
        let whole = Life.containing(violation.event, seed: report.seed).ending(with: violation.event)
        return await onDriver {
            var shrinking = Shrinking(life: whole, fault: fault, violation: violation, attempts: attempts, limit: limit)
            return await shrinking.script()
        }
    }

    /// Executes a single life.
    package static func live(
        _ life: Life, seed: UInt64 = 0, fault: SimulationFault? = nil, history: Int = 20
    ) async -> SimulationReport {
        var run = Run(seed: seed, fault: fault, history: history)
        await run.live(life)
        return run.finished
    }

    /// Runs on the main thread in deterministic order. The priority is high so that waiting for the result cannot escalate it
    /// midway: tasks inherit the priority, and actors use it for scheduling.
    static func onDriver<Result: Sendable>(_ work: @escaping @MainActor @Sendable () async -> Result) async -> Result {
        let driver = Task(executorPreference: MainThread.executor, priority: .high, operation: work)
        return await withTaskCancellationHandler {
            await driver.value
        } onCancel: {
            driver.cancel()
        }
    }
}
