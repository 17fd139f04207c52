import Foundation
import HearthRuntime
import Testing

@Suite("Model states", .timeLimit(.minutes(20)))
struct ModelStatesTests {
    @Test("Each of many observers sees the current state first and the last one always")
    func observers() async throws {
        let engine = ControlledEngine(closed: [.load])
        let runner = ModelRunner(engine: engine)
        let observers = (0..<20).map { _ in
            Task {
                var seen: [ModelState] = []
                for await state in runner.states {
                    seen.append(state)
                    if state == .ready { break }
                }
                return seen
            }
        }
        await eventually { runner.observers == 20 }
        let caller = Task { try await runner.prepare() }
        await eventually { engine.count(.load) == 1 }
        let late = Task { await runner.states.first { _ in true } }
        #expect(await late.value?.name == "warming")
        engine.open(.load)
        try await caller.value
        for observer in observers {
            let seen = await observer.value
            #expect(seen.first == .cold && seen.last == .ready)
            var progress = -1.0
            for case .warming(let next) in seen {
                #expect(next > progress && next <= 1)
                progress = next
            }
        }
        await runner.release()
        #expect(await runner.states.first { _ in true } == .cold)
    }

    @Test("A slow observer misses what was overtaken, never the last")
    func slowObserver() async throws {
        let runner = ModelRunner(engine: ControlledEngine())
        var iterator = runner.states.makeAsyncIterator()
        #expect(await iterator.next() == .cold)
        for _ in 0..<10 {
            try await runner.prepare()
            await runner.release()
        }
        await runner.suspend("too hot")
        #expect(await iterator.next() == .unavailable(reason: "too hot"))
    }

    @Test("A cancelled observer ends and leaves nothing behind")
    func cancellation() async {
        let runner = ModelRunner(engine: ControlledEngine())
        let observers = (0..<10).map { _ in Task { for await _ in runner.states {} } }
        await eventually { runner.observers == 10 }
        for observer in observers { observer.cancel() }
        for observer in observers { await observer.value }
        #expect(runner.observers == 0)
    }

    @Test("Observers end when the runner goes")
    func end() async {
        var runner: ModelRunner<ControlledEngine>? = ModelRunner(engine: ControlledEngine())
        let observer = Task { [states = runner?.states] in
            var last: ModelState?
            guard let states else { return last }
            for await state in states { last = state }
            return last
        }
        await eventually { [weak runner] in runner?.observers == 1 }
        runner = nil
        #expect(await observer.value == .cold)
    }

    @Test("Progress of an earlier load, backwards, or too small to see is dropped")
    func publisher() {
        let publisher = StatePublisher()
        publisher.begin(load: 1)
        publisher.progress(load: 1, 0.5)
        #expect(publisher.states.value == .cold)
        publisher.publish(.warming(progress: 0))
        publisher.progress(load: 1, 0.5)
        publisher.progress(load: 1, 0.25)
        publisher.progress(load: 1, 0.5001)
        #expect(publisher.states.value == .warming(progress: 0.5))
        publisher.publish(.warming(progress: 0))
        #expect(publisher.states.value == .warming(progress: 0.5))
        publisher.progress(load: 1, 7)
        #expect(publisher.states.value == .warming(progress: 1))
        publisher.publish(.cold)
        publisher.begin(load: 2)
        publisher.publish(.warming(progress: 0))
        publisher.progress(load: 1, 0.9)
        #expect(publisher.states.value == .warming(progress: 0))
    }
}
