/// What a policy decides to do, and why.
package struct PolicyDecision<Action: Sendable & Equatable>: Sendable, Equatable {
    /// What to do.
    package var action: Action
    /// One sentence for the user.
    package var reason: String

    init(_ action: Action, _ reason: String) {
        self.action = action
        self.reason = reason
    }
}
