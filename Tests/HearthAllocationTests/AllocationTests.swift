import CAllocationCount
import Foundation
import HearthCompute
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

/// What a token costs has to be arithmetic and nothing else: the heap is shared with the app, and a phone's is slow.
///
/// Optimised, the count is zero. Without optimisation closures and what they capture are on
/// the heap, so that debug tests hold a bound only.
@Suite("Allocations", .serialized, .timeLimit(.minutes(20))) struct AllocationTests {
    static let files = [
        "gemma1-q4_0.gguf", "gemma2-q8_0.gguf", "gemma3-q4_0.gguf", "gemma3-f16.gguf", "gemma3-kquant-kmix.gguf",
        "gemma3n-q8_0.gguf", "gemma3n-f16.gguf", "gemma4-q4_0.gguf", "gemma4-bf16.gguf",
    ]

    /// Prints what was counted where that is asked for.
    private func note(_ words: Any...) {
        guard ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil else { return }
        print(words.map { "\($0)" }.joined(separator: " "))
    }

    @Test("The counter counts, on this thread and on those of a pool") func counter() throws {
        guard allocation_count_is_kept() else { return }
        let before = allocation_count_of_this_thread()
        withExtendedLifetime([Int](repeating: 1, count: Int.random(in: 3...4))) {}
        #expect(allocation_count_of_this_thread() > before)

        struct Wasteful: ParallelWork {
            func run(_ index: Int) {
                withExtendedLifetime([Int](repeating: index, count: Int.random(in: 3...4))) {}
            }
        }
        let pool = try WorkerPool(threads: 3)
        let census = Census(of: pool)
        #expect(census.count { pool.run(Wasteful(), count: 300) } >= 300)
        #expect(census.count {} == 0)
    }

    @Test(
        "A decode step allocates nothing, alone or with a second thread, in short texts and long ones",
        arguments: files, [1, 2])
    func decodeStep(file: String, threads: Int) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        for format in KVCacheFormat.allCases {
            let session = try GemmaSession(
                configuration: model.configuration, weights: model.weights, kernels: KernelSet.selected(by: nil),
                threads: threads, context: 256, cacheFormat: format, maximumStep: 128)
            let census = Census(of: session.compute.pool)
            let tokens = GemmaFixtures.prompt(256)
            _ = try session.logits(after: tokens[..<8])
            // Whatever is made on first use.
            for index in 8..<12 { _ = try session.logits(after: tokens[index...index]) }
            func count(_ range: Range<Int>) throws -> Double {
                let count = try census.count {
                    for index in range { _ = try session.logits(after: tokens[index...index]) }
                }
                return Double(count) / Double(range.count)
            }
            let short = try count(12..<40)
            _ = try session.logits(after: tokens[40..<200])
            // Two parts of positions, which two threads share.
            let long = try count(200..<240)
            note(file, threads, format, short, long)
            #if DEBUG
            // As many at each step, whatever its position, but for the parts of each layer.
            #expect(
                short == short.rounded() && long <= short + 8 * Double(model.configuration.layers.count),
                "\(short), \(long)")
            #else
            #expect(short == 0 && long == 0, "\(format): \(short), \(long)")
            #endif
        }
    }

    #if !DEBUG
    static let choices: [(name: String, options: SamplingOptions)] = [
        ("greedy", .greedy),
        ("greedy with a penalty", SamplingOptions(temperature: 0, repeatPenalty: 1.2, repeatWindow: 300)),
        ("top-k and top-p", SamplingOptions(topK: 64, topP: 0.95, seed: 5)),
        ("top-p alone", SamplingOptions(temperature: 0.8, topK: 0, topP: 0.9, seed: 6)),
        ("all", SamplingOptions(temperature: 1.5, topK: 0, topP: 1, seed: 7)),
        ("min-p and a penalty", SamplingOptions(topK: 40, minP: 0.05, repeatPenalty: 1.1, repeatWindow: 300, seed: 8)),
    ]

    @Test(
        "Choosing allocates nothing after the first token, however many candidates a later one has", arguments: choices)
    func choosing(name: String, options: SamplingOptions) throws {
        let count = 5000
        var random = Xoshiro256(seed: 17)
        // The first is nearly certain, each later one less so: ever more candidates stay.
        var rows: [[Float]] = []
        for row in 0..<40 {
            var logits = (0..<count).map { _ in Float.random(in: -2...2, using: &random) }
            if row < 20 { logits[7] = Float(20 - row) }
            rows.append(logits)
        }
        var sampler = try Sampler(options, vocabularyCount: count)
        sampler.accept(3)
        _ = try sampler.sample(rows[0])
        let before = allocation_count_of_this_thread()
        for row in rows { _ = try sampler.sample(row) }
        let made = allocation_count_of_this_thread() - before
        note(name, made)
        #expect(made == 0, "\(made) for \(rows.count) tokens")
    }

    /// Nothing, and constraints whose states come again and again: letters without end, and a list of strings.
    private static let constraints: [TextConstraint?] = [
        nil, .regularExpression("[A-Za-z ,.\"]*"),
        .jsonSchema(#"{"type":"array","items":{"type":"string"},"minItems":100}"#),
    ]

    @Test(
        "A token's way from the logits to its text allocates nothing, with a constraint or without", arguments: choices,
        constraints.indices)
    func wholeStep(choice: (name: String, options: SamplingOptions), constraint: Int) throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let threads = 1 + constraint % 2
        let session = try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.selected(by: nil),
            threads: threads, context: 512, cacheFormat: .float16)
        let prompt = model.tokenizer.encode("Once upon a time there was a little bear.", addBOS: true)
        var options = TextGenerator.Options(maximumTokens: 120, sampling: choice.options)
        options.constraint = Self.constraints[constraint]
        var loop = try GenerationLoop(
            session: session, model: model,
            progress: TextProgress(prompt: prompt, options: options), pace: nil)
        var counts: [UInt64] = []
        counts.reserveCapacity(1000)
        // Strings beyond 15 bytes lie on the heap: a held-back text with its next piece, and the few pieces that are so long.
        var long = 0
        let end = try loop.run(mustStop: { false }) { _, text in
            if text.utf8.count > 12 { long += 1 }
            counts.append(allocation_count_of_this_thread())
        }
        guard case .finished = end else {
            Issue.record("interrupted")
            return
        }
        try #require(counts.count > 20)
        // States of a constraint are made when they are first met.
        let first = constraint == 0 ? 8 : 40
        let steps = zip(counts.dropFirst(first), counts.dropFirst(first + 1)).map { $1 - $0 }
        let busy = steps.count { $0 > 0 }
        note(choice.name, constraint, "of", steps.count, "steps", busy, "allocate,", long, "texts are long:", steps)
        // Letters have one state; JSON has more, which random texts meet late.
        let met = constraint == 0 ? 0 : constraint == 1 ? 3 : steps.count / 2
        #expect(busy <= long + met, "\(steps)")
    }
    #endif
}

/// What all threads of a pool have allocated. Each thread takes exactly one iteration of as many, because nobody leaves his before all
/// have begun one.
private final class Census: ParallelWork, Sendable {
    private let pool: WorkerPool
    private let arrived = Atomic<Int>(0)
    private let sum = Atomic<UInt64>(0)

    init(of pool: WorkerPool) { self.pool = pool }

    func run(_ index: Int) {
        sum.add(allocation_count_of_this_thread(), ordering: .relaxed)
        arrived.add(1, ordering: .releasing)
        while arrived.load(ordering: .acquiring) < pool.threads { sched_yield() }
    }

    private func total() -> Int {
        arrived.store(0, ordering: .relaxed)
        sum.store(0, ordering: .relaxed)
        pool.run(self, count: pool.threads)
        return Int(sum.load(ordering: .relaxed))
    }

    /// Of `work`, without what counting itself costs.
    func count(_ work: () throws -> Void) rethrows -> Int {
        let first = total()
        let second = total()
        try work()
        return total() - second - (second - first)
    }
}
