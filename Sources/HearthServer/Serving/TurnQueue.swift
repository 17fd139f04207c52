/// Turns at the model: texts that are written at the same time, and a line of those that wait, of a bounded length: whoever comes
/// when it is full is told so at once.
///
/// Turns that share a model run beside each other, as many as it has places. A turn at another model waits until all others are
/// at their end, and those that came after it wait behind it. Among those that wait, clients take turns, so that one with many
/// texts does not keep the others waiting.
package actor TurnQueue {
    /// Why there is no turn.
    package enum Refusal: Error, Equatable { case full, tooLong, closed }

    private struct Waiter {
        var id: UInt64
        var subject: String
        var client: String
        var continuation: CheckedContinuation<Void, any Error>
        var timer: Task<Void, Never>
    }
    private let mostWaiting: Int
    /// What those who have a turn use.
    private var subject = ""
    /// Turns at it at a time. One until somebody says more: the first turn finds out.
    private var places = 1
    private var isClosed = false
    private var line: [Waiter] = []
    private var ids: UInt64 = 0
    /// Turns by client.
    private var turns: [String: Int] = [:]
    /// When a client that is here got its last turn, counted in turns.
    private var served: [String: UInt64] = [:]
    private var serial: UInt64 = 0

    package init(mostWaiting: Int) { self.mostWaiting = mostWaiting }

    /// How many wait.
    package var waiting: Int { line.count }
    /// How many have a turn.
    package var running: Int { turns.values.reduce(0, +) }
    /// Whether somebody has the turn.
    package var isBusy: Bool { !turns.isEmpty }

    /// Runs `body` when its turn has come.
    /// - Parameters:
    ///   - subject: what the turn is at: a model's name.
    ///   - client: who asks.
    /// - Throws: `Refusal`, `CancellationError`, and what `body` throws.
    package func turn<Result: Sendable>(
        at subject: String = "", for client: String = "", waitingAtMost limit: Duration,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await take(subject, client, limit)
        defer { give(client) }
        return try await body()
    }

    /// Turns at `subject` may run beside each other, as many as that; told by who has one.
    package func widen(_ subject: String, to places: Int) {
        guard subject == self.subject, isBusy else { return }
        self.places = max(places, 1)
        grant()
    }

    private func take(_ subject: String, _ client: String, _ limit: Duration) async throws {
        try Task.checkCancellation()
        guard !isClosed else { throw Refusal.closed }
        if line.isEmpty, isFree(subject) {
            begin(subject, client)
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
                line.append(
                    Waiter(id: id, subject: subject, client: client, continuation: continuation, timer: timer))
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
        // Those behind it may have waited for its turn at another model.
        grant()
    }

    private func isFree(_ subject: String) -> Bool {
        !isBusy || subject == self.subject && running < places
    }

    private func begin(_ subject: String, _ client: String) {
        if subject != self.subject { (self.subject, places) = (subject, 1) }
        turns[client, default: 0] += 1
        serial += 1
        served[client] = serial
    }

    private func give(_ client: String) {
        turns[client] = turns[client].flatMap { $0 > 1 ? $0 - 1 : nil }
        grant()
    }

    /// Gives turns to those who wait, while there are places.
    private func grant() {
        while let index = next, isFree(line[index].subject) {
            let waiter = line.remove(at: index)
            waiter.timer.cancel()
            begin(waiter.subject, waiter.client)
            waiter.continuation.resume()
        }
        served = served.filter { client, _ in turns[client] != nil || line.contains { $0.client == client } }
    }

    /// Who is next: of the client with the fewest turns now, then of the one that got its last turn earliest, who came first.
    private var next: Int? {
        line.indices.min {
            let (a, b) = (line[$0], line[$1])
            return (turns[a.client] ?? 0, served[a.client] ?? 0, a.id) < (
                turns[b.client] ?? 0, served[b.client] ?? 0, b.id
            )
        }
    }
}
