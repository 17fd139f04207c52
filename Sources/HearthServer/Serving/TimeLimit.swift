internal import Synchronization

/// A time limit for work that responds to cancellation.
enum TimeLimit {
    /// Runs `work`, and cancels it when the time is up or the server stops.
    /// - Parameter work: gets a closure that tells whether the limit or the server's stop ended it.
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
                // Either the work or a limit ends first, and cancels the others.
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
