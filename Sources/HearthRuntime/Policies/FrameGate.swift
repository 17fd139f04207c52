/// Decides how a frame of a live feed is handled: run, wait in the only slot, reuse the last result, or fall back.
///
/// The first row that applies decides:
///
/// | situation | action |
/// |---|---|
/// | budget suspended | fall back |
/// | the model is not ready | fall back |
/// | budget reduced, fewer than `interval` frames since the last one that ran, a result is known | reuse it |
/// | the same, and no result is known | fall back |
/// | the model is busy | hold: the newest such frame runs when the model is free, those before it are dropped |
/// | otherwise | run |
///
/// The budget has its own hysteresis (`InferenceBudget`: it drops at once and recovers after ten seconds of better readings).
/// Frames are counted from the last one that ran, so a budget that alternates between two levels never runs more frames than the
/// higher level would.
///
/// A plain value: no clock and no I/O.
public struct FrameGate: Sendable, Equatable {
    /// Under a reduced budget one frame of this many runs; below 1 counts as 1.
    package var interval: Int

    /// - Parameter interval: under a reduced budget, one frame in this many runs.
    public init(interval: Int = 3) { self.interval = interval }

    /// Everything that a decision depends on.
    package struct Situation: Sendable, Equatable {
        /// The frame's number; numbers increase.
        package var frame: Int
        /// How much may be computed.
        package var level: InferenceBudget.Level
        /// Whether the model answers at once: not cold, being loaded, released or forbidden.
        package var isReady: Bool
        /// Whether an earlier frame is being processed.
        package var isBusy: Bool
        /// The last frame that was passed to the model; nil before the first.
        package var lastRun: Int?
        /// Whether there is a result that can be reused.
        package var hasResult: Bool

        /// A situation; the defaults describe an idle model with a full budget.
        package init(
            frame: Int, level: InferenceBudget.Level = .full, isReady: Bool = true, isBusy: Bool = false,
            lastRun: Int? = nil, hasResult: Bool = false
        ) {
            self.frame = frame
            self.level = level
            self.isReady = isReady
            self.isBusy = isBusy
            self.lastRun = lastRun
            self.hasResult = hasResult
        }
    }

    /// What to do with a frame.
    package enum Action: String, Sendable, Codable, CaseIterable {
        /// The model runs on it now.
        case run
        /// It waits in the one slot until the model is free, or a newer frame takes its place.
        case hold
        /// The last result is reused for it.
        case reuse
        /// A heuristic that needs no model is used.
        case fallback
    }

    /// What to do with a frame, and why.
    package typealias Decision = PolicyDecision<Action>

    /// The decision for one frame.
    package func decide(_ situation: Situation) -> Decision {
        if situation.level == .suspended {
            return Decision(.fallback, "The device is too hot; nothing is computed until it cools down.")
        }
        guard situation.isReady else { return Decision(.fallback, "The model is not in memory.") }
        if situation.level == .reduced, !isDue(situation) {
            let rate = "The budget is reduced; one frame of \(max(1, interval)) runs"
            return situation.hasResult
                ? Decision(.reuse, "\(rate), the last result stands.")
                : Decision(.fallback, "\(rate), and there is no result yet.")
        }
        return situation.isBusy
            ? Decision(.hold, "The model is busy; the newest frame waits.") : Decision(.run, "The model is free.")
    }

    /// Whether enough frames have passed. If numbers do not increase, the frame is due: one extra inference does no harm.
    private func isDue(_ situation: Situation) -> Bool {
        guard let last = situation.lastRun else { return true }
        let (passed, overflow) = situation.frame.subtractingReportingOverflow(last)
        return overflow || passed <= 0 || passed >= max(1, interval)
    }
}
