/// What the user is doing, as far as it matters to a model.
public enum UserActivity: String, Sendable, Codable, CaseIterable {
    /// The model is in use, or the user waits for its answer.
    case session
    /// A session may begin at any moment.
    case browsing
    /// Nothing suggests that the model will be needed.
    case idle
}

/// Decides whether a model should be in memory now.
///
/// The first row that applies decides:
///
/// | conditions | loaded | not loaded |
/// |---|---|---|
/// | critical memory pressure, or critical heat | suspend | suspend |
/// | background | release | delay |
/// | memory warning | release | delay |
/// | serious heat, session | keep warm (the budget is reduced) | delay |
/// | serious heat, no session | release | delay |
/// | session | keep warm | keep warm: load now |
/// | browsing | leave | prewarm if `PrewarmPolicy` allows it, else leave |
/// | idle | leave | leave |
///
/// An implausible temperature (`unknown`, a broken sensor) prevents prewarming but not a session, because such a device would
/// otherwise never answer. Low-power mode does not affect a loaded model: mapped weights at rest use no power.
public struct ResidencyPolicy: Sendable, Equatable {
    /// Decides for a user who is browsing.
    package var prewarm = PrewarmPolicy()
    /// Whether a session continues under serious heat, with the reduced budget. Unloading the model would not cool the device
    /// more than the budget does, and loading it again would heat it.
    package var sessionsOutlastSeriousHeat = true

    /// The policy as documented.
    public init() {}

    /// What to do with the model, and why.
    package typealias Decision = PolicyDecision<Action>

    /// What to do with the model.
    package enum Action: String, Sendable, Codable, CaseIterable {
        /// Load it now if it is not, and keep it.
        case keepWarm
        /// Load it now, at low priority, before it is requested.
        case prewarm
        /// Do nothing: a loaded model stays, an unloaded one is loaded when a session needs it.
        case leave
        /// Do not load it now, not even for a session; decide again when conditions change.
        case delay
        /// Unload it and remember where it stopped, so that it can resume; loading again is allowed once this passes.
        case release
        /// Stop what runs, unload it, remember where it stopped, and load nothing until this passes.
        case suspend

        /// Whether a session that begins now may load the model.
        package var allowsLoading: Bool { self == .keepWarm || self == .prewarm || self == .leave }
    }

    /// The decision for one moment.
    package func decide(_ activity: UserActivity, _ conditions: DeviceConditions, isLoaded: Bool) -> Decision {
        if conditions.memoryPressure == .critical {
            return Decision(
                .suspend, "The system has run out of memory (critical); nothing is loaded until it has some.")
        }
        if conditions.thermal == .critical {
            return Decision(.suspend, "The device is too hot (critical); nothing is loaded until it cools down.")
        }
        if conditions.phase == .background {
            return give(isLoaded, "The app is in the background", until: "it is in front again")
        }
        if conditions.memoryPressure == .warning {
            return give(isLoaded, "The system is short of memory (warning)", until: "it has some again")
        }
        if conditions.thermal == .serious {
            if activity == .session, isLoaded, sessionsOutlastSeriousHeat {
                return Decision(.keepWarm, "The device is warm (serious); the session continues more slowly.")
            }
            return give(isLoaded, "The device is too warm (serious)", until: "it cools down")
        }
        switch activity {
        case .session:
            return Decision(.keepWarm, "A session is under way.")
        case .browsing where !isLoaded:
            let ahead = prewarm.decide(conditions)
            return Decision(ahead.isAllowed ? .prewarm : .leave, ahead.reason)
        case .browsing, .idle:
            return Decision(
                .leave, isLoaded ? "Nothing asks for its memory; the model stays." : "Nothing asks for the model.")
        }
    }

    /// Releases the model, or delays its loading.
    private func give(_ isLoaded: Bool, _ why: String, until end: String) -> Decision {
        isLoaded
            ? Decision(.release, "\(why); the model is released and can resume when \(end).")
            : Decision(.delay, "\(why); the model is not loaded until \(end).")
    }
}
