import Dispatch
import Synchronization

/// Waits on this thread for what a task makes.
func waiting<Result: Sendable>(for body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex(Swift.Result<Result, any Error>.failure(CancellationError()))
    Task.detached {
        let value: Swift.Result<Result, any Error>
        do { value = .success(try await body()) } catch { value = .failure(error) }
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return try result.withLock { $0 }.get()
}
