public import Foundation
public import Observation

/// All that a view needs of a model: its state, why it does less than usual, and ``prewarmIfNeeded()``. Nothing here blocks.
///
/// The store watches the device and tells the runner what the policies decide: load ahead of use, keep, release, or do not load.
/// No heavy work begins before the first stable frame is up (``FirstFrameGate``).
///
///     let store = ModelStore(runner: ModelRunner(engine: engine), monitor: SystemMonitor.make())
///     store.firstFrame.open()               // the first frame is on the screen
///     store.activity = .browsing            // may load ahead, if the policy allows it
///     store.activity = .session             // loads the model if necessary, and keeps it
///     let text = try await store.withModel(waitingAtMost: .seconds(5)) { … } orElse: { error in fallbackText }
@MainActor
@Observable
public final class ModelStore<Engine: ModelEngine> {
    /// The state of the model.
    public private(set) var state: ModelState
    /// The latest conditions of the device.
    public private(set) var conditions: DeviceConditions
    /// How much may be computed now.
    public private(set) var budget = InferenceBudget()
    /// Why less happens than was requested, in one sentence; nil if nothing is held back.
    public private(set) var notice: String?
    /// When the user had sessions; to be kept by the app between runs.
    package private(set) var usage: UsageHistory
    /// What the user does; set by the app.
    public var activity = UserActivity.idle {
        didSet {
            if activity == .session, oldValue != .session { usage.record(today()) }
            if activity != oldValue { reconsider() }
        }
    }

    /// The owner of the model.
    public nonisolated let runner: ModelRunner<Engine>
    /// To be opened by the app when its first stable frame is on the screen.
    public nonisolated let firstFrame: FirstFrameGate

    @ObservationIgnored private let policy: ResidencyPolicy
    @ObservationIgnored private let today: @Sendable () -> Date
    @ObservationIgnored private let now: @Sendable () -> Duration
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private let onChange: (@Sendable (InferenceBudget, _ notice: String?) -> Void)?
    @ObservationIgnored private let orders: AsyncStream<Order>.Continuation
    @ObservationIgnored private var following: [Task<Void, Never>] = []
    @ObservationIgnored private var warning = MemoryWarning()
    @ObservationIgnored private var lastOrder: Order?
    @ObservationIgnored private var reportedPhase: AppPhase?
    @ObservationIgnored private var wake: Task<Void, Never>?

    /// Orders for the runner, in this order.
    private enum Order: Sendable, Equatable {
        case allow
        case load(TaskPriority)
        case forbid(String)
    }

    /// - Parameters:
    ///   - runner: owns the model.
    ///   - monitor: reports the conditions of the device.
    ///   - policy: decides whether the model should be in memory.
    ///   - firstFrame: holds heavy work back until it is opened.
    ///   - usage: dates of sessions in earlier runs of the app, which the app keeps. Without them nothing is loaded ahead of use
    ///     before the first session.
    ///   - activity: what the user does already. A model in use is kept where an idle one would be released.
    ///   - clock: measures how long a condition has lasted.
    ///   - today: the current date, for `usage`.
    ///   - onChange: called at each change of budget and notice, so that a running inference follows the budget and a program
    ///     without a view can show the notice.
    public init(
        runner: ModelRunner<Engine>, monitor: any DeviceMonitor, policy: ResidencyPolicy = ResidencyPolicy(),
        firstFrame: FirstFrameGate = FirstFrameGate(), usage: UsageHistory = UsageHistory(),
        activity: UserActivity = .idle, clock: any Clock<Duration> = ContinuousClock(),
        today: @escaping @Sendable () -> Date = { Date() },
        onChange: (@Sendable (InferenceBudget, _ notice: String?) -> Void)? = nil
    ) {
        self.runner = runner
        self.policy = policy
        self.firstFrame = firstFrame
        self.usage = usage
        self.clock = clock
        self.today = today
        self.onChange = onChange
        now = elapsed(on: clock)
        state = runner.state
        conditions = monitor.current()
        let (stream, orders) = AsyncStream.makeStream(of: Order.self)
        self.orders = orders
        following = [
            Task(executorPreference: runner.executor) { [runner, firstFrame] in
                await Self.carryOut(stream, runner, firstFrame)
            },
            onMain { [weak self, states = runner.states] in
                for await state in states { self?.reached(state) }
            },
            onMain { [weak self, stream = monitor.conditions()] in
                for await conditions in stream { self?.changed(conditions) }
            },
        ]
        self.activity = activity
        changed(conditions)
    }

    deinit {
        orders.finish()
        wake?.cancel()
        for task in following { task.cancel() }
    }

    // MARK: - For a view

    /// Call it where a session may begin: loads the model ahead of use if the policies allow it. Returns at once.
    public func prewarmIfNeeded() {
        if activity == .idle { activity = .browsing } else { reconsider() }
    }

    /// Tries again after a failure. Returns at once.
    public func retry() {
        guard case .failed = state else { return }
        Task(executorPreference: runner.executor) { [runner] in try? await runner.prepare(retryingFailure: true) }
    }

