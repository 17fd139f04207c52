/// The invariants checked after every event.
package enum Invariant: String, Sendable, CaseIterable, Codable {
    case oneModel, suspension, exclusiveUse, truth, answers, cancellation, deadlines, leaks, progress

    /// The invariant in words.
    package var rule: String {
        switch self {
        case .oneModel: "at most one loaded model per owner"
        case .suspension: "no load while suspended"
        case .exclusiveUse: "one use at a time, and none after release"
        case .truth: "the state tells the truth"
        case .answers: "every waiter is answered, once, and with what happened"
        case .cancellation: "cancelling affects no other caller, and the last one ends the load"
        case .deadlines: "no caller waits beyond its deadline"
        case .leaks: "nothing leaks"
        case .progress: "progress never goes back"
        }
    }
}

/// A violated invariant.
package struct Violation: Sendable, Equatable {
    /// The number of the event, counted from 1; later events need not be replayed.
    package var event: Int
    /// The invariant.
    package var invariant: Invariant
    /// The observation that violates it.
    package var detail: String
    /// The last events up to the violation, one per line.
    package var history: [String] = []
}
