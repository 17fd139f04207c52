internal import Synchronization

/// Puts the runner's states and a load's progress together for observers. Progress may come from any
/// thread, and late; reports of an earlier load, smaller values than before, and invisible steps are dropped.
package final class StatePublisher: Sendable {

    package init() {}

    package let states = LatestValue<ModelState>(.cold)
    /// The load whose progress counts.
    private let current = Atomic<UInt64>(0)
    /// Steps that are too small to see are not published.
    private static let smallestStep = 1.0 / 512

    package func begin(load: UInt64) { current.store(load, ordering: .releasing) }

    /// - Parameter state: as the machine says; a running load's progress is kept.
    package func publish(_ state: ModelState) {
        states.update { value in
            if case .warming = state, case .warming = value { return false }
            // Ready means that everything is done: a progress bar is drawn full.
            guard value != state else { return false }
            value = state
            return true
        }
    }

    package func progress(load: UInt64, _ fraction: Double) {
        guard current.load(ordering: .acquiring) == load else { return }
        states.update { value in
            guard case .warming(let before) = value, current.load(ordering: .acquiring) == load,
                fraction >= before + Self.smallestStep || fraction >= 1 && before < 1
            else { return false }
            value = .warming(progress: min(fraction, 1))
            return true
        }
    }
}
