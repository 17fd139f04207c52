internal import Synchronization

/// One request and its answer, between the library's thread, which must never wait, and the task that answers.
///
/// The library's connection rests ("suspended") while there is nothing to do for its thread, and is woken when there is. A
/// connection that has ended is never touched again: all of that happens under one lock.
final class HTTPExchange: Sendable {
    /// What the library's thread is to do next.
    enum Step {
        /// The request is whole: somebody has to answer it.
        case begin([UInt8])
        /// The answer is known.
        case reply(HTTPResponse)
        /// The answer's head is known; its body comes piece by piece.
        case stream(HTTPResponse)
        /// Nobody waits for an answer.
        case abort
    }
    /// What is there of the body of an answer that comes piece by piece.
    enum Read: Equatable {
        case bytes(Int)
        case rest
        case end
        case failed
    }
    /// Wakes the connection; set while it rests.
    typealias Waker = @Sendable () -> Void

    private enum Answer {
        case whole(HTTPResponse)
        case stream(HTTPResponse)
    }
    private struct State {
        var upload: [UInt8] = []
        var uploaded = 0
        var hasBegun = false
        var answer: Answer?
        var pending: [UInt8] = []
        var taken = 0
        var isFinished = false
        var hasEnded = false
        var waker: Waker?
        var room: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
        var status = 0
    }
    private let state = Mutex(State())

    let head: RequestHead
    let endpoint: Endpoint?
    /// What is wrong with the request's head; told when its body is through.
    let refusal: HTTPFailure?
    let began = ContinuousClock.now
    private let bodyLimit: Int

    /// Bytes that may wait for a client that reads slowly.
    static let window = 256 << 10
    /// Bytes of a refused request that are read and dropped, so that the client gets to hear why.
    static let drained = 16 << 20

    init(head: RequestHead, endpoint: Endpoint?, refusal: HTTPFailure?, bodyLimit: Int) {
        self.head = head
        self.endpoint = endpoint
        self.refusal = refusal
        self.bodyLimit = bodyLimit
    }

    // MARK: - For the library's thread

    /// Takes a piece of the request's body.
    /// - Returns: false where no more of it is wanted.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.uploaded += bytes.count
            guard state.uploaded <= Self.drained else { return false }
            if refusal == nil, state.uploaded <= bodyLimit { state.upload.append(contentsOf: bytes) }
            return true
        }
    }

    /// What to do now. Where the answer is to begin, the connection is put to rest by `rest`.
    func next(rest: () -> Waker) -> Step {
        state.withLock { state in
            if state.hasEnded { return .abort }
            switch state.answer {
            case .whole(let response):
                state.status = response.status
                return .reply(response)
            case .stream(let response):
                state.status = response.status
                return .stream(response)
            case nil: break
            }
            if !state.hasBegun {
                state.hasBegun = true
                let failure =
                    refusal
                    ?? (state.uploaded > bodyLimit ? RequestRules.tooLarge(bodyLimit) : nil)
                if let failure {
                    let response = HTTPResponse(failure)
                    state.status = response.status
                    state.answer = .whole(response)
                    return .reply(response)
                }
            }
            state.waker = rest()
            defer { state.upload = [] }
            return .begin(state.upload)
        }
    }

    /// Copies what is there of the body. Where nothing is, the connection is put to rest.
    func read(into buffer: UnsafeMutableRawBufferPointer, rest: () -> Waker) -> Read {
        let (result, room) = state.withLock { state -> (Read, CheckedContinuation<Void, Never>?) in
            if state.hasEnded { return (.failed, nil) }
            let count = min(buffer.count, state.pending.count - state.taken)
            guard count > 0 else {
                if state.isFinished { return (.end, nil) }
                state.waker = rest()
                return (.rest, nil)
            }
            state.pending.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.taken..<state.taken + count]))
            }
            state.taken += count
            if state.taken == state.pending.count { (state.pending, state.taken) = ([], 0) }
            defer { if state.pending.count - state.taken < Self.window { state.room = nil } }
            return (.bytes(count), state.pending.count - state.taken < Self.window ? state.room : nil)
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
            wake(&state)
            defer { state.room = nil }
            return (state.task, state.room)
        }
        task?.cancel()
        room?.resume()
    }

    /// The status that was sent; 0 where none was.
    var status: Int { state.withLock { $0.status } }

    // MARK: - For who answers

    /// Gives the whole answer. The first answer counts.
    func answer(_ response: HTTPResponse) { settle(.whole(response), finished: true) }

    /// Begins an answer whose body comes piece by piece.
    func begin(_ response: HTTPResponse) { settle(.stream(response), finished: false) }

    /// Whether an answer was begun, so that it is too late for another.
    var hasAnswered: Bool { state.withLock { $0.answer != nil } }

    /// Adds to the body; waits while the client is slow.
    /// - Throws: `CancellationError` where the client has gone.
    func send(_ bytes: [UInt8]) async throws {
        let mustWait = state.withLock { state in
            if state.hasEnded { return false }
            state.pending += bytes
            wake(&state)
            return state.pending.count - state.taken >= Self.window
        }
        if mustWait {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.hasEnded || state.pending.count - state.taken < Self.window { return true }
                    state.room = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        }
        if state.withLock({ $0.hasEnded }) { throw CancellationError() }
    }

    /// The body is whole.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            wake(&state)
        }
    }

    private func settle(_ answer: Answer, finished: Bool) {
        state.withLock { state in
            guard state.answer == nil else { return }
            state.answer = answer
            state.isFinished = finished
            wake(&state)
        }
    }

    private func wake(_ state: inout State) {
        state.waker?()
        state.waker = nil
    }
}
