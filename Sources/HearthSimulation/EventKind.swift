/// The kinds of events in the life of a model.
package enum EventKind: String, Sendable, CaseIterable, Codable {
    case prepare, use, cancel, release, suspend, resume
    /// The engine's next step fails; the next step is slow or hangs.
    case failure, slow
    /// An observer subscribes or unsubscribes.
    case observe, leave
    /// Queued jobs run; time passes.
    case work, time
    /// Changes of the device and the user, if there is a store.
    case heat, memory, battery, phase, activity
}
