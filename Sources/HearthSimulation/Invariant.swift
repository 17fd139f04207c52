/// What has to hold after every event.
package enum Invariant: String, Sendable, CaseIterable, Codable {
    case oneModel, suspension, exclusiveUse, truth, answers, cancellation, deadlines, leaks, progress

    /// In words.
    package var rule: String {
        switch self {
        case .oneModel: "at most one loaded model an owner"
        case .suspension: "no load while suspended"
        case .exclusiveUse: "one use at a time, and none after release"
        case .truth: "the state tells the truth"
        case .answers: "every waiter is answered, once, and with what happened"
        case .cancellation: "cancelling touches nobody else, and the last one's ends the load"
        case .deadlines: "nobody waits beyond his deadline"
        case .leaks: "nothing leaks"
        case .progress: "progress never goes back"
        }
    }
}

/// One broken invariant.
package struct Violation: Sendable, Equatable {
    /// Counted from 1; events beyond it need not be replayed.
    package var event: Int
    /// What should have held.
    package var invariant: Invariant
    /// What was seen.
    package var detail: String
    /// The last events up to it, one a line.
    package var history: [String] = []
}
