internal import Dispatch

/// Makes the order of jobs on the main thread deterministic.
///
/// Normally, a task of the main actor resumes on a thread of the pool and hops to the main thread from there, at an
/// unpredictable time. With this executor preference, it resumes on the main queue itself, in enqueue order.
enum MainThread {
    static let executor = MainQueueExecutor()

    /// Runs everything queued on the main thread. Only for tasks that prefer `executor`.
    @MainActor
    static func turn() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    final class MainQueueExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            DispatchQueue.main.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
