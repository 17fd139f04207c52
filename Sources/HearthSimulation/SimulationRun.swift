internal import HearthRuntime
internal import HearthSystem

/// Executes the life of one runner, from its creation to its deallocation.
@MainActor
final class SimulationRun {
    let life: Life
    let world: SimulationContext
    let clock = VirtualClock()
    let executor = SimulatedExecutor()
    let engine: SimulatedEngine
    var runner: ModelRunner<SimulatedEngine>?
    /// Chooses which job runs next.
    private var schedule: SplitMix64
    var callers: [(id: Int, task: Task<Void, Never>)] = []
    var observers: [(id: Int, task: Task<Void, Never>)] = []
    let kept = Keeper()
    var store: ModelStore<SimulatedEngine>?
    var device: SimulatedDevice?
    var isStoreAlive: @MainActor () -> Bool = { false }

    init(_ life: Life, fault: SimulationFault?) {
        self.life = life
        schedule = SplitMix64(seed: life.endSeed)
        world = SimulationContext(clock: clock, dice: schedule, failureRate: life.failureRate, fault: fault)
        engine = SimulatedEngine(world: world)
        let runner = ModelRunner(engine: engine, clock: clock, executor: executor, mutation: fault?.mutation)
        self.runner = runner
        world.watch(runner)
        if life.hasStore { addStore() }
    }

    // MARK: - Running

    /// Sets new random generators for the following steps, independent of how often the previous ones were used.
    private func deal(_ seed: UInt64) {
        schedule = SplitMix64(seed: seed)
        world.deal(schedule.split())
    }

    /// Runs one queued job and checks the state.
    private func runOne() -> Bool {
        let ran = executor.runOne { count in
            switch life.order {
            case .random: schedule.below(count)
            case .oldest: 0
            case .newest: count - 1
            }
        }
        if ran { look() }
        return ran
    }

    private func look() {
        let state = world.state
        world.note { $0.look(at: state) }
    }

    /// Runs up to `limit` jobs, or until none are queued; the default limit is never reached by a correct runner.
    @discardableResult
    func run(_ limit: Int = 100_000) -> Int {
        var count = 0
        while count < limit, runOne() { count += 1 }
        return count
    }

    /// Runs until no jobs are left, neither here nor on the main thread, where the store runs.
    @discardableResult
    func rest() async -> Int {
        var count = run()
        guard world.note({ $0.hasStore }) else { return count }
        var quiet = 0
        while quiet < 2, count < 100_000 {
            await MainThread.turn()
            let ran = run()
            count += ran
            quiet = ran == 0 ? quiet + 1 : 0
        }
        return count
    }

    /// Executes one event, some jobs, and all checks.
    func step(_ event: LifeEvent) async -> TraceEntry {
        var entry = TraceEntry(event: event)
        deal(event.seed)
        act(event)
        switch event.pace {
        case .rest: entry.jobs = await rest()
        case .jobs(let count, let mainTurn):
            entry.jobs = run(count)
            if mainTurn { await MainThread.turn() }
        }
        check(isAtRest: event.pace == .rest)
        entry.state = world.state
        entry.now = clock.now.offset
        return entry
    }

    private func check(isAtRest: Bool) {
        look()
        let now = clock.now
        world.note { facts in
            facts.check()
            if isAtRest { facts.checkAtRest(now: now) }
        }
        if isAtRest { checkStore() }
    }

    // MARK: - End

    /// The id of the release that ends each life.
    static let lastRelease = 0

    /// Ends the life: releases everything, lets time pass, and checks that nothing is left.
    func end() async {
        deal(life.endSeed)
        await rest()
        await endStore()
        release(Self.lastRelease, suspends: false, interrupts: schedule.chance(50))
        await settle()
        check(isAtRest: true)
        world.note { $0.checkEnd() }
        let wasBroken = isBroken
        runner = nil
        run()
        guard !wasBroken else { return }
        world.note { facts in
            for observer in facts.observers { facts.violate(.leaks, "observer \(observer.id) outlives the runner") }
        }
        if !executor.isIdle { violate(.leaks, "jobs are left over") }
        if clock.sleepers > 0 { violate(.leaks, "somebody is still asleep") }
        if world.hasRunner { violate(.leaks, "the runner is still there") }
    }

    /// Lets time pass until nothing more happens.
    func settle() async {
        for _ in 0..<10_000 {
            await rest()
            guard let next = clock.nextDeadline, next.offset < SimulationContext.endOfTime else { return }
            clock.advance(to: next)
        }
        violate(.answers, "it never comes to rest")
    }

    /// Cleans up after a violation: wakes all sleepers, so that nothing is left behind in this process.
    func abandon() async {
        (store, device) = (nil, nil)
        kept.drop()
        for caller in callers { caller.task.cancel() }
        for observer in observers { observer.task.cancel() }
        for _ in 0..<100 where clock.sleepers > 0 || !executor.isIdle {
            await rest()
            clock.advance(to: clock.now.advanced(by: SimulationContext.endOfTime))
        }
        runner = nil
        run()
    }

    var isBroken: Bool { world.note { !$0.found.isEmpty } }

    func violate(_ invariant: Invariant, _ detail: String) { world.note { $0.violate(invariant, detail) } }

}
