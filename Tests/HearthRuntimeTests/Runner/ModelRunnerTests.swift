import Foundation
import HearthRuntime
import Testing

@Suite("Model runner", .timeLimit(.minutes(20)))
struct ModelRunnerTests {
    typealias Runner = ModelRunner<ControlledEngine>

    private func runner(_ engine: ControlledEngine) -> Runner { ModelRunner(engine: engine) }

    /// Until so many callers wait in the runner.
    private func arrived(_ count: Int, _ runner: Runner) async { await eventually { await runner.waiting == count } }

    @Test("A hundred callers share one load")
    func singleFlight() async throws {
        let engine = ControlledEngine(closed: [.load])
        let runner = runner(engine)
        let callers = (0..<100).map { number in
            Task {
                if number % 2 == 0 { try await runner.prepare() } else { try await runner.withModel { _ in } }
            }
        }
        await arrived(100, runner)
        engine.open(.load)
        for caller in callers { try await caller.value }
        #expect(engine.count(.compile) == 1 && engine.count(.load) == 1 && engine.count(.warmUp) == 1)
        #expect(runner.state == .ready)
        try await runner.prepare()
        #expect(engine.count(.load) == 1)
        let times = try #require(await runner.lastPreparation)
        #expect(times.reused && times.totalMS >= 0)
        await runner.release()
    }

    @Test("One caller's cancellation leaves the others their load")
    func oneCancels() async throws {
        let engine = ControlledEngine(closed: [.load])
        let runner = runner(engine)
        let (first, second) = (Task { try await runner.prepare() }, Task { try await runner.prepare() })
        await arrived(2, runner)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(runner.state.name == "warming")
        engine.open(.load)
        try await second.value
        #expect(engine.count(.load) == 1 && runner.state == .ready)
        await runner.release()
    }

    @Test("The last caller's cancellation ends the load")
    func lastCancels() async throws {
        let engine = ControlledEngine(closed: [.load])
        let runner = runner(engine)
        let callers = (0..<3).map { _ in Task { try await runner.prepare() } }
        await arrived(3, runner)
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        await eventually { await runner.isEmpty }
        #expect(runner.state == .cold && engine.count(.warmUp) == 0)
        // Nothing is remembered against the next one.
        engine.open(.load)
        try await runner.prepare()
        #expect(runner.state == .ready)
        await runner.release()
    }

    @Test("A load that takes no notice of its cancellation is unloaded, and never was ready")
    func lateLoad() async throws {
        let engine = ControlledEngine(closed: [.load], ignoresCancellation: true)
        let runner = runner(engine)
        let caller = Task { try await runner.prepare() }
        await eventually { engine.count(.load) == 1 }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        engine.open(.load)
        await eventually { await runner.isEmpty }
        #expect(engine.count(.unload) == 1 && !engine.hasModelInMemory && runner.state == .cold)
    }

    @Test("Uses are exclusive and in the order of asking")
    func queue() async throws {
        let runner = runner(ControlledEngine())
        let log = Log()
        let gate = Gate()
        let first = Task {
            try await runner.withModel { _ in
                await gate.wait()
                log.add(0)
            }
        }
        await eventually { await runner.isInUse }
        var others: [Task<Void, any Error>] = []
        for number in 1...20 {
            others.append(
                Task {
                    try await runner.withModel { _ in
                        log.enter()
                        await Task.yield()
                        log.add(number)
                        log.leave()
                    }
                })
            await arrived(number, runner)
        }
        gate.open()
        try await first.value
        for other in others { try await other.value }
        #expect(log.numbers == Array(0...20))
        #expect(log.most == 1)
        await runner.release()
    }

    @Test("As many uses at a time as are allowed, and a release ends all of them", arguments: [true, false])
    func sharedUses(cancels: Bool) async throws {
        let engine = ControlledEngine()
        let runner = ModelRunner(engine: engine, uses: 3)
        let log = Log()
        let gate = Gate()
        let uses = (0..<5).map { _ in
            Task {
                try await runner.withModel { _ in
                    log.enter()
                    defer { log.leave() }
                    await gate.wait()
                    try Task.checkCancellation()
                }
            }
        }
        await eventually { log.most == 3 }
        await eventually { await runner.waiting == 2 }
        let release = Task { await runner.release(cancels ? .cancelInference : .finishInference) }
        await eventually { runner.state == .cold }
        // Uses that are cancelled may all have ended by now.
        #expect(cancels || engine.count(.unload) == 0)
        if !cancels { gate.open() }
        var ended = 0, released = 0
        for use in uses {
            switch await use.result {
            case .success: ended += 1
            case .failure(let error): if error as? RunnerError == .released { released += 1 }
            }
        }
        await release.value
        // Those that waited are told so in any case.
        #expect(ended == (cancels ? 0 : 3) && released == (cancels ? 5 : 2))
        #expect(log.most == 3 && engine.count(.unload) == 1 && !engine.hasModelInMemory)
    }

    @Test("Release waits for the use, or ends it", arguments: [true, false])
    func releasePolicy(cancels: Bool) async throws {
        let engine = ControlledEngine()
        let runner = runner(engine)
        let gate = Gate()
        let use = Task {
            try await runner.withModel { _ in
                await gate.wait()
                try Task.checkCancellation()
                return 1
            }
        }
        await eventually { await runner.isInUse }
        let release = Task { await runner.release(cancels ? .cancelInference : .finishInference) }
        await eventually { runner.state == .cold }
        #expect(cancels || engine.count(.unload) == 0)
        // A gate ends with its task; the use that may finish needs it opened.
        if !cancels { gate.open() }
        let result = await use.result
        await release.value
        if cancels {
            #expect(throws: RunnerError.released) { try result.get() }
        } else {
            #expect(try result.get() == 1)
        }
        #expect(engine.interrupted == (cancels ? 1 : 0))
        #expect(engine.count(.unload) == 1 && !engine.hasModelInMemory)
    }

