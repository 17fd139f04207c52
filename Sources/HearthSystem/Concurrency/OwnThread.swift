internal import Foundation
internal import Synchronization

/// Work that blocks, on a thread of its own: Swift's concurrency has as many threads as the machine has processors, and
/// none of them may wait for a disk.
package enum OwnThread {
    /// Runs `work` and returns its result.
    ///
    /// At low priority the thread yields to everything else in the process.
    /// - Parameter work: is handed a question that it has to ask at least every 50 ms: whether its caller was cancelled. Other
    ///   threads may ask it too, and hold it longer than the work takes.
    /// - Throws: errors of `work`.
    package static func run<Result: Sendable>(
        priority: TaskPriority = Task.currentPriority, stackBytes: Int = 1 << 20,
        _ work: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Result
    ) async throws -> Result {
        let flag = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread {
                    if priority < .medium { giveWay() }
                    continuation.resume(with: Swift.Result { try work { flag.isSet } })
                }
                thread.stackSize = stackBytes
                thread.qualityOfService = priority < .medium ? .utility : .userInitiated
                thread.start()
            }
        } onCancel: {
            flag.set()
        }
    }

    /// On Linux a thread has a niceness of its own, and this one ends with its work.
    private static func giveWay() {
        #if os(Linux)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(0), 10)
        #endif
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}
