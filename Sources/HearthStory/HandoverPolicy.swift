internal import HearthCompute
public import HearthRuntime

/// Why a model cannot tell a story, or cannot continue it.
public enum HandoverReason: String, Sendable, Codable, CaseIterable {
    /// The device is too warm.
    case heat
    /// The system is short of memory.
    case memory
    /// The app is in the background.
    case background
    /// The device does not have enough memory for the model.
    case size
    /// The model was released, and the reason no longer applies.
    case unavailable
    /// There is no model.
    case missing
    /// The model does not write the story's language.
    case language
    /// The model cannot be loaded, or failed in the middle.
    case failed
    /// The filter ended the story.
    case stopped
    /// The theme that an adult asked for is not suitable for a bedtime story.
    case theme
}

/// Decides how a story continues when its model cannot tell it, or cannot continue it.
///
/// The first row that matches decides. "Chosen" means that the model was requested by someone who can fix the problem.
///
/// | reason | nothing written | written, within patience | written, patience exhausted |
/// |---|---|---|---|
/// | heat, memory, background, unavailable | hand over | wait | hand over |
/// | size, theme | hand over | hand over | hand over |
/// | stopped, less than a story told | hand over | hand over | hand over |
/// | stopped, a story told | – | end | end |
/// | missing, language, failed; model chosen, nothing told | refuse | refuse | refuse |
/// | missing, language, failed | hand over | hand over | hand over |
public struct HandoverPolicy: Sendable, Equatable {
    /// How long a story waits for a model that was taken away halfway through.
    package var patience: Duration = .seconds(30)
    /// The minimum number of sentences of a complete story: one stopped after that many is not followed by another.
    package var shortestStory = 12
    /// Decides whether the device can run a model at all.
    package var tier = ModelTierPolicy()

    /// The policy as documented.
    public init() {}

    /// The inputs of a decision.
    package struct Situation: Sendable, Equatable {
        /// Why the model is not telling the story.
        package var reason: HandoverReason
        /// The number of sentences told so far.
        package var told = 0
        /// Whether the model has started to write.
        package var hasBegun = false
        /// Whether `patience` is used up.
        package var hasWaited = false
        /// Whether this particular model was requested.
        package var isChosen = false

        /// Creates a situation.
        /// - Parameter hasBegun: nil to derive it from `told`.
        public init(
            _ reason: HandoverReason, told: Int = 0, hasBegun: Bool? = nil, hasWaited: Bool = false,
            isChosen: Bool = false
        ) {
            (self.reason, self.told, self.hasWaited, self.isChosen) = (reason, told, hasWaited, isChosen)
            self.hasBegun = hasBegun ?? (told > 0)
        }
    }

    /// The action to take.
    package enum Decision: String, Sendable, CaseIterable {
        /// Wait: the model may become available in time.
        case wait
        /// Close the unfinished story gently, then tell a finished story.
        case handOver
        /// End: what was told is a complete story.
        case end
        /// Report an error to the user, who chose this model.
        case refuse
    }

    /// Returns the decision for a situation.
    package func decide(_ situation: Situation) -> Decision {
        switch situation.reason {
        case .heat, .memory, .background, .unavailable:
            situation.hasBegun && !situation.hasWaited ? .wait : .handOver
        case .size, .theme: .handOver
        case .stopped: situation.told >= shortestStory ? .end : .handOver
        case .missing, .language, .failed: situation.isChosen && situation.told == 0 ? .refuse : .handOver
        }
    }

    /// The reason why a model cannot start a story on this device now; nil if it can.
    /// - Parameters:
    ///   - needs: the model's memory requirements; nil if unknown.
    ///   - isLoaded: whether the model is loaded; a loaded model may continue under serious thermal pressure.
    package func obstacle(_ conditions: DeviceConditions, needs: ModelNeeds?, isLoaded: Bool = false) -> HandoverReason?
    {
        if !ResidencyPolicy().decide(.session, conditions, isLoaded: isLoaded).action.allowsLoading {
            return HandoverReason(conditions) ?? .unavailable
        }
        guard let needs else { return nil }
        var tier = tier
        (tier.large, tier.small) = (needs, needs)
        return tier.decide(conditions).tier == .libraryOnly ? .size : nil
    }
}

extension HandoverReason {
    /// The most severe condition that keeps a session from using its model, in the order of `ResidencyPolicy`; nil if there is
    /// none.
    public init?(_ conditions: DeviceConditions) {
        if conditions.memoryPressure == .critical {
            self = .memory
        } else if conditions.thermal == .critical {
            self = .heat
        } else if conditions.phase == .background {
            self = .background
        } else if conditions.memoryPressure == .warning {
            self = .memory
        } else if conditions.thermal == .serious {
            self = .heat
        } else {
            return nil
        }
    }

    /// The handover reason for an error of the model.
    package init(_ error: any Error, _ conditions: DeviceConditions) {
        switch error {
        case RunnerError.failed(_, let cause): self = HandoverReason(cause, conditions)
        case is RunnerError: self = HandoverReason(conditions) ?? .unavailable
        case ComputeError.outOfMemory, ComputeError.threadsUnavailable: self = .memory
        case StoryError.languageNotSpoken: self = .language
        default: self = .failed
        }
    }
}
