internal import HearthRuntime

/// Faults that can be injected around and into the runner. With any of them, a simulation must find a violation; they test the
/// checker itself.
package enum SimulationFault: String, Sendable, CaseIterable, Codable {
    /// A caller keeps the model and uses it after its turn.
    case useAfterRelease = "use-after-release"
    /// A second runner drives the same engine.
    case secondOwner = "second-owner"
    /// A load that never returns, even if cancelled: callers waiting for the release wait forever.
    case lostAnswer = "lost-answer"
    /// Observers receive old progress after newer progress.
    case progressGoesBack = "progress-goes-back"
    /// Warming up reports success without doing anything.
    case unprovenReady = "unproven-ready"
    /// A caller never releases the model.
    case keptModel = "kept-model"
    /// The runner forgets callers that arrive while a cancelled load is ending.
    case forgottenCaller = "forgotten-caller"
    /// The runner treats a release as finished with the previous one, although a caller arrived in between.
    case joinedRelease = "joined-release"
    /// The store does not request a load again after the model was released.
    case lostOrder = "lost-order"

    /// The mutation of the runner or the store; nil if the fault is outside of them.
    var mutation: RunnerMutation? {
        switch self {
        case .forgottenCaller: .forgetsLateCallers
        case .joinedRelease: .joinsReleases
        case .lostOrder: .trustsLastOrder
        case .useAfterRelease, .secondOwner, .lostAnswer, .progressGoesBack, .unprovenReady, .keptModel: nil
        }
    }

    /// The invariants of which one must be reported as violated: a forgotten caller may have had a deadline, or be a store.
    package var breaks: Set<Invariant> {
        switch self {
        case .useAfterRelease: [.exclusiveUse]
        case .secondOwner: [.oneModel]
        case .forgottenCaller: [.answers, .cancellation, .deadlines, .truth]
        case .lostAnswer, .joinedRelease: [.answers]
        case .progressGoesBack: [.progress]
        case .unprovenReady, .lostOrder: [.truth]
        case .keptModel: [.leaks]
        }
    }
}
