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
                    try await queue.turn(waitingAtMost: .seconds(60)) {
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
            try await queue.turn(waitingAtMost: .seconds(60)) {
                try await entered.send(())
                _ = try await gate.next()
            }
        }
        _ = try await entered.next()
        let cancelled = Task { try await queue.turn(waitingAtMost: .seconds(60)) {} }
        while await queue.waiting < 1 { await Task.yield() }
        await #expect(throws: TurnQueue.Refusal.tooLong) { try await queue.turn(waitingAtMost: .milliseconds(10)) {} }
        let patient = Task { try await queue.turn(waitingAtMost: .seconds(60)) { 7 } }
        while await queue.waiting < 2 { await Task.yield() }
        await #expect(throws: TurnQueue.Refusal.full) { try await queue.turn(waitingAtMost: .seconds(60)) {} }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await gate.send(())
        try await first.value
        #expect(try await patient.value == 7)
    }
}
