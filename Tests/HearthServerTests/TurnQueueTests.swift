import HearthServer
import HearthSystem
import Testing

@Suite("Turns", .timeLimit(.minutes(20)))
struct TurnQueueTests {
    private actor Tally {
        private var running = 0
        private(set) var most = 0
        private(set) var done: [Int] = []
        func enter() {
            running += 1
            most = max(most, running)
        }
        func leave(_ number: Int) {
            running -= 1
            done.append(number)
        }
    }

    @Test("One at a time, and none is lost")
    func order() async throws {
        let queue = TurnQueue(mostWaiting: 100)
        let tally = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await queue.turn(waitingAtMost: .seconds(3600)) {
                        await tally.enter()
                        await Task.yield()
                        await tally.leave(number)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await tally.most == 1)
        #expect(await tally.done.sorted() == Array(0..<50))
        #expect(await queue.waiting == 0)
        #expect(await !queue.isBusy)
    }

    @Test("A full line, an impatient and a cancelled caller")
    func refusals() async throws {
        let queue = TurnQueue(mostWaiting: 2)
        let gate = BoundedChannel<Void>(capacity: 1)
        let entered = BoundedChannel<Void>(capacity: 1)
        let first = Task {
            try await queue.turn(waitingAtMost: .seconds(3600)) {
                try await entered.send(())
                _ = try await gate.next()
            }
        }
        _ = try await entered.next()
        let cancelled = Task { try await queue.turn(waitingAtMost: .seconds(3600)) {} }
        while await queue.waiting < 1 { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: TurnQueue.Refusal.tooLong) { try await queue.turn(waitingAtMost: .milliseconds(10)) {} }
        let patient = Task { try await queue.turn(waitingAtMost: .seconds(3600)) { 7 } }
        while await queue.waiting < 2 { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: TurnQueue.Refusal.full) { try await queue.turn(waitingAtMost: .seconds(3600)) {} }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await gate.send(())
        try await first.value
        #expect(try await patient.value == 7)
    }

    /// Turns that are held until they are let go, and the order in which they began.
    private actor Stage {
        private(set) var began: [String] = []
        private var open: Set<String> = []
        func hold(_ name: String) async {
            began.append(name)
            while !open.contains(name) { try? await Task.sleep(for: .milliseconds(1)) }
        }
        func letGo(_ name: String) { open.insert(name) }
    }

    @Test("Turns at one model run beside each other; one at another model waits for all of them, and is not overtaken")
    func beside() async throws {
        let queue = TurnQueue(mostWaiting: 10)
        let stage = Stage()
        func turn(_ name: String, at subject: String) async throws -> Task<Void, any Error> {
            let before = await queue.waiting + stage.began.count
            let task = Task {
                try await queue.turn(at: subject, waitingAtMost: .seconds(3600)) {
                    if name == "a" { await queue.widen(subject, to: 2) }
                    await stage.hold(name)
                }
            }
            while await queue.waiting + stage.began.count == before { try await Task.sleep(for: .milliseconds(1)) }
            return task
        }
        var tasks = [try await turn("a", at: "small"), try await turn("b", at: "small")]
        #expect(await stage.began == ["a", "b"])
        #expect(await queue.running == 2)
        tasks += [try await turn("c", at: "small"), try await turn("d", at: "large"), try await turn("e", at: "small")]
        #expect(await queue.waiting == 3)
        await stage.letGo("a")
        while await stage.began.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        // A place is free now, and whoever waits for the large model is next.
        await stage.letGo("b")
        while await queue.running > 1 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await stage.began == ["a", "b", "c"])
        #expect(await queue.waiting == 2)
        await stage.letGo("c")
        while await stage.began.count < 4 { try await Task.sleep(for: .milliseconds(1)) }
        // The large model has one place, as nobody has said more.
        #expect(await stage.began == ["a", "b", "c", "d"])
        #expect(await queue.running == 1)
        for name in ["d", "e"] { await stage.letGo(name) }
        for task in tasks { try await task.value }
        #expect(await stage.began.last == "e")
        #expect(await !queue.isBusy)
    }

    @Test("One client's many texts do not keep another one waiting")
    func clients() async throws {
        let queue = TurnQueue(mostWaiting: 20)
        let stage = Stage()
        var tasks: [Task<Void, any Error>] = []
        for (name, client) in [("a1", "a"), ("a2", "a"), ("a3", "a"), ("a4", "a"), ("b1", "b"), ("b2", "b")] {
            let before = await queue.waiting + stage.began.count
            tasks.append(
                Task { try await queue.turn(for: client, waitingAtMost: .seconds(3600)) { await stage.hold(name) } })
            while await queue.waiting + stage.began.count == before { try await Task.sleep(for: .milliseconds(1)) }
        }
        for name in ["a1", "b1", "a2", "b2", "a3", "a4"] { await stage.letGo(name) }
        for task in tasks { try await task.value }
        #expect(await stage.began == ["a1", "b1", "a2", "b2", "a3", "a4"])
    }
}