    @Test("Whoever waits when the model is released is told so; who comes later gets a new load")
    func releaseWhileQueued() async throws {
        let engine = ControlledEngine()
        let runner = runner(engine)
        let gate = Gate()
        let use = Task { try await runner.withModel { _ in await gate.wait() } }
        await eventually { await runner.isInUse }
        let queued = Task { try await runner.withModel { _ in Issue.record("a use after the release") } }
        await arrived(1, runner)
        let release = Task { await runner.release() }
        await #expect(throws: RunnerError.released) { try await queued.value }
        let late = Task { try await runner.withModel { $0.number } }
        await arrived(1, runner)
        #expect(engine.count(.load) == 1)
        gate.open()
        try await use.value
        await release.value
        #expect(try await late.value == 2)
        await runner.release()
    }

    @Test(
        "A failure is reported to all, remembered, and tried again only on request",
        arguments: [
            ControlledEngine.Step.compile, .load, .warmUp,
        ])
    func failure(step: ControlledEngine.Step) async throws {
        let engine = ControlledEngine(failing: [step])
        let runner = runner(engine)
        let expected = RunnerError.failed(message: "the weights are damaged", cause: ControlledEngine.Failure())
        await #expect(throws: expected) { try await runner.prepare() }
        await #expect(throws: expected) { try await runner.withModel { _ in } }
        #expect(runner.state == .failed(message: "the weights are damaged"))
        #expect(engine.count(.compile) == 1 && !engine.hasModelInMemory)
        #expect(engine.count(.unload) == (step == .warmUp ? 1 : 0))
        engine.heal()
        await #expect(throws: expected) { try await runner.prepare() }
        try await runner.prepare(retryingFailure: true)
        #expect(runner.state == .ready)
        await runner.release()
    }

    @Test("A body's own error comes back as it is")
    func ownError() async throws {
        let runner = runner(ControlledEngine())
        await #expect(throws: ControlledEngine.Failure()) {
            try await runner.withModel { _ in throw ControlledEngine.Failure() }
        }
        #expect(runner.state == .ready)
        await runner.release()
    }

    @Test("Nobody waits beyond his limit")
    func deadline() async throws {
        let engine = ControlledEngine(closed: [.load])
        let clock = ManualClock()
        let runner = ModelRunner(engine: engine, clock: clock)
        await #expect(throws: RunnerError.deadlineExceeded) {
            try await runner.withModel(waitingAtMost: .zero) { _ in }
        }
        let caller = Task { try await runner.withModel(waitingAtMost: .seconds(5)) { _ in } }
        await eventually { clock.waiting == 1 }
        try await clock.advance(by: .seconds(4))
        #expect(clock.waiting == 1)
        try await clock.advance(by: .seconds(1))
        await #expect(throws: RunnerError.deadlineExceeded) { try await caller.value }
        // Nobody else waited, so that the load ended too.
        await eventually { await runner.isEmpty }
        engine.open(.load)
        try await runner.withModel(waitingAtMost: .seconds(5)) { _ in }
        await eventually { clock.waiting == 0 }
        await runner.release()
    }

    @Test("While suspended nothing is loaded, and the state says why")
    func suspension() async throws {
        let engine = ControlledEngine()
        let runner = runner(engine)
        try await runner.prepare()
        await runner.suspend("too hot")
        #expect(runner.state == .unavailable(reason: "too hot") && !engine.hasModelInMemory)
        await #expect(throws: RunnerError.unavailable(reason: "too hot")) {
            try await runner.prepare(retryingFailure: true)
        }
        await #expect(throws: RunnerError.unavailable(reason: "too hot")) { try await runner.withModel { _ in } }
        #expect(engine.count(.load) == 1)
        await runner.resume()
        #expect(runner.state == .cold)
        try await runner.prepare()
        #expect(runner.state == .ready)
        await runner.release()
    }

    @Test("A suspension ends the load and the use that are under way")
    func suspensionInterrupts() async throws {
        let engine = ControlledEngine(closed: [.load])
        let runner = runner(engine)
        let caller = Task { try await runner.prepare() }
        await eventually { engine.count(.load) == 1 }
        await runner.suspend("too hot")
        await #expect(throws: RunnerError.unavailable(reason: "too hot")) { try await caller.value }
        #expect(engine.count(.warmUp) == 0)
        engine.open(.load)
        await runner.resume()
        let gate = Gate()
        let use = Task { try await runner.withModel { _ in try await gate.waitOrThrow() } }
        await eventually { await runner.isInUse }
        await runner.suspend("too hot again")
        await #expect(throws: RunnerError.released) { try await use.value }
        #expect(!engine.hasModelInMemory)
    }

    @Test("The model's memory is free when release returns")
    func memory() async throws {
        let engine = ControlledEngine()
        let runner = runner(engine)
        for round in 1...50 {
            let number = try await runner.withModel { $0.number }
            #expect(number == round && engine.hasModelInMemory)
            await runner.release()
            #expect(!engine.hasModelInMemory)
        }
        #expect(engine.count(.unload) == 50)
    }

    @Test("A runner that nobody holds is gone")
    func runnerGoes() async throws {
        weak var gone: Runner?
        do {
            let runner = runner(ControlledEngine())
            gone = runner
            try await runner.prepare()
            await runner.release()
        }
        await eventually { [weak gone] in gone == nil }
    }
}
