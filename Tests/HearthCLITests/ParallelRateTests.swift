import Foundation
import HearthCLI
import Testing

/// The speed of several texts at once, as `hearth bench text --parallel` measures it.
@Suite("Texts at once", .timeLimit(.minutes(20)))
struct ParallelRateTests {
    private let start = ContinuousClock.now

    private func times(_ milliseconds: some Sequence<Double>) -> [ContinuousClock.Instant] {
        milliseconds.map { start + .microseconds(Int(($0 * 1000).rounded())) }
    }

    /// Times of `count` tokens, in milliseconds.
    private func steps(_ count: Int, of length: Double, from start: Double = 0) -> [Double] {
        (0..<count).map { (step: Int) in start + length * Double(step) }
    }

    private func rate(_ texts: [[Double]]) -> ParallelRate {
        var rate = ParallelRate()
        rate.add(texts.map(times))
        return rate
    }

    private func isAbout(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 / expected - 1) < 1e-3 } ?? false
    }

    @Test("Texts in step: a token of each in every step, although they are told one after the other")
    func inStep() {
        // Steps of 20 ms, in which the tokens of four texts come 10 µs apart.
        for tokens in [2, 3, 32] {
            let texts = (0..<4).map { text in steps(tokens, of: 20, from: 0.01 * Double(text)) }
            #expect(isAbout(rate(texts).tokensPerSecond, 4 / 0.02), "\(tokens)")
        }
        #expect(isAbout(rate([steps(9, of: 5)]).tokensPerSecond, 200))
    }

    @Test("Only the time counts in which all texts are being written")
    func overlap() {
        // Alone, the first text is twice as fast.
        let first = steps(10, of: 10) + steps(10, of: 20, from: 110)
        let second = steps(20, of: 20, from: 90)
        #expect(isAbout(rate([first, second]).tokensPerSecond, 100))
    }

    @Test("Short times are added up; too short a time, or none, gives no rate")
    func short() {
        var sum = ParallelRate()
        let pair = [times([0, 1, 2, 3]), times([0, 1, 2, 3])]
        for repetition in 1...50 {
            sum.add(pair)
            #expect(sum.isEnough == (repetition >= 34))
            #expect((sum.tokensPerSecond == nil) == (repetition < 4))
        }
        #expect(isAbout(sum.tokensPerSecond, 2000))

        // What a reader sees that was held up: all tokens at once.
        #expect(rate([[50, 50, 50.002], [50, 50.001, 50.002]]).tokensPerSecond == nil)
        // One after the other; a text that ended at once; a single token each; nothing.
        for texts in [[[0, 50], [60, 200]], [[], [0, 500]], [[0], [0]], [[]], []] as [[[Double]]] {
            #expect(rate(texts).tokensPerSecond == nil && !rate(texts).isEnough)
        }
    }

    @Test("A row has a rate and its ratio, or a reason")
    func rows() throws {
        func json(_ row: ParallelRow) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(row)) as? [String: Any])
        }
        let row = ParallelRow(texts: 4, rates: [100, nil, 300, 200], baseRates: [80])
        let fields = try json(row)
        #expect(Set(fields.keys) == ["texts", "tokensPerSecond", "ratio"])
        #expect(fields["tokensPerSecond"] as? Double == 200 && fields["ratio"] as? Double == 2.5)
        #expect(row.line == "4 texts at once          200.0 tokens/s    2.50 times")

        let none = ParallelRow(texts: 4, rates: [nil, nil], baseRates: [80])
        let nulls = try json(none)
        #expect(nulls["tokensPerSecond"] is NSNull && nulls["ratio"] is NSNull)
        let reason = try #require(nulls["reason"] as? String)
        #expect(reason.contains("10 ms") && reason.contains("--tokens"), "\(reason)")
        #expect(none.line == "4 texts at once      no rate: \(reason)")
        let alone = ParallelRow(texts: 4, rates: [200], baseRates: [nil])
        #expect(alone.ratio == nil && alone.line.hasSuffix("200.0 tokens/s"))
    }

    @Test("bench text --parallel: a tiny model is measured for as long as a large one")
    func program() throws {
        let model = HearthProcess.fixture("gemma3-q8_0.gguf")
        let outcome = try HearthProcess.run(
            [
                "bench", "text", "--model", model, "--parallel", "1,4", "--tokens", "8", "--prompts", "4", "--contexts",
                "4", "--runs", "1", "--no-drafts", "--json",
            ], environment: ["HEARTH_BACKGROUND": "0"])
        #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
        let rows = try #require(outcome.json["parallel"] as? [[String: Any]])
        #expect(rows.map { $0["texts"] as? Int } == [1, 4])
        // A text of its own is always written alone, however short.
        #expect(rows[0]["tokensPerSecond"] is Double && rows[0]["ratio"] as? Double == 1, "\(rows)")
        for row in rows {
            let rate = row["tokensPerSecond"] as? Double
            #expect(rate.map { $0 > 0 } ?? (row["reason"] is String), "\(row)")
        }
        // The run, and the one before it that warms up.
        #expect(outcome.seconds > 2 * 0.1)
    }
}
