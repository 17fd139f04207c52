/// Removes events from a life while it still violates the same invariant in the same way: delta debugging (Zeller and
/// Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002), from halves down to single events.
@MainActor
struct Shrinking {
    private let life: Life
    private let fault: SimulationFault?
    private let wanted: Signature
    private let limit: Duration
    private let begin = ContinuousClock.now
    private var attemptsLeft: Int
    private var attempts = 0

    /// Identifies equivalent violations: the invariant, and the message without numbers.
    private struct Signature: Equatable {
        var invariant: Invariant
        var words: String

        init(_ violation: Violation) {
            invariant = violation.invariant
            words = violation.detail.filter { !$0.isNumber && $0 != "." && $0 != "," }
        }
    }

    init(life: Life, fault: SimulationFault?, violation: Violation, attempts: Int, limit: Duration) {
        (self.life, self.fault, self.limit) = (life, fault, limit)
        wanted = Signature(violation)
        attemptsLeft = attempts
    }

    private var mayGoOn: Bool { attemptsLeft > 0 && !Task.isCancelled && ContinuousClock.now - begin < limit }

    /// Returns the shrunk script; the whole life if no event can be removed.
    mutating func script() async -> ShrunkScript {
        var kept = life.events
        // A violation ends a life early, so the list is truncated at each success.
        var size = max(1, kept.count / 2)
        var isMinimal = false
        search: while mayGoOn {
            var changed = false
            // From the end, because later events depend on earlier ones.
            var end = kept.count
            while end > 0 {
                guard mayGoOn else { break search }
                let start = max(0, end - size)
                var candidate = kept
                candidate.removeSubrange(start..<end)
                if let broken = await breaks(candidate) {
                    kept = broken
                    changed = true
                }
                end = min(start, kept.count)
            }
            if size > 1 {
                size = max(1, size / 2)
            } else if !changed {
                isMinimal = true
                break
            }
        }
        return await describe(kept, isMinimal)
    }

    /// The events up to the violation; nil if there is no equivalent violation.
    private mutating func breaks(_ events: [LifeEvent]) async -> [LifeEvent]? {
        // At least one must remain: its number identifies the life.
        guard !events.isEmpty else { return nil }
        attemptsLeft -= 1
        attempts += 1
        let report = await Simulation.live(part(events), fault: fault, history: 1)
        guard report.violations.contains(where: { Signature($0) == wanted }) else { return nil }
        return Array(events.prefix(report.events))
    }

    private func describe(_ events: [LifeEvent], _ isMinimal: Bool) async -> ShrunkScript {
        var run = Run(seed: 0, fault: fault, history: max(1, events.count))
        await run.live(part(events))
        return ShrunkScript(
            events: events.map(\.number), from: life.events.count, violations: run.finished.violations,
            lines: run.lines,
            attempts: attempts, isMinimal: isMinimal)
    }

    private func part(_ events: [LifeEvent]) -> Life {
        var part = life
        part.events = events
        return part
    }
}
