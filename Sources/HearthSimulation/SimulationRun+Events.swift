internal import HearthRuntime
internal import Synchronization

/// The effects of events.
extension SimulationRun {
    func act(_ event: LifeEvent) {
        let number = event.number
        switch event.action {
        case .prepare(let retries): prepare(number, retries: retries)
        case .use(let limit, let retries, let keeps): use(number, limit: limit, retries: retries, keeps: keeps)
        case .cancel(let caller): cancel(caller)
        case .release(let interrupts): release(number, suspends: false, interrupts: interrupts)
        case .suspend(let interrupts): release(number, suspends: true, interrupts: interrupts)
        case .resume: resume()
        case .failure: world.note { $0.mustFail = true }
        case .slow: world.note { $0.mustBeSlow = true }
        case .observe: observe(number)
        case .leave(let observer): leave(observer)
        case .time(let toNextWake, let otherwise): passTime(toNextWake: toNextWake, otherwise)
        case .work: break
        default: actOnDevice(event.action)
        }
    }

    @discardableResult
    private func spawn(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        // An explicit priority: the driver's must not affect the order of jobs on the runner's actor.
        Task(executorPreference: executor, priority: .medium, operation: work)
    }

    // MARK: - Callers

    /// Whether there are so many callers that more would only wait.
    private var isCrowded: Bool { world.note { $0.callers.count } >= 12 }

    private func remember(_ id: Int, _ task: Task<Void, Never>) {
        if callers.count > 32 {
            let alive = world.note { $0.callers.map(\.id) }
            callers.removeAll { !alive.contains($0.id) }
        }
        callers.append((id, task))
    }

    private func prepare(_ id: Int, retries: Bool) {
        guard let runner, !isCrowded else { return }
        world.note { $0.asks(id, usesModel: false, limit: nil) }
        remember(id, ask(id) { try await runner.prepare(retryingFailure: retries) })
        if world.fault == .secondOwner, case .warming = world.state { startSecondOwner() }
    }

    private func use(_ id: Int, limit: Duration?, retries: Bool, keeps: Bool) {
        guard let runner, !isCrowded else { return }
        world.note { $0.asks(id, usesModel: true, limit: limit) }
        let (engine, kept, fault) = (engine, kept, world.fault)
        let isFaulty = (fault == .keptModel || fault == .useAfterRelease) && keeps
        let task = ask(id) {
            try await runner.withModel(waitingAtMost: limit, retryingFailure: retries) { model in
                if isFaulty { kept.keep(model) }
                try await engine.use(model, by: id)
            }
        }
        remember(id, task)
        if isFaulty, fault == .useAfterRelease {
            spawn {
                await task.value
                if let model = kept.take() { try? await engine.use(model, by: id) }
            }
        }
    }

    private func ask(_ id: Int, _ work: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        let (world, clock) = (world, clock)
        return spawn {
            do {
                try await work()
                world.note { $0.answered(id, .success(()), now: clock.now) }
            } catch {
                world.note { $0.answered(id, .failure(error), now: clock.now) }
            }
        }
    }

    private func startSecondOwner() {
        let other = ModelRunner(engine: engine, clock: clock, executor: executor)
        spawn { try? await other.prepare() }
    }

    private func cancel(_ id: Int) {
        guard let task = callers.first(where: { $0.id == id })?.task else { return }
        let isWaiting = world.note { facts in
            guard let index = facts.caller(id) else { return false }
            facts.callers[index].isCancelled = true
            return true
        }
        if isWaiting { task.cancel() }
    }

    // MARK: - Releases

    /// Not limited in number: each release must be answered, and the one that ends a life must not be skipped.
    func release(_ id: Int, suspends: Bool, interrupts: Bool) {
        guard let runner else { return }
        let world = world
        let policy: ModelRunner<SimulatedEngine>.ReleasePolicy = interrupts ? .cancelInference : .finishInference
        world.note { $0.releaseAsked(id, suspends: suspends) }
        spawn {
            if suspends {
                await runner.suspend("simulated heat", policy)
            } else {
                await runner.release(policy)
            }
            world.note { $0.releaseReturned(id) }
        }
    }

    private func resume() {
        guard let runner else { return }
        world.note { $0.resumeAsked() }
        spawn { await runner.resume() }
    }

    // MARK: - Observers and time

    private func observe(_ id: Int) {
        guard let runner, observers.count < 4 else { return }
        let (world, clock, states) = (world, clock, runner.states)
        world.note { $0.observers.append(LifecycleOracle.Observer(id: id)) }
        let task = spawn {
            for await state in states {
                let now = world.state
                let seen = world.note { facts in Self.delivered(state, to: id, facts, fault: world.fault) }
                world.note { $0.observed(id, seen, now: now) }
                guard let pause = world.roll({ $0.chance(20) ? $0.milliseconds(1...100) : nil }) else { continue }
                world.note { $0.sleep(observer: id, true) }
                try? await clock.sleep(for: pause)
                world.note { $0.sleep(observer: id, false) }
            }
            world.note { facts in facts.observers.removeAll { $0.id == id } }
        }
        observers.append((id, task))
    }

    /// The state delivered to the observer; falsified if that fault is injected.
    private nonisolated static func delivered(
        _ state: ModelState, to observer: Int, _ facts: LifecycleOracle, fault: SimulationFault?
    ) -> ModelState {
        guard fault == .progressGoesBack, case .warming(let progress) = state, progress > 0.5,
            case .warming(let before)? = facts.observers.first(where: { $0.id == observer })?.seen, before > 0
        else { return state }
        return .warming(progress: before / 2)
    }

    private func leave(_ id: Int) {
        guard let index = observers.firstIndex(where: { $0.id == id }) else { return }
        let task = observers.remove(at: index).task
        // It receives nothing from now on.
        world.note { $0.sleep(observer: id, true) }
        task.cancel()
    }

    private func passTime(toNextWake: Bool, _ otherwise: Duration) {
        if toNextWake, let next = clock.nextDeadline, next.offset < SimulationContext.endOfTime {
            clock.advance(to: next)
        } else {
            clock.advance(to: clock.now.advanced(by: otherwise))
        }
    }
}

extension LifecycleOracle {
    fileprivate mutating func sleep(observer id: Int, _ isAsleep: Bool) {
        if let index = observers.firstIndex(where: { $0.id == id }) { observers[index].isAsleep = isAsleep }
    }
}

/// Where a faulty caller stores a model that it must not keep.
final class Keeper: Sendable {
    private let models = Mutex<[SimulatedModel]>([])

    func keep(_ model: SimulatedModel) { models.withLock { $0.append(model) } }
    func take() -> SimulatedModel? { models.withLock { $0.popLast() } }
    func drop() {
        // Released outside of the lock, because a model's deinitializer calls into the context.
        _ = models.withLock { models in
            defer { models = [] }
            return models
        }
    }
}
