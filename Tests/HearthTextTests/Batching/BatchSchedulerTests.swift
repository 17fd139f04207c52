import HearthSystem
import HearthText
import Testing

/// Who is written when, and how much of whom a step computes.
@Suite("Batch scheduler") struct BatchSchedulerTests {
    typealias Share = BatchScheduler.Share

    private func scheduler(
        texts: Int = 4, step: Int = 256, prompts: Int = 64, bytes: Int = .max / 4
    ) -> BatchScheduler {
        BatchScheduler(
            limits: .init(texts: texts, stepTokens: step, promptTokens: prompts, bytes: bytes), bytes: { $0 })
    }

    @Test("A prompt alone has the whole step; beside running texts a part of it")
    func shares() {
        var scheduler = scheduler()
        #expect(scheduler.divide([]) == [])
        #expect(scheduler.divide([Share(1, tokens: 1000)]) == [Share(1, tokens: 256)])
        #expect(scheduler.divide([Share(1, tokens: 5)]) == [Share(1, tokens: 5)])
        let mixed = scheduler.divide([Share(1, tokens: 1), Share(2, tokens: 1000), Share(3, tokens: 1)])
        #expect(mixed == [Share(1, tokens: 1), Share(2, tokens: 64), Share(3, tokens: 1)])
    }

    @Test("A short prompt is through in one step while long ones share the rest")
    func shortPrompt() {
        var scheduler = scheduler()
        let shares = scheduler.divide([Share(1, tokens: 4000), Share(2, tokens: 20), Share(3, tokens: 4000)])
        #expect(shares == [Share(1, tokens: 118), Share(2, tokens: 20), Share(3, tokens: 118)])
        // Beside a text that waits for its next token, too.
        let busy = scheduler.divide([Share(1, tokens: 4000), Share(2, tokens: 20), Share(3, tokens: 1)])
        #expect(busy == [Share(1, tokens: 44), Share(2, tokens: 20), Share(3, tokens: 1)])
    }

    @Test("Where a step is smaller than the number of texts, they take turns")
    func turns() {
        var scheduler = scheduler(texts: 5, step: 2)
        let needs = (0..<5).map { Share($0, tokens: $0 % 2 == 0 ? 1 : 9) }
        var given = [Int](repeating: 0, count: 5)
        for _ in 0..<5 {
            let shares = scheduler.divide(needs)
            #expect(shares.reduce(0) { $0 + $1.tokens } == 2)
            for share in shares { given[share.id] += share.tokens }
        }
        #expect(given == [2, 2, 2, 2, 2])
    }

    @Test("Texts begin in order, wait where memory is short, and one always runs")
    func admission() {
        var scheduler = scheduler(texts: 3, bytes: 400)
        for id in 1...5 { scheduler.join(id, length: 100) }
        // Each needs 100, and is let in where 64 more would fit.
        #expect(scheduler.admit() == [1, 2, 3])
        #expect(scheduler.waiting == [4, 5])
        scheduler.note(1, length: 250)
        #expect(scheduler.usedBytes == 450)
        #expect(scheduler.makeRoom() == [3] && scheduler.waiting == [3, 4, 5])
        // Until another has left, whoever stepped back would only step back again.
        #expect(scheduler.admit() == [])
        scheduler.leave(1)
        #expect(scheduler.admit() == [3, 4] && scheduler.running == [2, 3, 4])
        scheduler.leave(5)
        #expect(scheduler.waiting == [])

        var alone = self.scheduler(bytes: 10)
        alone.join(7, length: 100)
        alone.join(8, length: 1)
        #expect(alone.admit() == [7] && alone.makeRoom() == [] && alone.waiting == [8])
        alone.leave(7)
        #expect(alone.admit() == [8])
    }

    @Test("With whatever texts, budgets hold and nobody starves", arguments: 0..<40)
    func properties(seed: UInt64) {
        var random = Xoshiro256(seed: seed)
        let texts = Int.random(in: 1...8, using: &random), step = Int.random(in: 1...64, using: &random)
        let prompts = Int.random(in: 1...64, using: &random), bytes = Int.random(in: 200...2000, using: &random)
        var scheduler = scheduler(texts: texts, step: step, prompts: prompts, bytes: bytes)
        /// Of each text: tokens, those computed, and those it is to end with.
        var state: [Int: (count: Int, seen: Int, end: Int)] = [:]
        var came = 0, done = 0, steps = 0
        var order: [Int] = []
        /// Steps in which a running text got nothing.
        var idle: [Int: Int] = [:]
        while done < 60 {
            steps += 1
            guard steps < 200_000 else {
                Issue.record("seed \(seed): somebody starves")
                return
            }
            while came < 60, state.count < 20, Bool.random(using: &random) {
                came += 1
                let count = Int.random(in: 1...150, using: &random)
                state[came] = (count, 0, count + Int.random(in: 1...120, using: &random))
                scheduler.join(came, length: count)
            }
            let begun = scheduler.admit()
            order += begun.filter { !order.contains($0) }
            for id in scheduler.running { scheduler.note(id, length: state[id]?.count ?? 0) }
            for id in scheduler.makeRoom() { state[id]?.seen = 0 }
            #expect(scheduler.running.count <= texts)
            #expect(scheduler.usedBytes <= bytes || scheduler.running.count == 1, "seed \(seed)")
            let needs = scheduler.running.compactMap { id in
                state[id].map { Share(id, tokens: $0.count - $0.seen) }
            }
            let shares = scheduler.divide(needs)
            let given = Dictionary(uniqueKeysWithValues: shares.map { ($0.id, $0.tokens) })
            #expect(shares.allSatisfy { $0.tokens > 0 } && shares.reduce(0) { $0 + $1.tokens } <= step)
            let read = needs.filter { $0.tokens > 1 }.reduce(0) { $0 + (given[$1.id] ?? 0) }
            if needs.contains(where: { $0.tokens == 1 && given[$0.id] != nil }) {
                #expect(read <= max(prompts, needs.count), "seed \(seed)")
            }
            for need in needs {
                let count = given[need.id] ?? 0
                #expect(count <= need.tokens)
                idle[need.id] = count == 0 ? (idle[need.id] ?? 0) + 1 : 0
                #expect(idle[need.id] ?? 0 <= 8, "seed \(seed): text \(need.id) gets nothing")
                guard var text = state[need.id] else { continue }
                text.seen += count
                if text.seen == text.count { text.count += 1 }
                state[need.id] = text
                // Some are not wanted to their end.
                if text.count >= text.end || Int.random(in: 0..<400, using: &random) == 0 {
                    state[need.id] = nil
                    scheduler.leave(need.id)
                    done += 1
                }
            }
        }
        #expect(order == order.sorted(), "seed \(seed): texts begin in the order in which they came")
    }
}
