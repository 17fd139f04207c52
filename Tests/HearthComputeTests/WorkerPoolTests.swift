import Foundation
import HearthCompute
import Testing

@Suite(.timeLimit(.minutes(20))) struct WorkerPoolTests {
    /// Counts how often each index ran. With an NSLock, because the thread sanitizer does not see Swift's Mutex.
    private final class Tally: @unchecked Sendable {
        private let lock = NSLock()
        private var counts: [Int]

        init(_ count: Int) { counts = [Int](repeating: 0, count: count) }

        func count(_ index: Int) { lock.withLock { counts[index] += 1 } }
        var isOnceEach: Bool { lock.withLock { counts.allSatisfy { $0 == 1 } } }
    }

    private struct CountWork: ParallelWork {
        let tally: Tally
        func run(_ index: Int) { tally.count(index) }
    }

    @Test(arguments: [1, 2, 3, 8])
    func everyIterationRunsExactlyOnce(threads: Int) throws {
        let pool = try WorkerPool(threads: threads)
        for count in [0, 1, 2, 3, 7, 64, 1000] {
            let tally = Tally(count)
            pool.run(CountWork(tally: tally), count: count)
            #expect(tally.isOnceEach)
        }
    }

    private struct SumWork: ParallelWork {
        let inputs: UnsafePointer<Int>
        let outputs: UnsafeMutablePointer<Int>
        func run(_ index: Int) { outputs[index] = inputs[index] * 3 + 1 }
    }

    /// Short loops in a tight sequence, where a thread late for one loop meets the next.
    @Test func loopsInSequenceNeverMix() throws {
        let pool = try WorkerPool(threads: 4)
        let size = 64
        let inputs = UnsafeMutablePointer<Int>.allocate(capacity: size)
        let outputs = UnsafeMutablePointer<Int>.allocate(capacity: size)
        defer {
            inputs.deallocate()
            outputs.deallocate()
        }
        for round in 0..<5000 {
            let count = 2 + round % (size - 1)
            for index in 0..<count { inputs[index] = round &* 31 &+ index }
            pool.run(SumWork(inputs: inputs, outputs: outputs), count: count)
            for index in 0..<count where outputs[index] != inputs[index] * 3 + 1 {
                Issue.record("round \(round), index \(index)")
                return
            }
        }
    }

    @Test func sleepingThreadsAreWoken() async throws {
        let pool = try WorkerPool(threads: 2)
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(20))
            let tally = Tally(100)
            pool.run(CountWork(tally: tally), count: 100)
            #expect(tally.isOnceEach)
        }
    }

    @Test func poolsComeAndGo() throws {
        for _ in 0..<50 {
            let pool = try WorkerPool(threads: 3)
            let tally = Tally(10)
            pool.run(CountWork(tally: tally), count: 10)
            #expect(tally.isOnceEach)
        }
    }
}
