internal import Foundation
internal import HearthDelivery
internal import Synchronization

/// Fetches an awaited model in the background, retries until it is installed, and reports progress.
final class ModelArrival: Sendable {
    /// A snapshot of the progress.
    struct Status: Sendable, Equatable {
        var progress = ArrivalProgress()
        /// The last failure; cleared when an attempt downloads more than any before it.
        var trouble: ArrivalTrouble?
        /// When the next attempt begins; nil while one is running.
        var resumes: ContinuousClock.Instant?
        /// The installed model, ready to be opened.
        var model: ServedModel?
        /// Whether it has been opened, or opening it has failed.
        var isOpened = false
        /// Whether it has been ready once, which completes the progress.
        var isOver = false
    }
    private struct State {
        var status = Status()
        var task: Task<Void, Never>?
        var isStopped = false
        /// Most bytes that any attempt has downloaded.
        var farthest = 0
    }

    private let awaited: AwaitedModel
    private let pauses: FetchPauses
    private let onNotice: (@Sendable (String) -> Void)?
    private let state = Mutex(State())

    init(_ awaited: AwaitedModel, pauses: FetchPauses, onNotice: (@Sendable (String) -> Void)?) {
        (self.awaited, self.pauses, self.onNotice) = (awaited, pauses, onNotice)
    }

    /// The model's name; the expected one until it is installed.
    var name: String { status.model?.name ?? awaited.name }
    var status: Status { state.withLock { $0.status } }
    /// Whether requests still have to wait for it.
    var isAwaited: Bool { status.model == nil }

    /// Begins to fetch the model.
    /// - Parameters:
    ///   - onArrival: called once when it is installed, before requests can use it.
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

    /// Stops fetching; partial downloads are left to `AwaitedModel.bring`.
    func stop() async {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
        await task?.value
    }

    /// Marks the model as opened, or as impossible to open: from now on it is reported like any other.
    func open() { state.withLock { $0.status.isOpened = true } }

    /// Marks the model as ready for the first time.
    func finish() { state.withLock { $0.status.isOver = true } }

    /// Retries until the model is installed; nil if stopped before.
    private func fetch() async -> ServedModel? {
        var failures = 0
        var said: String?
        while !Task.isCancelled {
            let before = state.withLock { $0.farthest }
            do {
                return try await awaited.bring { [weak self] in self?.note($0) }
            } catch {
                guard !Task.isCancelled else { return nil }
                // An attempt that downloaded something resets the count.
                failures = state.withLock { $0.farthest } > before ? 1 : failures + 1
                let trouble = ArrivalTrouble(error)
                let pause = pauses.pause(afterFailures: failures, trouble)
                state.withLock { ($0.status.trouble, $0.status.resumes) = (trouble, .now + pause) }
                // The same error is reported once in a row; cancellation is not reported.
                let line = error.localizedDescription
                if line != said, !(error is CancellationError) {
                    onNotice?("the model '\(name)' could not be downloaded, retrying: \(line)")
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

    /// The failure for a client that requests the model now.
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
            "The model is not installed yet. GET /health shows the progress; try again later.", field: "model")
        failure.headers = [("Retry-After", String(Int(min(max(seconds, 1), 300).rounded(.up))))]
        return failure
    }
}