    /// Runs `body` with exclusive use of the model, waiting while it warms up or is in use. Loads a model that is not loaded, even
    /// before the first frame.
    /// - Parameters:
    ///   - limit: how long to wait; nil waits without limit, zero takes the model only if it is free now.
    ///   - body: uses the model.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; ``RunnerError`` if the model does not become available; `CancellationError`.
    public nonisolated func withModel<Result: Sendable>(
        waitingAtMost limit: Duration? = nil, _ body: @escaping @Sendable (Engine.Model) async throws -> Result
    ) async throws -> Result {
        try await runner.withModel(waitingAtMost: limit, body)
    }

    /// The same with a fallback if the model does not become available in time.
    public nonisolated func withModel<Result: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable (Engine.Model) async throws -> Result,
        orElse fallback: @Sendable (RunnerError) async throws -> Result
    ) async throws -> Result {
        do {
            return try await runner.withModel(waitingAtMost: limit, body)
        } catch let error as RunnerError {
            return try await fallback(error)
        }
    }

    // MARK: - Conditions

    /// Reports whether the user sees the app. From then on the app's reports count, and no longer the monitor's.
    ///
    ///     .onChange(of: scenePhase, initial: true) { store.report(phase: AppPhase(scenePhase)) }
    public func report(phase: AppPhase) {
        reportedPhase = phase
        changed(conditions)
    }

    private func reached(_ next: ModelState) {
        let before = state
        state = next
        // Orders given during the failure were refused; on a retry they are given again.
        if before.isFailure, !next.isFailure { reconsider() }
    }

    private func changed(_ seen: DeviceConditions) {
        var seen = seen
        seen.phase = reportedPhase ?? seen.phase
        seen.recentSessions = max(
            seen.recentSessions, usage.sessions(within: policy.prewarm.sessionWindow, of: today()))
        conditions = seen
        reconsider()
    }

    /// Asks the policies and passes on what changed.
    private func reconsider() {
        let time = now()
        let (conditions, before, noticeBefore) = (conditions, budget, notice)
        var budget = before
        budget.update(conditions, at: time)
        var effective = conditions
        effective.memoryPressure = warning.update(conditions.memoryPressure, at: time)

        let isLoaded = runner.state.holdsModel
        let decision = policy.decide(activity, effective, isLoaded: isLoaded)
        switch decision.action {
        case .keepWarm: order(.load(.userInitiated))
        case .prewarm: order(.load(.utility))
        case .leave: order(.allow)
        case .delay, .release, .suspend: order(.forbid(decision.reason))
        }
        let isHeldBack = !decision.action.allowsLoading
        let notice = isHeldBack ? decision.reason : budget.level == .full ? nil : budget.reason
        self.budget = budget
        // Views are notified of changes only.
        if notice != noticeBefore { self.notice = notice }
        if (before.level, noticeBefore) != (budget.level, notice) { onChange?(budget, notice) }
        wakeUp(at: [budget.recoversAt, warning.endsAt].compactMap { $0 }.min(), from: time)
    }

    private func order(_ order: Order) {
        // A load is ordered again each time: the model may have been released since, and a load in progress may belong to a caller
        // that gives up.
        if order == lastOrder, case .load = order, runner.state == .ready || runner.mutation == .trustsLastOrder {
            return
        }
        if order == lastOrder, order == .allow { return }
        lastOrder = order
        orders.yield(order)
    }

    /// Some decisions change with time alone.
    private func wakeUp(at moment: Duration?, from time: Duration) {
        wake?.cancel()
        wake = nil
        guard let moment else { return }
        let clock = clock
        wake = onMain { [weak self] in
            guard (try? await clock.sleep(for: max(.zero, moment - time))) != nil else { return }
            self?.reconsider()
        }
    }

    /// A task of the main actor that waits on the runner's executor, so that a simulation decides when it continues.
    private func onMain(_ work: @escaping @MainActor @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: runner.executor, operation: work)
    }

    // MARK: - Orders

    /// One order after the other, so that the runner receives them in order. Does not wait for loads and releases.
    private static func carryOut(
        _ orders: AsyncStream<Order>, _ runner: ModelRunner<Engine>, _ firstFrame: FirstFrameGate
    ) async {
        // Speculative loads, cancelled when they are no longer wanted. A caller that waits for the model keeps its load.
        var ahead: [LoadAhead] = []
        for await order in orders {
            switch order {
            case .load(let priority):
                await runner.resume()
                ahead.removeAll { $0.hasEnded }
                // In addition to an earlier one, not instead of it: its load continues, at the higher priority.
                ahead.append(
                    LoadAhead(on: runner.executor) {
                        guard (try? await firstFrame.wait()) != nil else { return }
                        try? await runner.prepare(priority: priority)
                    })
            case .allow, .forbid:
                for load in ahead { load.cancel() }
                ahead.removeAll()
                if case .forbid(let reason) = order {
                    await runner.beginSuspension(reason, .cancelInference)
                } else {
                    await runner.resume()
                }
            }
        }
        for load in ahead { load.cancel() }
    }
}

extension ModelState {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }

    /// Loaded, or being loaded.
    var holdsModel: Bool {
        switch self {
        case .ready, .warming: true
        case .unavailable, .cold, .failed: false
        }
    }
}

/// The time since now, on a clock whose instants are its own.
private func elapsed<C: Clock>(on clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}
