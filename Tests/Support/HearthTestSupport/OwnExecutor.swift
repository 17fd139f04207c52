internal import Dispatch

/// Runs tasks on a thread of its own. Hundreds of tests share as many threads as there are processors; where a test measures how
/// long something takes, or may block, neither that wait nor this block belongs to it.
package final class OwnExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "hearth.test")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
