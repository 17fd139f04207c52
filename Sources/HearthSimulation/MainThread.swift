internal import Dispatch

/// Takes turns with the main thread in a fixed order.
///
/// A task of the main actor that waits for something is resumed on a thread of the pool and goes to the main thread from there:
/// when it arrives is chance. With this executor preferred, it is resumed on the main queue itself, in the order in which
/// everything there was asked for.
enum MainThread {
    static let executor = MainQueueExecutor()

    /// Lets run whatever waits for the main thread now. Only for tasks that prefer `executor`.
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
