internal import Synchronization

/// A limit of time around work that notices when its task is cancelled.
enum TimeLimit {
    /// Runs `work`; when its time is up, or the server ends, its task is cancelled, and it ends as it does then.
    /// - Parameter work: is handed a question: whether it was the time that ended it.
    static func run<Result: Sendable>(
        _ limit: Duration, orUntil closing: ServerClosing,
        _ work: @escaping @Sendable (_ isOver: @Sendable () -> Bool) async throws -> Result
    ) async throws -> Result {
        let flag = Flag()
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work { flag.isSet } }
            group.addTask {
                guard (try? await Task.sleep(for: limit)) != nil else { return nil }
                flag.set()
                return nil
            }
            group.addTask {
                await closing.wait()
                if closing.isCut { flag.set() }
                return nil
            }
            while let next = try await group.next() {
                // The first to end is the work, or the clock; either ends the other.
                group.cancelAll()
                if let result = next { return result }
            }
            throw CancellationError()
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }
}
