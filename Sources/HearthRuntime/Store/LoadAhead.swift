internal import Synchronization

/// A load that a store starts on its own. While it waits it counts as a caller of the model, so that another caller who
/// gives up does not end the load.
struct LoadAhead: Sendable {
    private let task: Task<Void, Never>
    private let end = End()

    private final class End: Sendable {
        let isReached = Atomic(false)
    }

    init(on executor: (any TaskExecutor)?, _ work: @escaping @Sendable () async -> Void) {
        task = Task(executorPreference: executor) { [end] in
            await work()
            end.isReached.store(true, ordering: .releasing)
        }
    }

    /// It has stopped waiting, whatever the outcome.
    var hasEnded: Bool { end.isReached.load(ordering: .acquiring) }

    func cancel() { task.cancel() }
}
