public import HearthRuntime
internal import Synchronization

/// Runs a model on a live feed as often as the device allows. The newest frame takes precedence; there is no queue.
///
///     let runner = ModelRunner(engine: engine)
///     let frames = FrameClassifier(runner: runner, fallback: { _ in nil }) { session, image in
///         let classifier = try ImageClassifier(session.interface)
///         return try classifier.results(of: try await session.predict(classifier.inputs(for: image)))
///     } onRecord: { record in
///         if let seen = record.output { show(seen) }
///     }
///     let store = ModelStore(runner: runner, monitor: monitor, onChange: { budget, _ in frames.level = budget.level })
///     store.activity = .session
///     camera.onFrame = { frames.submit($0) }      // returns immediately, from any thread
///
/// One frame is processed at a time, and one may wait. A frame that arrives while the model is busy replaces the waiting one,
/// which is dropped. Thus no frame waits longer than one inference, and each result belongs to the frame that was the newest
/// when its inference started. Under a reduced budget, one frame in `gate.interval` runs, and the last result is reused for the
/// others. While the budget is suspended, or the model is not in memory, the `fallback` closure is used (see ``FrameGate``).
/// The model is loaded, and reloaded after a release, by a ``ModelStore``, or by a caller of
/// ``ModelRunner/prepare(priority:retryingFailure:)``.
public final class FrameClassifier<Engine: ModelEngine, Frame: Sendable, Output: Sendable>: Sendable {
    /// The owner of the model.
    public let runner: ModelRunner<Engine>
    private let machine: Mutex<FrameMachine<Frame, Output>>
    private let latest = Mutex<FrameRecord<Output>?>(nil)
    private let clock: any Clock<Duration>
    private let fallback: @Sendable (Frame) -> Output?
    private let infer: @Sendable (Engine.Model, Frame) async throws -> Output
    private let onRecord: @Sendable (FrameRecord<Output>) -> Void

    /// Creates a classifier.
    /// - Parameters:
    ///   - runner: owns the model.
    ///   - gate: decides which frames run.
    ///   - clock: measures the processing time of a frame.
    ///   - fallback: returns a result without the model, within a few milliseconds; nil for no result.
    ///   - infer: runs one inference. It must not block the threads of Swift's concurrency runtime.
    ///   - onRecord: called once for each frame, on any thread and possibly from within `submit`, so it must be fast. A frame
    ///     that runs is reported when its result is available; frames that arrived later may be reported before it.
    public init(
        runner: ModelRunner<Engine>, gate: FrameGate = FrameGate(), clock: any Clock<Duration> = ContinuousClock(),
        fallback: @escaping @Sendable (Frame) -> Output?,
        infer: @escaping @Sendable (Engine.Model, Frame) async throws -> Output,
        onRecord: @escaping @Sendable (FrameRecord<Output>) -> Void = { _ in }
    ) {
        self.runner = runner
        self.clock = clock
        self.fallback = fallback
        self.infer = infer
        self.onRecord = onRecord
        machine = Mutex(FrameMachine(gate: gate))
    }

    /// The current budget. Set it whenever the budget of a ``ModelStore`` changes; it applies to the next frame, and to one
    /// that is waiting.
    public var level: InferenceBudget.Level {
        get { machine.withLock { $0.level } }
        set { carryOut(machine.withLock { $0.changed(to: newValue) }) }
    }

    /// The record of the newest frame with an output, for views that appear later.
    package var latestRecord: FrameRecord<Output>? { latest.withLock { $0 } }

    /// Submits a frame and returns immediately; `onRecord` reports how it was handled.
    public func submit(_ frame: Frame) {
        let isReady = runner.state == .ready
        carryOut(machine.withLock { $0.arrived(frame, isReady: isReady) })
    }

    /// The number of frames in progress or waiting: 0, 1 or 2.
    package var pending: Int {
        machine.withLock { ($0.running == nil ? 0 : 1) + ($0.held == nil ? 0 : 1) }
    }

    /// Performs actions that were decided under the lock, outside of it, so that `onRecord` may call back.
    private func carryOut(_ actions: [FrameMachine<Frame, Output>.Action]) {
        for action in actions {
            switch action {
            case .report(let record):
                if record.output != nil {
                    latest.withLock { if ($0?.frame ?? -1) < record.frame { $0 = record } }
                }
                onRecord(record)
            case .start(let job):
                Task { await work(on: job) }
            }
        }
    }

    private func work(on job: FrameMachine<Frame, Output>.Job) async {
        var ending = FrameMachine<Frame, Output>.Ending.output(nil)
        let duration = await clock.measure {
            ending = job.decision == .run ? await inference(job.frame) : .output(fallback(job.frame))
        }
        let isReady = runner.state == .ready
        carryOut(
            machine.withLock { $0.ended(ending, milliseconds: duration / .milliseconds(1), isReady: isReady) })
    }

    private func inference(_ frame: Frame) async -> FrameMachine<Frame, Output>.Ending {
        do {
            // The model was ready a moment ago; if it has been released since, this frame does not wait for it.
            return .output(
                try await runner.withModel(waitingAtMost: .zero) { [infer] model in try await infer(model, frame) })
        } catch is RunnerError {
            return .modelGone
        } catch is CancellationError {
            return .modelGone
        } catch {
            return .failed(error)
        }
    }
}
