import Foundation

/// The reason why a constraint cannot be used.
package enum GrammarError: Error, Equatable, Sendable {
    /// The text of a constraint is invalid: the place, and the problem.
    case malformed(place: String, problem: String)
    /// A constraint uses features that cannot be enforced, each given as `#/json/pointer: keyword`.
    case unsupported([String])
    /// Nothing satisfies the constraint.
    case allowsNothing(place: String)
    /// Enforcing the constraint takes more work or memory than allowed.
    case tooComplex(String)
}

extension GrammarError: LocalizedError {
    package var errorDescription: String? {
        switch self {
        case .malformed(let place, let problem): "\(problem) (\(place)). Correct it."
        case .unsupported(let keywords):
            "the constraint uses features that cannot be enforced (\(keywords.joined(separator: ", "))). Remove them."
        case .allowsNothing(let place): "nothing satisfies the constraint (\(place)). Loosen it."
        case .tooComplex(let what): "the constraint is too complex (\(what)). Make it simpler."
        }
    }
}
