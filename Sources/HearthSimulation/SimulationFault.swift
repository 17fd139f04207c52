internal import HearthRuntime

/// Bugs on purpose, around the runner and in it: with one of them switched on, a simulation has to find a violation. They prove that the checker sees.
package enum SimulationFault: String, Sendable, CaseIterable, Codable {
    /// A caller keeps the model and uses it after its turn.
    case useAfterRelease = "use-after-release"
    /// A second runner drives the same engine.
    case secondOwner = "second-owner"
    /// A load that never returns, cancelled or not: callers that wait for the release wait forever.
    case lostAnswer = "lost-answer"
    /// Somebody between runner and observer delivers old progress after new.
    case progressGoesBack = "progress-goes-back"
    /// Warming up says that it succeeded and did nothing.
    case unprovenReady = "unproven-ready"
    /// A caller never lets go of the model.
    case keptModel = "kept-model"
    /// The runner forgets whoever asks while a cancelled load comes to its end.
    case forgottenCaller = "forgotten-caller"
    /// The runner takes a release for done with the one before it, although somebody asked in between.
    case joinedRelease = "joined-release"
    /// The store does not order a load again after the model has gone.
    case lostOrder = "lost-order"

    /// The wrong decision in the runner or the store; nil where the bug is around them.
    var mutation: RunnerMutation? {
        switch self {
        case .forgottenCaller: .forgetsLateCallers
        case .joinedRelease: .joinsReleases
        case .lostOrder: .trustsLastOrder
        case .useAfterRelease, .secondOwner, .lostAnswer, .progressGoesBack, .unprovenReady, .keptModel: nil
        }
    }

    /// The invariants one of which has to be reported as broken: a forgotten caller may have had a deadline, or be a store.
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
