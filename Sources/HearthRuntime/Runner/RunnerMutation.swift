/// One decision of the runner or the store, taken wrongly on purpose: mutation testing of the rules that a simulation checks.
/// Only code of this package can switch one on.
package enum RunnerMutation: Sendable {
    /// Who asks while a cancelled load comes to its end is dropped together with that load.
    case forgetsLateCallers
    /// A release that is asked for while another is under way counts as done with it, although somebody asked in between.
    case joinsReleases
    /// The store takes its last order for what the runner still does, although the model has gone since.
    case trustsLastOrder
}
