internal import HearthRuntime

/// The life of one runner, from its creation to the moment when it is gone.
@MainActor
final class Episode {
    /// Which of the waiting jobs runs next.
    enum Order: CaseIterable {
        case random, oldest, newest
    }

    let world: World
    let clock = VirtualClock()
    let executor = SimulatedExecutor()
    let engine: SimulatedEngine
    var runner: ModelRunner<SimulatedEngine>?
    var dice: SeededGenerator
    private let order: Order
    let weights: [(EventKind, Int)]
    var callers: [(id: Int, task: Task<Void, Never>)] = []
    var observers: [(id: Int, task: Task<Void, Never>)] = []
    var names = 0
    let kept = Keeper()
    var store: ModelStore<SimulatedEngine>?
    var device: SimulatedDevice?
    var isStoreAlive: @MainActor () -> Bool = { false }

    init(dice seed: SeededGenerator, fault: SimulationFault?) {
        var dice = seed
        order = dice.chance(70) ? .random : Order.allCases[dice.below(3)]
        let hasStore = dice.chance(40)
        weights = hasStore ? Self.withStore : dice.chance(50) ? Self.calm : Self.rough
        world = World(clock: clock, dice: dice.split(), failureRate: dice.chance(50) ? 0 : dice.below(20), fault: fault)
        engine = SimulatedEngine(world: world)
        self.dice = dice
        let runner = ModelRunner(engine: engine, clock: clock, executor: executor)
        self.runner = runner
        world.watch(runner)
        if hasStore { addStore() }
    }

    // MARK: - Running

    /// Runs one waiting job and looks at the state.
    private func runOne() -> Bool {
        let ran = executor.runOne { count in
            switch order {
            case .random: dice.below(count)
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

    /// Runs up to `limit` jobs, or until none waits; a number that no honest runner reaches ends it.
    @discardableResult
    func run(_ limit: Int = 100_000) -> Int {
        var count = 0
        while count < limit, runOne() { count += 1 }
        return count
    }

    /// Runs until nothing is left to run: here, nor on the main thread where a store lives.
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

    /// One random event, some jobs, and every check.
    func step(_ number: Int) async -> TraceEntry {
        var entry = TraceEntry(number: number, kind: nextKind())
        entry.argument = act(entry.kind)
        let choice = dice.below(10)
        if choice < 4 {
            entry.jobs = await rest()
        } else {
            entry.jobs = run(choice < 6 ? 0 : dice.below(7))
            if store != nil, choice < 8 { await MainThread.turn() }
        }
        check(isAtRest: choice < 4)
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

    // MARK: - The end

    /// Everybody is let go, time runs on, and nothing may be left.
    func end() async {
        await rest()
        await endStore()
        release(suspends: false, policy: dice.chance(50) ? .cancelInference : .finishInference)
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

    /// Lets time run until nothing more happens.
    func settle() async {
        for _ in 0..<10_000 {
            await rest()
            guard let next = clock.nextDeadline, next.offset < World.endOfTime else { return }
            clock.advance(to: next)
        }
        violate(.answers, "it never comes to rest")
    }

    /// After a violation: wakes whoever sleeps, so that nothing is left behind in this process.
    func abandon() async {
        (store, device) = (nil, nil)
        kept.drop()
        for caller in callers { caller.task.cancel() }
        for observer in observers { observer.task.cancel() }
        for _ in 0..<100 where clock.sleepers > 0 || !executor.isIdle {
            await rest()
            clock.advance(to: clock.now.advanced(by: World.endOfTime))
        }
        runner = nil
        run()
    }

    var isBroken: Bool { world.note { !$0.found.isEmpty } }

    func violate(_ invariant: Invariant, _ detail: String) { world.note { $0.violate(invariant, detail) } }

}
