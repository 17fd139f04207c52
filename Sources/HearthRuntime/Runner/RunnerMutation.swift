/// One decision of the runner or the store, taken wrongly on purpose: mutation testing of the rules that a simulation checks.
/// Only code of this package can switch one on.
package enum RunnerMutation: Sendable {
    /// A caller that arrives while a cancelled load ends is dropped together with that load.
    case forgetsLateCallers
    /// A release that is requested during another one counts as done with it, although a caller came in between.
    case joinsReleases
    /// The store assumes that its last order still holds, although the model was released since.
    case trustsLastOrder
}
