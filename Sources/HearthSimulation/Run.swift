internal import HearthRuntime

/// Executes lives one after another, and aggregates their results.
@MainActor
struct Run {
    private(set) var report: SimulationReport
    private let fault: SimulationFault?
    private var trace: EventDigest
    private var jobs = 0

    /// Creates a run.
    /// - Parameter history: the number of last events that a violation includes.
    init(seed: UInt64, fault: SimulationFault?, history: Int = 20) {
        report = SimulationReport(seed: seed)
        self.fault = fault
        trace = EventDigest(kept: history)
    }

    /// The last events, oldest first.
    var lines: [String] { trace.lines }

    var finished: SimulationReport {
        var report = report
        report.digest = trace.digest
        return report
    }

    /// Executes a life up to its end or a violation.
    mutating func live(_ life: Life) async {
        let episode = SimulationRun(life, fault: fault)
        var last = 0
        report.lives += 1
        for event in life.events where !episode.isBroken {
            last = event.number
            report.events += 1
            let entry = await episode.step(event)
            trace.append(entry, tally: episode.world.note { $0.tally }, ran: jobs + episode.executor.ran)
            report.eventsByKind[event.action.kind, default: 0] += 1
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
            Violation(event: last, invariant: $0.invariant, detail: $0.detail, history: trace.lines)
        }
        if !found.isEmpty { await episode.abandon() }
        // Let other users of the main thread run.
        await MainThread.turn()
    }

    private struct Found: Sendable {
        var invariant: Invariant
        var detail: String
    }
}
