import HearthRuntime
import HearthSimulation
import Testing

@Suite("A life before it is lived", .timeLimit(.minutes(20)))
struct LifeTests {
    @Test(
        "The lives of a seed hold every event once, and any of their events leads to them",
        arguments: FreshSeeds.some(4))
    func lives(seed: UInt64) {
        var next = 1
        var lengths: Set<Int> = []
        while next < 5000 {
            let life = Life.containing(next, seed: seed)
            let numbers = life.events.map(\.number)
            #expect(numbers == Array(next..<next + numbers.count))
            for number in numbers { #expect(Life.containing(number, seed: seed) == life) }
            lengths.insert(numbers.count)
            next += numbers.count
        }
        #expect(lengths.count > 10)
        let last = Life.containing(.max, seed: seed).events
        #expect(last.last?.number == .max)
    }

    @Test("An event stays what it is where others are left out")
    func parts() {
        let life = Life.containing(1, seed: 5)
        let some = Set(life.events.map(\.number).filter { $0 % 3 == 1 })
        #expect(life.keeping(some).events == life.events.filter { some.contains($0.number) })
        #expect(life.ending(with: 7).events == Array(life.events.prefix(7)))
        #expect(Simulation.areOfOneLife([1, 7], seed: 5))
        #expect(!Simulation.areOfOneLife([1, life.events.count + 1], seed: 5))
        #expect(!Simulation.areOfOneLife([0], seed: 5) && !Simulation.areOfOneLife([], seed: 5))
    }

    @Test("A life lived by its numbers is the life of the run")
    func replay() async {
        let numbers = Life.containing(1, seed: 8).events.map(\.number)
        let run = await Simulation.run(SimulationOptions(seed: 8, events: numbers.count))
        let replayed = await Simulation.replay(seed: 8, events: numbers)
        #expect(run.digest == replayed.digest && run.tally == replayed.tally)
        let half = await Simulation.replay(seed: 8, events: numbers.filter { $0 % 2 == 0 })
        #expect(half.events == numbers.count / 2 && half.violations.isEmpty)
    }

    private func event(_ number: Int, _ action: LifeEvent.Action, _ pace: LifeEvent.Pace, seed: UInt64) -> LifeEvent {
        LifeEvent(number: number, action: action, pace: pace, seed: seed &* 1000 + UInt64(number))
    }

    /// A life once ended without its last release, because many were under way already: a caller who had come between them kept
    /// its load, and was answered late or, where that load hung, never.
    @Test("The release that ends a life counts, however many are under way")
    func overlappingReleases() async throws {
        var broken: [SimulationFault?: Int] = [:]
        var answers = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            var life = Life(events: [event(1, .use(limit: nil, retries: false, keeps: false), .rest, seed: seed)])
            for number in 2...8 {
                life.events.append(event(number, .release(interrupts: number % 2 == 0), .rest, seed: seed))
            }
            life.events.append(event(9, .slow, .rest, seed: seed))
            life.events.append(event(10, .use(limit: nil, retries: false, keeps: false), .rest, seed: seed))
            life.endSeed = seed
            for fault in [nil, SimulationFault.joinedRelease] {
                let report = await Simulation.live(life, seed: seed, fault: fault)
                if !report.violations.isEmpty { broken[fault, default: 0] += 1 }
                if fault == nil { answers += report.tally.answers.values.reduce(0, +) }
            }
        }
        #expect(broken[nil] == nil && answers == 400)
        // Where nobody lags the first release is done before the second one.
        #expect(try #require(broken[.joinedRelease]) > 10)
    }

    /// A session that began after a failure, whose load was refused: a store once took another caller's retry for its own load, and
    /// had none when that caller gave up.
    @Test("A session gets its model although it was another caller who tried again after the failure, and gave up")
    func retriedBySomebodyElse() async throws {
        var broken: [SimulationFault?: Int] = [:]
        for seed in 1...100 as ClosedRange<UInt64> {
            var life = Life(events: [event(1, .failure, .rest, seed: seed)])
            life.hasStore = true
            life.endSeed = seed
            life.events.append(event(2, .prepare(retries: false), .rest, seed: seed))
            for number in 3...8 {
                let time = LifeEvent.Action.time(toNextWake: true, otherwise: .milliseconds(1))
                life.events.append(event(number, time, .rest, seed: seed))
            }
            life.events.append(event(9, .slow, .rest, seed: seed))
            life.events.append(event(10, .activity(.session), .rest, seed: seed))
            let use = LifeEvent.Action.use(limit: .milliseconds(20), retries: true, keeps: false)
            life.events.append(event(11, use, .rest, seed: seed))
            for fault in [nil, SimulationFault.lostOrder] {
                let report = await Simulation.live(life, seed: seed, fault: fault)
                if !report.violations.isEmpty { broken[fault, default: 0] += 1 }
            }
        }
        #expect(broken[nil] == nil)
        #expect(try #require(broken[.lostOrder]) > 10)
    }
}
