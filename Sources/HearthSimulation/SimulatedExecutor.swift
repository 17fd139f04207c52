internal import Synchronization

/// Runs tasks one job at a time, on request. The simulation chooses which queued job runs next; this exercises interleavings
/// that are extremely rare with real threads.
final class SimulatedExecutor: TaskExecutor, Sendable {
    private struct Storage {
        var jobs: [UnownedJob] = []
        var ran = 0
    }
    private let storage = Mutex(Storage())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        storage.withLock { $0.jobs.append(job) }
    }

    var isIdle: Bool { storage.withLock { $0.jobs.isEmpty } }
    /// The number of jobs run so far.
    var ran: Int { storage.withLock { $0.ran } }

    /// Runs one job on this thread; false if there is none.
    /// - Parameter choose: picks an index below the given count; the oldest job has index 0.
    func runOne(_ choose: (Int) -> Int) -> Bool {
        let job = storage.withLock { storage -> UnownedJob? in
            guard !storage.jobs.isEmpty else { return nil }
            storage.ran += 1
            return storage.jobs.remove(at: choose(storage.jobs.count))
        }
        guard let job else { return false }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }
}
