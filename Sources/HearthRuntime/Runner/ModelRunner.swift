internal import Dispatch

/// The only owner of one loaded model.
///
/// However many callers ask, the model is loaded once. Callers use it exclusively, one after the other, or as many at a time as
/// its engine supports (`uses`). It is freed on release, and never before its last use has ended.
///
///     let runner = ModelRunner(engine: engine)
///     try await runner.prepare()                       // optional: `withModel` prepares as well
///     let answer = try await runner.withModel { model in try await model.answer(question) }
///     await runner.release()                           // frees the memory; the next use loads again
public actor ModelRunner<Engine: ModelEngine> {
    /// The model type of the engine.
    public typealias Model = Engine.Model

    /// What happens to an inference in progress when the model is released.
    public enum ReleasePolicy: Sendable {
        /// It finishes.
        case finishInference
        /// It is cancelled: it throws `CancellationError`, or keeps its partial result.
        case cancelInference
    }

    /// Compiles, loads and runs the model.
    public nonisolated let engine: Engine
    private let clock: any Clock<Duration>
    nonisolated let executor: (any TaskExecutor)?
    private let publisher: StatePublisher

    nonisolated let mutation: RunnerMutation?
    private var machine: RunnerMachine<Model>
    private var load: Task<Void, Never>?
    private var loadPriority: TaskPriority?
    private var pending: [UInt64: Pending] = [:]
    private var leaving: Model?
    private var cancelUses: [UInt64: @Sendable () -> Void] = [:]
    /// Uses that have to end, whether they began or not.
    private var endingUses: Set<UInt64> = []
    private var releaseWaiters: [CheckedContinuation<Void, Never>] = []
    private var tickets: UInt64 = 0

    /// What the last successful preparation cost, step by step; nil before the first.
    package private(set) var lastPreparation: PreparationTimes?

    private struct Pending {
        var continuation: CheckedContinuation<Model?, any Error>
        var deadline: Task<Void, Never>?
    }

    /// Creates a runner; loads nothing.
    /// - Parameters:
    ///   - engine: compiles, loads and runs the model.
    ///   - clock: measures deadlines and durations.
    ///   - executor: where loads and inferences run; nil for Swift's default.
    ///   - uses: how many callers may use the model at a time, for an engine that supports it, such as one that writes several texts in a
    ///     batch.
    public init(
        engine: Engine, clock: any Clock<Duration> = ContinuousClock(), executor: (any TaskExecutor)? = nil,
        uses: Int = 1
    ) {
        self.init(engine: engine, clock: clock, executor: executor, uses: uses, mutation: nil)
    }

    /// - Parameter mutation: a wrong decision on purpose, to prove that it is noticed.
    package init(
        engine: Engine, clock: any Clock<Duration>, executor: (any TaskExecutor)?, uses: Int = 1,
        mutation: RunnerMutation?
    ) {
        self.engine = engine
        self.clock = clock
        self.executor = executor
        self.mutation = mutation
        machine = RunnerMachine(mostUsers: uses, mutation: mutation)
        publisher = StatePublisher()
    }

    /// Observers hold the states and not the runner: their loops end with it.
    deinit { publisher.states.finish() }

    // MARK: - State

    /// The current state, without waiting.
    public nonisolated var state: ModelState { publisher.states.value }
    /// The current state, then each change.
    public nonisolated var states: ModelStates { ModelStates(source: publisher.states) }

    /// Waiting callers.
    package var waiting: Int { pending.count }
    /// Nothing is loaded, nor on its way in or out.
    package var isEmpty: Bool { machine.isEmpty }
    /// Somebody uses the model.
    package var isInUse: Bool { !machine.users.isEmpty }
    /// Observers that wait for a change.
    package nonisolated var observers: Int { publisher.states.waiting }

    // MARK: - Preparing and using

    /// Returns when the model is ready: at once, or after the load that all callers share. Cancelling one caller does not stop
    /// the load for the others; cancelling the last one does.
    /// - Parameters:
    ///   - priority: priority of the load if this call starts it; a more urgent caller raises it.
    ///   - retryingFailure: tries again after a failure, which is otherwise remembered and thrown.
    /// - Throws: ``RunnerError``, `CancellationError`.
    public func prepare(priority: TaskPriority? = nil, retryingFailure: Bool = false) async throws {
        _ = try await ask(
            wantsModel: false, priority: priority ?? Task.currentPriority, retries: retryingFailure, waiting: nil)
    }

    /// Runs `body` with exclusive use of the model, or shared use where the runner allows several, preparing it first if
    /// necessary. Callers are served in order of arrival.
    ///
    /// `body` must not keep the model. If the model is released meanwhile, its task is cancelled or awaited, depending on the
    /// ``ReleasePolicy``.
    /// - Parameters:
    ///   - limit: how long to wait for the turn; nil waits without limit, zero does not wait.
    ///   - retryingFailure: tries again after a failure, which is otherwise remembered and thrown.
    ///   - body: uses the model.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; ``RunnerError``, `CancellationError`.
    public func withModel<Result: Sendable>(
        waitingAtMost limit: Duration? = nil, retryingFailure: Bool = false,
        _ body: @escaping @Sendable (Model) async throws -> Result
    ) async throws -> Result {
        tickets += 1
        let ticket = tickets
        guard
            let model = try await ask(
                wantsModel: true, ticket: ticket, priority: Task.currentPriority, retries: retryingFailure,
                waiting: limit)
        else { throw RunnerError.released }
        guard endingUses.remove(ticket) == nil else {
            // The model was released after the grant, before this caller resumed.
            machine.useEnded(ticket)
            carryOut()
            throw RunnerError.released
        }
        let handover = OneShot(model)
        let task = Task(executorPreference: executor) {
            guard let model = handover.take() else { throw RunnerError.released }
            return try await body(model)
        }
        cancelUses[ticket] = { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        cancelUses[ticket] = nil
        endingUses.remove(ticket)
        let wasReleased = machine.state != .ready
        machine.useEnded(ticket)
        carryOut()
        if case .failure(is CancellationError) = result, wasReleased, !Task.isCancelled { throw RunnerError.released }
        return try result.get()
    }

    /// Frees the model's memory, and returns when that is done. Callers that wait for the model get ``RunnerError/released``;
    /// later callers start a new load.
    public func release(_ policy: ReleasePolicy = .finishInference) async {
        machine.releaseAsked(interrupting: policy == .cancelInference)
        await waitForRelease()
    }

    /// Frees the memory and prevents loading until ``resume()``. The state becomes `unavailable(reason)` at once, which callers
    /// that wait for the model get as an error; a use that is interrupted throws ``RunnerError/released``.
    public func suspend(_ reason: String, _ policy: ReleasePolicy = .cancelInference) async {
        beginSuspension(reason, policy)
        guard !machine.isEmpty else { return }
        await waitForRelease()
    }

    /// The same without waiting for the memory.
    package func beginSuspension(_ reason: String, _ policy: ReleasePolicy = .cancelInference) {
        machine.suspended(reason, interrupting: policy == .cancelInference)
        carryOut()
    }

    /// Allows loading again; does not load.
    public func resume() {
        machine.resumed()
        carryOut()
    }

    // MARK: - Waiting

    private func waitForRelease() async {
        await withCheckedContinuation { continuation in
            releaseWaiters.append(continuation)
            carryOut()
        }
    }

    private func ask(
        wantsModel: Bool, ticket given: UInt64? = nil, priority: TaskPriority, retries: Bool, waiting limit: Duration?
    ) async throws -> Model? {
        try Task.checkCancellation()
        if given == nil { tickets += 1 }
        let ticket = given ?? tickets
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pending[ticket] = Pending(continuation: continuation)
                machine.asked(ticket, wantsModel: wantsModel, retries: retries)
                carryOut(priority: priority)
                guard let limit, pending[ticket] != nil else { return }
                if limit <= .zero {
                    giveUp(ticket, RunnerError.deadlineExceeded)
                } else {
                    pending[ticket]?.deadline = expiry(of: ticket, after: limit)
                }
            }
        } onCancel: {
            Task(executorPreference: executor) { await self.giveUp(ticket, CancellationError()) }
        }
    }

    private func expiry(of ticket: UInt64, after limit: Duration) -> Task<Void, Never> {
        let clock = clock
        return Task(executorPreference: executor) { [weak self] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            await self?.giveUp(ticket, RunnerError.deadlineExceeded)
        }
    }

    private func giveUp(_ ticket: UInt64, _ error: any Error) {
        machine.gaveUp(ticket, error)
        carryOut()
    }

    private func answer(_ ticket: UInt64, _ result: Result<Model?, any Error>) {
        guard let waiter = pending.removeValue(forKey: ticket) else { return }
        waiter.deadline?.cancel()
        waiter.continuation.resume(with: result)
    }

    // MARK: - Carrying out

    private func carryOut(priority: TaskPriority? = nil) {
        if let priority, let loadPriority, priority > loadPriority {
            if #available(macOS 26, iOS 26, *) { load?.escalatePriority(to: priority) }
            self.loadPriority = priority
        }
        while let action = machine.nextAction() {
            switch action {
            case .startLoad(let id): startLoad(id, priority: priority)
            case .cancelLoad: load?.cancel()
            case .interrupt(let model):
                endingUses = machine.users
                engine.interrupt(model)
                for cancel in cancelUses.values { cancel() }
            case .unload(let model): unload(model)
            case .confirm(let ticket): answer(ticket, .success(nil))
            case .grant(let ticket, let model): answer(ticket, .success(model))
            case .refuse(let ticket, let error): answer(ticket, .failure(error))
            case .confirmRelease:
                for waiter in releaseWaiters { waiter.resume() }
                releaseWaiters.removeAll()
            }
        }
        publisher.publish(machine.state)
    }

    private func startLoad(_ id: UInt64, priority: TaskPriority?) {
        publisher.begin(load: id)
        let preparation = Preparation(engine: engine, clock: clock) { [publisher] in
            publisher.progress(load: id, $0)
        }
        loadPriority = priority
        load = Task(executorPreference: executor, priority: priority) {
            // The model's memory has to be free when a release returns, whenever this task gets its last turn.
            let result = OneShot(await preparation.run())
            await self.loadEnded(id, result)
        }
    }

    private func loadEnded(_ id: UInt64, _ handover: OneShot<Result<(Model, PreparationTimes), any Error>>) {
        guard let result = handover.take() else { return }
        load = nil
        loadPriority = nil
        if case .success((_, let times)) = result { lastPreparation = times }
        machine.loadEnded(id, result.map { $0.0 })
        carryOut()
    }

    /// The actor holds the last reference, and drops it before it reports that the memory is free.
    private func unload(_ model: Model) {
        leaving = model
        Task(executorPreference: executor) { await self.unloadLeaving() }
    }

    private func unloadLeaving() async {
        if let model = leaving {
            leaving = nil
            await engine.unload(model)
        }
        machine.unloadEnded()
        carryOut()
    }
}
