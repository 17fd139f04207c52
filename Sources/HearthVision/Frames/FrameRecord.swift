package import HearthRuntime

/// What became of one frame of a live feed.
public struct FrameRecord<Output: Sendable>: Sendable {
    /// The frame's number, from 0, in the order in which frames came.
    package var frame: Int
    /// What was done with it.
    package var decision: FrameDecision
    /// How much could be computed when that was decided.
    package var budget: InferenceBudget.Level
    /// What is seen: the model's result, the last one, or the heuristic's. nil for a frame that was dropped or whose inference
    /// failed.
    package var output: Output?
    /// The frame that `output` was made from: this one, or the last that ran.
    package var basis: Int?
    /// Milliseconds that this frame was computed on; 0 for one that was not.
    package var milliseconds: Double
    /// Why, in one sentence for a person.
    package var reason: String
    /// Why the model gave no result for a frame that it looked at.
    package var failure: (any Error)?

    package init(
        frame: Int, decision: FrameDecision, budget: InferenceBudget.Level, output: Output? = nil, basis: Int? = nil,
        milliseconds: Double, reason: String, failure: (any Error)? = nil
    ) {
        self.frame = frame
        self.decision = decision
        self.budget = budget
        self.output = output
        self.basis = basis
        self.milliseconds = milliseconds
        self.reason = reason
        self.failure = failure
    }
}

/// What is done with a frame.
public enum FrameDecision: String, Sendable, Codable, CaseIterable {
    /// The model looked at it.
    case run
    /// The last result stood for it.
    case reuse
    /// A newer frame came before the model was free.
    case drop
    /// A heuristic that needs no model looked at it.
    case fallback
}
