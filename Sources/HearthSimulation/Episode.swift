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
    private let isRunnerAlive: @Sendable () -> Bool

    init(dice seed: SeededGenerator, fault: SimulationFault?) {
        var dice = seed
        order = dice.chance(70) ? .random : Order.allCases[dice.below(3)]
        weights = dice.chance(50) ? Self.calm : Self.rough
        world = World(clock: clock, dice: dice.split(), failureRate: dice.chance(50) ? 0 : dice.below(20), fault: fault)
        engine = SimulatedEngine(world: world)
        self.dice = dice
        let runner = ModelRunner(engine: engine, clock: clock, executor: executor)
        self.runner = runner
        isRunnerAlive = { [weak runner] in runner != nil }
        world.watch { [weak runner] in runner?.state ?? .cold }
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

    /// One random event, some jobs, and every check.
    func step(_ number: Int) -> TraceEntry {
        var entry = TraceEntry(number: number, kind: nextKind())
        entry.argument = act(entry.kind)
        let jobs =
            switch dice.below(10) {
            case 0..<4: 100_000
            case 4..<6: 0
            default: dice.below(7)
            }
        entry.jobs = run(jobs)
        check()
        entry.state = world.state
        entry.now = clock.now.offset
        return entry
    }

    private func check() {
        look()
        let now = clock.now
        let isAtRest = executor.isIdle
        world.note { facts in
            facts.check()
            if isAtRest { facts.checkAtRest(now: now, expiries: true) }
        }
    }

    // MARK: - The end

    /// Everybody is let go, time runs on, and nothing may be left.
    func end() {
        run()
        release(suspends: false, policy: dice.chance(50) ? .cancelInference : .finishInference)
        settle()
        check()
        world.note { $0.checkEnd() }
        let wasAlive = isBroken
        runner = nil
        run()
        guard !wasAlive else { return }
        world.note { facts in
            for observer in facts.observers { facts.violate(.leaks, "observer \(observer.id) outlives the runner") }
        }
        if !executor.isIdle { violate(.leaks, "jobs are left over") }
        if clock.sleepers > 0 { violate(.leaks, "somebody is still asleep") }
        if isRunnerAlive() { violate(.leaks, "the runner is still there") }
    }

    /// Lets time run until nothing more happens.
    private func settle() {
        for _ in 0..<10_000 {
            run()
            guard let next = clock.nextDeadline, next.offset < World.endOfTime else { return }
            clock.advance(to: next)
        }
        violate(.answers, "it never comes to rest")
    }

    /// After a violation: wakes whoever sleeps, so that nothing is left behind in this process.
    func abandon() {
        kept.drop()
        for caller in callers { caller.task.cancel() }
        for observer in observers { observer.task.cancel() }
        for _ in 0..<100 where clock.sleepers > 0 || !executor.isIdle {
            run()
            clock.advance(to: clock.now.advanced(by: World.endOfTime))
        }
        runner = nil
        run()
    }

    var isBroken: Bool { world.note { !$0.found.isEmpty } }

    func violate(_ invariant: Invariant, _ detail: String) { world.note { $0.violate(invariant, detail) } }

}
