/// Turns at the models: texts that are generated concurrently, and a bounded queue. Requests beyond its length are
/// refused at once.
///
/// Turns at the same model run concurrently, up to its number of slots. A turn at another model waits until all current
/// turns have ended, and later requests queue behind it. Queued clients are served round robin, so that one with many
/// requests does not delay the others.
package actor TurnQueue {
    /// Why a turn is refused.
    package enum Refusal: Error, Equatable { case full, tooLong, closed }

    private struct Waiter {
        var id: UInt64
        var subject: String
        var client: String
        var continuation: CheckedContinuation<Void, any Error>
        var timer: Task<Void, Never>
    }
    private let mostWaiting: Int
    /// The model of the current turns.
    private var subject = ""
    /// Number of concurrent turns at it. One until the first turn has found out more.
    private var places = 1
    private var isClosed = false
    private var line: [Waiter] = []
    private var ids: UInt64 = 0
    /// Current turns by client.
    private var turns: [String: Int] = [:]
    /// Serial number of the last turn of each client that has or waits for one.
    private var served: [String: UInt64] = [:]
    private var serial: UInt64 = 0

    package init(mostWaiting: Int) { self.mostWaiting = mostWaiting }

    /// Number of queued requests.
    package var waiting: Int { line.count }
    /// Number of current turns.
    package var running: Int { turns.values.reduce(0, +) }
    /// Whether there is a current turn.
    package var isBusy: Bool { !turns.isEmpty }

    /// Runs `body` when its turn has come.
    /// - Parameters:
    ///   - subject: the name of the model that the turn is for.
    ///   - client: identifies the client.
    /// - Throws: `Refusal`, `CancellationError`, and what `body` throws.
    package func turn<Result: Sendable>(
        at subject: String = "", for client: String = "", waitingAtMost limit: Duration,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await take(subject, client, limit)
        defer { give(client) }
        return try await body()
    }

    /// Sets the number of concurrent turns at `subject`; called by a holder of one.
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
                // Cancellation may have come before, when its task found no waiter.
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

    /// Refuses queued and new requests.
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
        // Requests behind it may have waited for its turn at another model.
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

    /// Starts queued turns while slots are free.
    private func grant() {
        while let index = next, isFree(line[index].subject) {
            let waiter = line.remove(at: index)
            waiter.timer.cancel()
            begin(waiter.subject, waiter.client)
            waiter.continuation.resume()
        }
        served = served.filter { client, _ in turns[client] != nil || line.contains { $0.client == client } }
    }

    /// Index of the next request: of the client with the fewest current turns, then of the one least recently served,
    /// the oldest.
    private var next: Int? {
        line.indices.min {
            let (a, b) = (line[$0], line[$1])
            return (turns[a.client] ?? 0, served[a.client] ?? 0, a.id) < (
                turns[b.client] ?? 0, served[b.client] ?? 0, b.id
            )
        }
    }
}
