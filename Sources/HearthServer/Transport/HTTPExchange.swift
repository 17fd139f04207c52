internal import Synchronization

/// One request and its answer, between the transport's thread, which must never wait, and the task that answers.
///
/// The task gives the answer, whole or piece by piece, and the transport is told that there is something to fetch. A client that
/// has gone ends the exchange, and with it the task.
final class HTTPExchange: Sendable {
    /// What is there of the answer.
    enum Answer {
        case whole(ServerResponse)
        /// Its body comes piece by piece.
        case stream(ServerResponse)
    }
    /// What is there of the body of an answer that comes piece by piece.
    enum Read: Equatable {
        case bytes([UInt8])
        /// Nothing yet.
        case rest
        case end
        case failed
    }

    private struct State {
        var answer: Answer?
        var pending: [UInt8] = []
        var isFinished = false
        var hasEnded = false
        var room: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
        var status = 0
    }
    private let state = Mutex(State())
    private let onChange: @Sendable () -> Void

    let head: RequestHead
    let endpoint: Endpoint?
    /// The other side's address: whose request it is.
    let client: String
    let began = ContinuousClock.now

    /// Bytes that may wait for a client that reads slowly.
    static let window = 256 << 10

    /// - Parameter onChange: called where there is something to fetch.
    init(head: RequestHead, endpoint: Endpoint?, client: String = "", onChange: @escaping @Sendable () -> Void) {
        self.head = head
        self.endpoint = endpoint
        self.client = client
        self.onChange = onChange
    }

    // MARK: - For the transport

    /// The answer, once it has begun.
    var answer: Answer? { state.withLock { $0.answer } }

    /// The status that was sent; 0 where none was.
    var status: Int { state.withLock { $0.status } }

    /// The answer's head goes out.
    func willSend(status: Int) { state.withLock { $0.status = status } }

    /// Takes what is there of the body.
    func read() -> Read {
        let (result, room) = state.withLock { state -> (Read, CheckedContinuation<Void, Never>?) in
            if state.pending.isEmpty { return (state.hasEnded ? .failed : state.isFinished ? .end : .rest, nil) }
            defer { (state.pending, state.room) = ([], nil) }
            return (.bytes(state.pending), state.room)
        }
        room?.resume()
        return result
    }

    /// The task that answers, so that it can be stopped.
    func run(_ task: Task<Void, Never>) {
        let isLate = state.withLock { state in
            state.task = task
            return state.hasEnded
        }
        if isLate { task.cancel() }
    }

    /// The client has gone, or the request is over: whoever works for it stops.
    func end() {
        let (task, room) = state.withLock { state in
            state.hasEnded = true
            defer { (state.room, state.task) = (nil, nil) }
            return (state.task, state.room)
        }
        task?.cancel()
        room?.resume()
    }

    // MARK: - For who answers

    /// Gives the whole answer. The first answer counts.
    /// - Returns: whether this one is it.
    @discardableResult
    func answer(_ response: ServerResponse) -> Bool { settle(.whole(response), finished: true) }

    /// Gives a refusal as the answer.
    /// - Returns: whether no answer had begun before.
    @discardableResult
    func refuse(_ failure: HTTPFailure) -> Bool { answer(ServerResponse(failure, for: endpoint)) }

    /// Begins an answer whose body comes piece by piece.
    /// - Returns: whether no answer had begun before.
    @discardableResult
    func begin(_ response: ServerResponse) -> Bool { settle(.stream(response), finished: false) }

    /// Adds to the body; waits while the client is slow.
    /// - Throws: `CancellationError` where the client has gone.
    func send(_ bytes: [UInt8]) async throws {
        let (mustWait, hasEnded) = state.withLock { state in
            if state.hasEnded { return (false, true) }
            state.pending += bytes
            return (state.pending.count >= Self.window, false)
        }
        if hasEnded { throw CancellationError() }
        onChange()
        guard mustWait else { return }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.hasEnded || state.pending.count < Self.window { return true }
                state.room = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
        if state.withLock({ $0.hasEnded }) { throw CancellationError() }
    }

    /// Adds to the body unless something waits to be sent already; never waits.
    func offer(_ bytes: [UInt8]) {
        let isTaken = state.withLock { state in
            guard !state.hasEnded, !state.isFinished, state.pending.isEmpty else { return false }
            state.pending = bytes
            return true
        }
        if isTaken { onChange() }
    }

    /// The body is whole.
    func finish() {
        state.withLock { $0.isFinished = true }
        onChange()
    }

    private func settle(_ answer: Answer, finished: Bool) -> Bool {
        let isFirst = state.withLock { state in
            guard state.answer == nil else { return false }
            (state.answer, state.isFinished) = (answer, finished)
            return true
        }
        if isFirst { onChange() }
        return isFirst
    }
}
