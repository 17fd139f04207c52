import Foundation

/// Runs tasks one job after the other, and only when told to: when no job is left, whatever was going to happen has happened.
final class ManualExecutor: TaskExecutor, @unchecked Sendable {
    private let lock = NSLock()
    private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lock.withLock { jobs.append(job) }
    }

    /// Runs what waits, on this thread, until nothing is left; false where there was nothing.
    @discardableResult
    func runAll() -> Bool {
        var ran = false
        while let job = lock.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
            ran = true
        }
        return ran
    }

    /// Until neither here nor on the main thread anything is left to run. Clocks are not waited for.
    @MainActor
    func settle() async {
        var quiet = 0
        while quiet < 5 {
            quiet = runAll() ? 0 : quiet + 1
            await Task.yield()
        }
    }
}
