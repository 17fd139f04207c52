import Foundation

/// Long work off the threads that tasks share.
enum OwnThread {
    /// Runs `body` on a thread of its own and waits for its result without holding any other thread.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
