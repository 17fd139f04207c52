/// What may happen next in the life of a model.
package enum EventKind: String, Sendable, CaseIterable, Codable {
    case prepare, use, cancel, release, suspend, resume
    /// The engine's next step fails; the next step is slow or hangs.
    case failure, slow
    /// An observer comes, or goes.
    case observe, leave
    /// Waiting jobs get to run; time passes.
    case work, time
    /// The device and the user change, where a store watches them.
    case heat, memory, battery, phase, activity
}
