internal import Foundation
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A loop body whose iterations may run on any thread in any order. A protocol for structs instead of a closure, so that
/// passing one to the pool allocates nothing.
package protocol ParallelWork {
    func run(_ index: Int)
}

/// A pool of persistent threads that run short parallel loops.
///
/// Each thread works on its own share and then steals from others (`WorkShares`). Idle threads spin for some microseconds,
/// because the next phase of a layer usually follows immediately, and then sleep until they are woken.
///
/// Only one loop runs at a time: the owner (a text session) runs its operations in sequence.
package final class WorkerPool: Sendable {
    /// Number of threads, including the caller's.
    package let threads: Int
    private let shared: SharedState
    private let handles: [PosixThread]

    /// - Parameter threads: 1 to run everything on the calling thread.
    /// - Throws: `ComputeError.threadsUnavailable`.
    package init(threads: Int) throws(ComputeError) {
        let shared = SharedState(threads: max(threads, 1))
        var handles: [PosixThread] = []
        for _ in 1..<max(threads, 1) {
            do {
                handles.append(try PosixThread(running: shared))
            } catch {
                shared.stop()
                handles.forEach { $0.join() }
                throw error
            }
        }
        self.threads = handles.count + 1
        self.shared = shared
        self.handles = handles
    }

    deinit {
        shared.stop()
        handles.forEach { $0.join() }
    }

    /// Runs `work.run(0 ..< count)` and returns when all iterations are done.
    package func run<Work: ParallelWork>(_ work: Work, count: Int) {
        if handles.isEmpty || count <= 1 {
            for index in 0..<count { work.run(index) }
            return
        }
        withUnsafePointer(to: work) { pointer in
            let job = Job(context: UnsafeRawPointer(pointer)) { context, index in
                context.assumingMemoryBound(to: Work.self).pointee.run(index)
            }
            shared.perform(job, count: count)
        }
    }

    /// Default number of threads: one per processor of the performance cores that this process may use, at most 16.
    package static var defaultThreads: Int { min(ProcessorCores.performance, 16) }
}

/// A type-erased loop body.
private struct Job {
    let context: UnsafeRawPointer
    let invoke: (UnsafeRawPointer, Int) -> Void
}

/// State shared by the caller and the workers.
private final class SharedState: @unchecked Sendable {
    // Sendable: `job` is written while no iteration can be claimed, and read only by the holder of a claimed one.

    private let shares: WorkShares
    /// Incremented for every loop; polled by idle threads.
    private let loop = Atomic<Int>(0)
    private let completed = Atomic<Int>(0)
    /// Number of iterations of the loop, and whether its caller sleeps until they are done.
    private let count = Atomic<Int>(0)
    private let callerSleeps = Atomic<Bool>(false)
    private let finish = Gate()
    /// The next share to assign to a starting thread; 0 is the caller's.
    private let places = Atomic<Int>(1)
    private let sleeping = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private let gate = Gate()
    private let job: UnsafeMutablePointer<Job> = .allocate(capacity: 1)

    init(threads: Int) {
        shares = WorkShares(threads: threads)
        job.initialize(to: Job(context: UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped) { _, _ in })
    }

    deinit {
        job.deinitialize(count: 1)
        job.deallocate()
    }

    func perform(_ next: Job, count: Int) {
        job.pointee = next
        completed.store(0, ordering: .relaxed)
        self.count.store(count, ordering: .relaxed)
        shares.deal(count)
        loop.add(1, ordering: .sequentiallyConsistent)
        if sleeping.load(ordering: .sequentiallyConsistent) > 0 { gate.open() }
        execute(as: 0)
        var patience = Patience()
        while completed.load(ordering: .acquiring) < count {
            if patience.lasts() { continue }
            // The thread with the last iteration was preempted. Sleeping frees a processor for it, which yielding might not.
            callerSleeps.store(true, ordering: .sequentiallyConsistent)
            finish.wait { completed.load(ordering: .sequentiallyConsistent) >= count }
            callerSleeps.store(false, ordering: .relaxed)
        }
    }

    func work() {
        let place = places.add(1, ordering: .relaxed).oldValue
        var patience = Patience(), last = 0
        while !stopping.load(ordering: .relaxed) {
            let current = loop.load(ordering: .sequentiallyConsistent)
            if current != last {
                last = current
                execute(as: place)
                patience = Patience()
            } else if !patience.lasts() {
                sleeping.add(1, ordering: .sequentiallyConsistent)
                gate.wait { [self] in
                    loop.load(ordering: .sequentiallyConsistent) != last
                        || stopping.load(ordering: .sequentiallyConsistent)
                }
                sleeping.subtract(1, ordering: .sequentiallyConsistent)
                patience = Patience()
            }
        }
    }

    func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        gate.open()
    }

    /// Runs the remaining iterations of the loop, from any thread's share.
    private func execute(as place: Int) {
        while let index = shares.claim(by: place) {
            let current = job.pointee
            current.invoke(current.context, index)
            let done = completed.add(1, ordering: .sequentiallyConsistent).newValue
            if callerSleeps.load(ordering: .sequentiallyConsistent), done == count.load(ordering: .relaxed) {
                finish.open()
            }
        }
    }
}

/// How long a thread spins before it sleeps: longer than the serial part between two phases of a layer, no longer than a slow
/// wake-up. Measured by the clock, because the duration of a poll differs tenfold between processors.
private struct Patience {
    private static let nanoseconds: UInt64 = 60_000
    private var looks = 0
    private var end: UInt64 = 0

    mutating func lasts() -> Bool {
        looks += 1
        // Reading the clock takes as long as a dozen polls.
        guard looks % 256 == 0 else { return true }
        let now = DispatchTime.now().uptimeNanoseconds
        if end == 0 { end = now + Self.nanoseconds }
        return now < end
    }
}

/// A condition that threads sleep on.
private final class Gate: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let condition: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func open() {
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    func wait(until isOpen: () -> Bool) {
        pthread_mutex_lock(mutex)
        while !isOpen() { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }
}

/// A joinable thread with a small stack.
private struct PosixThread: @unchecked Sendable {
    private let handle: pthread_t

    init(running state: SharedState) throws(ComputeError) {
        let context = Unmanaged.passRetained(state)
        #if canImport(Darwin)
        var started: pthread_t?
        #else
        var started = pthread_t()
        #endif
        let code = pthread_create(&started, nil, runWorker, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .threadsUnavailable(code: code)
        }
        #if canImport(Darwin)
        guard let started else { throw .threadsUnavailable(code: -1) }
        #endif
        handle = started
    }

    func join() { pthread_join(handle, nil) }
}

#if canImport(Darwin)
private func runWorker(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<SharedState>.fromOpaque(context).takeRetainedValue().work()
    return nil
}
#else
private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<SharedState>.fromOpaque(context).takeRetainedValue().work() }
    return nil
}
#endif
