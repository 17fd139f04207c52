package import HearthRuntime

/// How one frame of a live feed was handled.
public struct FrameRecord<Output: Sendable>: Sendable {
    /// The frame's number, from 0, in order of arrival.
    package var frame: Int
    /// How the frame was handled.
    public var decision: FrameDecision
    /// The budget at the time of the decision.
    package var budget: InferenceBudget.Level
    /// The result of the model, the reused result, or the result of the fallback. nil for a frame that was dropped or whose
    /// inference failed.
    public var output: Output?
    /// The number of the frame that `output` was computed from: this one, or the last that ran.
    package var basis: Int?
    /// Milliseconds of processing time; 0 if nothing was computed.
    package var milliseconds: Double
    /// The reason for the decision, in one readable sentence.
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

/// How a frame is handled.
public enum FrameDecision: String, Sendable, Codable, CaseIterable {
    /// The model ran on it.
    case run
    /// The last result was reused for it.
    case reuse
    /// It was dropped, because a newer frame arrived before the model was free.
    case drop
    /// The fallback was used instead of the model.
    case fallback
}
