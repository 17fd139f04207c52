/// Bugs on purpose: with one of them switched on, a simulation has to find a violation. They prove that the checker sees.
public enum SimulationFault: String, Sendable, CaseIterable, Codable {
    /// A caller keeps the model and uses it after its turn.
    case useAfterRelease = "use-after-release"
    /// A second runner drives the same engine.
    case secondOwner = "second-owner"
    /// A load that never returns, cancelled or not: whoever waits for the release waits for ever.
    case lostAnswer = "lost-answer"
    /// Somebody between runner and observer delivers old progress after new.
    case progressGoesBack = "progress-goes-back"
    /// Warming up says that it succeeded and did nothing.
    case unprovenReady = "unproven-ready"
    /// A caller never lets go of the model.
    case keptModel = "kept-model"

    /// The invariant that has to be reported as broken.
    public var breaks: Invariant {
        switch self {
        case .useAfterRelease: .exclusiveUse
        case .secondOwner: .oneModel
        case .lostAnswer: .answers
        case .progressGoesBack: .progress
        case .unprovenReady: .truth
        case .keptModel: .leaks
        }
    }
}
