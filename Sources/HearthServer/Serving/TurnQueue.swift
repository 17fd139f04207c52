/// One text at a time, and a line of those that wait, of a bounded length: whoever comes when it is full is told so at once.
package actor TurnQueue {
    /// Why there is no turn.
    package enum Refusal: Error, Equatable { case full, tooLong, closed }

    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<Void, any Error>
        var timer: Task<Void, Never>
    }
    private let mostWaiting: Int
    private var isTaken = false
    private var isClosed = false
    private var line: [Waiter] = []
    private var ids: UInt64 = 0

    package init(mostWaiting: Int) { self.mostWaiting = mostWaiting }

    /// How many wait.
    package var waiting: Int { line.count }
    /// Whether somebody has the turn.
    package var isBusy: Bool { isTaken }

    /// Runs `body` when its turn has come, in the order in which callers came.
    /// - Throws: `Refusal`, `CancellationError`, and what `body` throws.
    package func turn<Result: Sendable>(
        waitingAtMost limit: Duration, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await take(limit)
        defer { give() }
        return try await body()
    }

    private func take(_ limit: Duration) async throws {
        try Task.checkCancellation()
        guard !isClosed else { throw Refusal.closed }
        guard isTaken else {
            isTaken = true
            return
        }
        guard line.count < mostWaiting else { throw Refusal.full }
        ids += 1
        let id = ids
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // The cancellation may have come before; its task finds nobody then.
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                let timer = Task { [weak self] in
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    await self?.leave(id, Refusal.tooLong)
                }
                line.append(Waiter(id: id, continuation: continuation, timer: timer))
            }
        } onCancel: {
            Task { await self.leave(id, CancellationError()) }
        }
    }

    /// Nobody gets a turn any more; who waits is refused.
    func close() {
        isClosed = true
        let waiters = line
        line = []
        for waiter in waiters {
            waiter.timer.cancel()
            waiter.continuation.resume(throwing: Refusal.closed)
        }
    }

    private func leave(_ id: UInt64, _ error: any Error) {
        guard let index = line.firstIndex(where: { $0.id == id }) else { return }
        let waiter = line.remove(at: index)
        waiter.timer.cancel()
        waiter.continuation.resume(throwing: error)
    }

    private func give() {
        guard !line.isEmpty else {
            isTaken = false
            return
        }
        let next = line.removeFirst()
        next.timer.cancel()
        next.continuation.resume()
    }
}
