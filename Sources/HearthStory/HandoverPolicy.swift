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
/// The first row that applies decides. "Chosen" means that the model was named by somebody who can fix the problem.
///
/// | reason | nothing written | written, still within patience | written, patience at its end |
/// |---|---|---|---|
/// | heat, memory, background, unavailable | hand over | wait | hand over |
/// | size, theme | hand over | hand over | hand over |
/// | stopped, less than a story told | hand over | hand over | hand over |
/// | stopped, a story told | – | end | end |
/// | missing, language, failed; model chosen, nothing told | refuse | refuse | refuse |
/// | missing, language, failed | hand over | hand over | hand over |
public struct HandoverPolicy: Sendable, Equatable {
    /// How long a story waits for a model that was taken away in its middle.
    package var patience: Duration = .seconds(30)
    /// So many sentences are a story: one that was stopped later is not followed by another.
    package var shortestStory = 12
    /// Whether a model fits the device at all.
    package var tier = ModelTierPolicy()

    /// The policy as documented.
    public init() {}

    /// All that the decision depends on.
    package struct Situation: Sendable, Equatable {
        /// Why the model does not tell.
        package var reason: HandoverReason
        /// Sentences that were told.
        package var told = 0
        /// Whether the model has begun to write.
        package var hasBegun = false
        /// Whether `patience` is used up.
        package var hasWaited = false
        /// Whether somebody asked for this very model.
        package var isChosen = false

        /// A situation.
        /// - Parameter hasBegun: nil where what was told says it.
        public init(
            _ reason: HandoverReason, told: Int = 0, hasBegun: Bool? = nil, hasWaited: Bool = false,
            isChosen: Bool = false
        ) {
            (self.reason, self.told, self.hasWaited, self.isChosen) = (reason, told, hasWaited, isChosen)
            self.hasBegun = hasBegun ?? (told > 0)
        }
    }

    /// What to do.
    package enum Decision: String, Sendable, CaseIterable {
        /// The model may come back in time.
        case wait
        /// Close what was told gently, then a finished story.
        case handOver
        /// What was told is a story.
        case end
        /// An error for who chose this model.
        case refuse
    }

    /// The decision for one situation.
    package func decide(_ situation: Situation) -> Decision {
        switch situation.reason {
        case .heat, .memory, .background, .unavailable:
            situation.hasBegun && !situation.hasWaited ? .wait : .handOver
        case .size, .theme: .handOver
        case .stopped: situation.told >= shortestStory ? .end : .handOver
        case .missing, .language, .failed: situation.isChosen && situation.told == 0 ? .refuse : .handOver
        }
    }

    /// What keeps a model from beginning a story on this device now; nil where nothing does.
    /// - Parameters:
    ///   - needs: what the model takes; nil where that is not known.
    ///   - isLoaded: a model that is warm may go on in serious heat.
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
    /// What troubles a device so that a session cannot have its model, the worst first, as `ResidencyPolicy` has it.
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

    /// What an error of the model means for the story.
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
