internal import Foundation
internal import Synchronization

/// Long work of a task on a thread of its own, so that the few threads of Swift's concurrency pool stay free.
///
///     let sum = try await WorkThread.run { work in
///         try pieces.reduce(0) { try work.check(); return $0 + total($1) }
///     }
///
/// The thread is ranked by the priority of the calling task, and follows when somebody more urgent begins to wait for it.
public enum WorkThread {
    /// Runs `body` on a new thread and returns what it returns.
    ///
    /// - Throws: `CancellationError` where the task was cancelled and `body` looked; what `body` throws.
    public static func run<Value: Sendable>(
        _ body: @escaping @Sendable (WorkToken) throws -> Value
    ) async throws -> Value {
        let token = WorkToken(ThreadScheduling(Task.currentPriority))
        return try await token.following {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread {
                    continuation.resume(
                        with: Result {
                            try token.check()
                            return try body(token)
                        })
                }
                thread.stackSize = 4 << 20
                thread.start()
            }
        }
    }
}

/// What work on a thread of its own asks now and then: is it still wanted, and how urgent is it?
public final class WorkToken: Sendable {
    private let cancelled = Atomic<Bool>(false)
    private let wanted: Atomic<UInt8>
    private let applied = Atomic<UInt8>(ThreadScheduling.normal.rawValue)

    /// - Parameter scheduling: how the thread is ranked from the first `check()` on.
    public init(_ scheduling: ThreadScheduling) { wanted = Atomic(scheduling.rawValue) }

    /// Whether the task that the work belongs to was cancelled.
    public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// How the thread shall be ranked now.
    public var scheduling: ThreadScheduling {
        ThreadScheduling(rawValue: wanted.load(ordering: .relaxed)) ?? .normal
    }

    /// To be called by the work's own thread at least every 50 ms; ranks the thread anew where that changed.
    /// - Throws: `CancellationError`.
    public func check() throws(CancellationError) {
        let wanted = wanted.load(ordering: .relaxed)
        if applied.exchange(wanted, ordering: .relaxed) != wanted { ThreadScheduling(rawValue: wanted)?.apply() }
        if isCancelled { throw CancellationError() }
    }

    /// Runs `operation` and keeps the token in step with its task.
    public func following<Value: Sendable>(
        _ operation: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            #if canImport(Darwin)
            // The system itself raises a thread that somebody more urgent waits for.
            return try await operation()
            #else
            return try await withTaskPriorityEscalationHandler {
                try await operation()
            } onPriorityEscalated: { _, priority in
                self.wanted.store(ThreadScheduling(priority).rawValue, ordering: .relaxed)
            }
            #endif
        } onCancel: {
            self.cancelled.store(true, ordering: .relaxed)
        }
    }
}
