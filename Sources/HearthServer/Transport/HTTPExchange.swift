internal import Synchronization

/// One request and its response, shared by the transport's thread, which must never block, and the task that responds.
///
/// The task provides the response, whole or in pieces, and the transport is notified. If the client disconnects, the
/// exchange ends and the task is cancelled.
final class HTTPExchange: Sendable {
    /// The response, as far as it is known.
    enum Answer {
        case whole(ServerResponse)
        /// The body comes in pieces.
        case stream(ServerResponse)
    }
    /// The result of reading a streamed body.
    enum Read: Equatable {
        case bytes([UInt8])
        /// Nothing available yet.
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
    /// The client's address.
    let client: String
    let began = ContinuousClock.now

    /// Maximum number of bytes buffered for a slow client.
    static let window = 256 << 10

    /// - Parameter onChange: called when there is something to send.
    init(head: RequestHead, endpoint: Endpoint?, client: String = "", onChange: @escaping @Sendable () -> Void) {
        self.head = head
        self.endpoint = endpoint
        self.client = client
        self.onChange = onChange
    }

    // MARK: - For the transport

    /// The response, once it has begun.
    var answer: Answer? { state.withLock { $0.answer } }

    /// The status sent; 0 if none was.
    var status: Int { state.withLock { $0.status } }

    /// Records the status; the head is about to be sent.
    func willSend(status: Int) { state.withLock { $0.status = status } }

    /// Takes the available bytes of the body.
    func read() -> Read {
        let (result, room) = state.withLock { state -> (Read, CheckedContinuation<Void, Never>?) in
            if state.pending.isEmpty { return (state.hasEnded ? .failed : state.isFinished ? .end : .rest, nil) }
            defer { (state.pending, state.room) = ([], nil) }
            return (.bytes(state.pending), state.room)
        }
        room?.resume()
        return result
    }

    /// Sets the task that responds, so that it can be cancelled.
    func run(_ task: Task<Void, Never>) {
        let isLate = state.withLock { state in
            state.task = task
            return state.hasEnded
        }
        if isLate { task.cancel() }
    }

    /// The client has disconnected, or the request is over: cancels the task.
    func end() {
        let (task, room) = state.withLock { state in
            state.hasEnded = true
            defer { (state.room, state.task) = (nil, nil) }
            return (state.task, state.room)
        }
        task?.cancel()
        room?.resume()
    }

    // MARK: - For the task

    /// Gives the whole response. The first response counts.
    /// - Returns: whether this is the first.
    @discardableResult
    func answer(_ response: ServerResponse) -> Bool { settle(.whole(response), finished: true) }

    /// Gives a failure as the response.
    /// - Returns: whether no response had begun before.
    @discardableResult
    func refuse(_ failure: HTTPFailure) -> Bool { answer(ServerResponse(failure, for: endpoint, at: head.path)) }

    /// Begins a streamed response.
    /// - Returns: whether no response had begun before.
    @discardableResult
    func begin(_ response: ServerResponse) -> Bool { settle(.stream(response), finished: false) }

    /// Appends to the body; waits while the client is slow (backpressure).
    /// - Throws: `CancellationError` if the client has disconnected.
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

    /// Appends to the body if nothing else is pending; never waits.
    func offer(_ bytes: [UInt8]) {
        let isTaken = state.withLock { state in
            guard !state.hasEnded, !state.isFinished, state.pending.isEmpty else { return false }
            state.pending = bytes
            return true
        }
        if isTaken { onChange() }
    }

    /// Marks the body as complete.
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
