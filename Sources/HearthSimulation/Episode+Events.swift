internal import HearthRuntime
internal import Synchronization

/// What happens to a runner.
extension Episode {
    /// How often each event comes: in a rough life, much is broken off; in a calm one, models live to be used.
    static let rough: [(EventKind, Int)] = [
        (.prepare, 10), (.use, 18), (.cancel, 9), (.release, 6), (.suspend, 3), (.resume, 5), (.failure, 3), (.slow, 3),
        (.observe, 2), (.leave, 2), (.work, 14), (.time, 25),
    ]
    static let calm: [(EventKind, Int)] = [
        (.prepare, 6), (.use, 25), (.cancel, 2), (.release, 2), (.suspend, 1), (.resume, 3), (.failure, 1), (.slow, 1),
        (.observe, 2), (.leave, 1), (.work, 12), (.time, 44),
    ]

    func nextKind() -> EventKind {
        var number = dice.below(weights.reduce(0) { $0 + $1.1 })
        for (kind, weight) in weights {
            if number < weight { return kind }
            number -= weight
        }
        return .work
    }

    /// - Returns: what stands in the trace.
    func act(_ kind: EventKind) -> Int {
        switch kind {
        case .prepare: return prepare()
        case .use: return use()
        case .cancel: return cancelSomebody()
        case .release: return release(suspends: false, policy: policy())
        case .suspend: return release(suspends: true, policy: policy())
        case .resume: return resume()
        case .failure: world.note { $0.mustFail = true }
        case .slow: world.note { $0.mustBeSlow = true }
        case .observe: return observe()
        case .leave: return leave()
        case .time: return passTime()
        case .heat, .memory, .battery, .phase, .activity: return actOnDevice(kind)
        case .work: break
        }
        return 0
    }

    private func policy() -> ModelRunner<SimulatedEngine>.ReleasePolicy {
        dice.chance(50) ? .cancelInference : .finishInference
    }

    private func newName() -> Int {
        names += 1
        return names
    }

    @discardableResult
    private func spawn(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor, operation: work)
    }

    // MARK: - Callers

    /// More would only wait for each other.
    private var isCrowded: Bool { world.note { $0.callers.count } >= 12 }

    private func remember(_ id: Int, _ task: Task<Void, Never>) {
        if callers.count > 32 {
            let alive = world.note { $0.callers.map(\.id) }
            callers.removeAll { !alive.contains($0.id) }
        }
        callers.append((id, task))
    }

    private func prepare() -> Int {
        guard let runner, !isCrowded else { return 0 }
        let (id, retries) = (newName(), dice.chance(50))
        world.note { $0.asks(id, usesModel: false, limit: nil) }
        remember(id, ask(id) { try await runner.prepare(retryingFailure: retries) })
        if world.fault == .secondOwner, case .warming = world.state { startSecondOwner() }
        return id
    }

    private func use() -> Int {
        guard let runner, !isCrowded else { return 0 }
        let (id, retries) = (newName(), dice.chance(50))
        let limit = dice.chance(30) ? dice.milliseconds(0...400) : nil
        world.note { $0.asks(id, usesModel: true, limit: limit) }
        let (engine, kept, fault) = (engine, kept, world.fault)
        let isFaulty = (fault == .keptModel || fault == .useAfterRelease) && dice.chance(5)
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
        return id
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

    private func cancelSomebody() -> Int {
        let waiting = world.note { facts in facts.callers.filter { !$0.isCancelled }.map(\.id) }
        guard !waiting.isEmpty else { return 0 }
        let id = waiting[dice.below(waiting.count)]
        guard let task = callers.first(where: { $0.id == id })?.task else { return 0 }
        world.note { facts in
            if let index = facts.caller(id) { facts.callers[index].isCancelled = true }
        }
        task.cancel()
        return id
    }

    // MARK: - Releasing

    @discardableResult
    func release(suspends: Bool, policy: ModelRunner<SimulatedEngine>.ReleasePolicy) -> Int {
        guard let runner, world.note({ $0.releases.count }) < 6 else { return 0 }
        let (id, world) = (newName(), world)
        world.note { $0.releaseAsked(id, suspends: suspends) }
        spawn {
            if suspends {
                await runner.suspend("simulated heat", policy)
            } else {
                await runner.release(policy)
            }
            world.note { $0.releaseReturned(id) }
        }
        return id
    }

    private func resume() -> Int {
        guard let runner else { return 0 }
        world.note { $0.resumeAsked() }
        spawn { await runner.resume() }
        return 1
    }

    // MARK: - Observers and time

    private func observe() -> Int {
        guard let runner, observers.count < 4 else { return 0 }
        let (id, world, clock, states) = (newName(), world, clock, runner.states)
        world.note { $0.observers.append(Facts.Observer(id: id)) }
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
        return id
    }

    /// What reaches the observer: the state itself, unless there is a bug on purpose.
    private nonisolated static func delivered(
        _ state: ModelState, to observer: Int, _ facts: Facts, fault: SimulationFault?
    ) -> ModelState {
        guard fault == .progressGoesBack, case .warming(let progress) = state, progress > 0.5,
            case .warming(let before)? = facts.observers.first(where: { $0.id == observer })?.seen, before > 0
        else { return state }
        return .warming(progress: before / 2)
    }

    private func leave() -> Int {
        guard !observers.isEmpty else { return 0 }
        let (id, task) = observers.remove(at: dice.below(observers.count))
        // It sees nothing any more, from now on.
        world.note { $0.sleep(observer: id, true) }
        task.cancel()
        return id
    }

    /// In milliseconds: to the next one who waits, or a random while.
    private func passTime() -> Int {
        let end: VirtualClock.Instant
        if let next = clock.nextDeadline, next.offset < World.endOfTime, dice.chance(70) {
            end = next
        } else {
            end = clock.now.advanced(by: dice.milliseconds(1...(dice.chance(10) ? 5000 : 100)))
        }
        clock.advance(to: end)
        return Int(end.offset / .milliseconds(1))
    }
}

extension Facts {
    fileprivate mutating func sleep(observer id: Int, _ isAsleep: Bool) {
        if let index = observers.firstIndex(where: { $0.id == id }) { observers[index].isAsleep = isAsleep }
    }
}

/// Where a caller with a bug hides the model that it must not keep.
final class Keeper: Sendable {
    private let models = Mutex<[SimulatedModel]>([])

    func keep(_ model: SimulatedModel) { models.withLock { $0.append(model) } }
    func take() -> SimulatedModel? { models.withLock { $0.popLast() } }
    func drop() {
        // Outside of the lock: a model that goes tells the world.
        _ = models.withLock { models in
            defer { models = [] }
            return models
        }
    }
}
