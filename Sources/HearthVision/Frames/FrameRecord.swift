package import HearthRuntime

/// How one frame of a live feed was handled.
public struct FrameRecord<Output: Sendable>: Sendable {
    /// The frame's number, from 0, in the order in which frames came.
    package var frame: Int
    /// What was done with the frame.
    public var decision: FrameDecision
    /// The budget when that was decided.
    package var budget: InferenceBudget.Level
    /// The result: the model's, the last one, or the heuristic's. nil for a frame that was dropped or whose inference failed.
    public var output: Output?
    /// The frame that `output` was made from: this one, or the last that ran.
    package var basis: Int?
    /// Milliseconds spent on this frame; 0 if nothing was computed.
    package var milliseconds: Double
    /// The reason for the decision, in one sentence for a person.
    package var reason: String
    /// The error of an inference that failed; nil otherwise.
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
    /// The model ran on it.
    case run
    /// The last result was reused for it.
    case reuse
    /// It was dropped, because a newer frame arrived before the model was free.
    case drop
    /// A heuristic answered, without the model.
    case fallback
}
