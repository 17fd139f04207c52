internal import Foundation
internal import HearthDelivery
internal import Synchronization

/// Fetches an awaited model in the background, again and again until it is there, and says how far it is.
final class ModelArrival: Sendable {
    /// What can be said of it at one moment.
    struct Status: Sendable, Equatable {
        var progress = ArrivalProgress()
        /// What went wrong last, while the next attempt is waited for or has brought nothing yet.
        var trouble: ArrivalTrouble?
        /// When the next attempt begins; nil while one is under way.
        var resumes: ContinuousClock.Instant?
        /// It is installed, and can be opened.
        var model: ServedModel?
        /// It has been opened.
        var isOpened = false
        /// It has been warm for the first time: nothing is left of the road.
        var isOver = false
    }
    private struct State {
        var status = Status()
        var task: Task<Void, Never>?
        var isStopped = false
        /// The farthest that any attempt came, in bytes of the download.
        var farthest = 0
    }

    private let awaited: AwaitedModel
    private let pauses: FetchPauses
    private let onNotice: (@Sendable (String) -> Void)?
    private let state = Mutex(State())

    init(_ awaited: AwaitedModel, pauses: FetchPauses, onNotice: (@Sendable (String) -> Void)?) {
        (self.awaited, self.pauses, self.onNotice) = (awaited, pauses, onNotice)
    }

    /// Its name, or what it will probably be.
    var name: String { status.model?.name ?? awaited.name }
    var status: Status { state.withLock { $0.status } }
    /// Whether requests have to wait for it still.
    var isAwaited: Bool { status.model == nil }

    /// Begins to fetch it.
    /// - Parameters:
    ///   - onArrival: called once, when it is installed, before anybody is let through to it.
    ///   - afterwards: called once after that.
    func begin(
        onArrival: @escaping @Sendable (ServedModel) -> Void,
        afterwards: @escaping @Sendable (ServedModel) async -> Void
    ) {
        let task = Task(priority: .utility) {
            guard let model = await fetch() else { return }
            onArrival(model)
            state.withLock { $0.status.model = model }
            await afterwards(model)
        }
        let isLate = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isLate { task.cancel() }
    }

    /// Stops; what has arrived is kept by who brings it.
    func stop() async {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
        await task?.value
    }

    /// The model has been opened, or cannot be: from now on it is reported like any other.
    func open() { state.withLock { $0.status.isOpened = true } }

    /// The model has answered for the first time.
    func finish() { state.withLock { $0.status.isOver = true } }

    /// Until it is there; nil where it was stopped before.
    private func fetch() async -> ServedModel? {
        var failures = 0
        var said: String?
        while !Task.isCancelled {
            let before = state.withLock { $0.farthest }
            do {
                return try await awaited.bring { [weak self] in self?.note($0) }
            } catch {
                guard !Task.isCancelled else { return nil }
                // An attempt that brought something begins the count anew.
                failures = state.withLock { $0.farthest } > before ? 1 : failures + 1
                let trouble = ArrivalTrouble(error)
                let pause = pauses.pause(afterFailures: failures, trouble)
                state.withLock { ($0.status.trouble, $0.status.resumes) = (trouble, .now + pause) }
                // The same thing is said once, however often it happens; what was interrupted from elsewhere needs no words.
                let line = error.localizedDescription
                if line != said, !(error is CancellationError) {
                    onNotice?("the model '\(name)' is not here yet, and is tried again: \(line)")
                    said = line
                }
                try? await Task.sleep(for: pause)
                state.withLock { $0.status.resumes = nil }
            }
        }
        return nil
    }

    private func note(_ progress: PullProgress) {
        state.withLock { state in
            state.status.progress.take(progress)
            guard progress.phase == .downloading, progress.bytes > state.farthest else { return }
            state.farthest = progress.bytes
            state.status.trouble = nil
        }
    }

    /// What a client is told that wants it now.
    var refusal: HTTPFailure {
        let status = status
        let seconds: Double =
            if let resumes = status.resumes {
                (resumes - .now).seconds
            } else {
                status.progress.phase == .downloading ? status.progress.secondsLeft ?? 10 : 2
            }
        var failure = HTTPFailure(
            503, "model_not_ready",
            "The model is not installed yet. GET /health tells how far it is; try again later.", field: "model")
        failure.headers = [("Retry-After", String(Int(min(max(seconds, 1), 300).rounded(.up))))]
        return failure
    }
}
