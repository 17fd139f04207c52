import Foundation
import HearthRuntime
import HearthSystem
import HearthText
import HearthTokenizer

/// Benchmarks one generator.
struct TextBench {
    let generator: TextGenerator

    /// The time for which the speed of concurrent texts is measured at most, except that texts are never broken off.
    private static let longest = Duration.seconds(2)

    /// Generates from a prompt of pseudo-random ids with greedy decoding, so that sampling costs no time.
    private func events(
        prompt length: Int, tokens: Int, seed: Int, onToken: @escaping @Sendable () -> Void = {}
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        let count = UInt64(generator.model.tokenizer.vocabulary.count)
        // Each length has a different beginning, so that nothing is reused from the KV cache.
        let first = 7919 * (seed + 1) + 104_729 * length
        let prompt = (0..<length).map { TokenID((UInt64($0 + first) &* 2_654_435_761 % (count - 4)) + 4) }
        return generator.generate(
            prompt, options: TextGenerator.Options(maximumTokens: tokens, sampling: .greedy), onToken: onToken)
    }

    /// Runs one text: a prompt, then decoding.
    func run(prompt length: Int, tokens: Int, seed: Int) async throws -> GenerationSummary {
        for try await event in events(prompt: length, tokens: tokens, seed: seed) {
            if case .finished(let summary, _) = event { return summary }
        }
        throw CancellationError()
    }

    /// Generates several texts concurrently, several times if they are short.
    /// - Returns: total tokens per second, from the time when all texts have their first token until the first one
    ///   ends; nil if that was too short a time.
    func rate(ofTexts count: Int, prompt length: Int, tokens: Int, seed: Int) async throws -> Double? {
        let begin = ContinuousClock.now
        var rate = ParallelRate()
        var repetition = 0
        repeat {
            let clocks = (0..<count).map { _ in TokenTimes() }
            let first = (seed + 1009 * repetition) * count
            let texts = clocks.enumerated().map { text, clock in
                events(prompt: length, tokens: tokens, seed: first + text, onToken: clock.note)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for text in texts { group.addTask { for try await _ in text {} } }
                try await group.waitForAll()
            }
            try Task.checkCancellation()
            rate.add(clocks.map(\.times))
            repetition += 1
        } while !rate.isEnough && ContinuousClock.now - begin < Self.longest
        return rate.tokensPerSecond
    }

    /// Generates text after text.
    /// - Parameter note: called for each, with its tokens and the seconds since the start.
    func sustain(minutes: Double, prompt: Int, note: (Int, Double) -> Void) async throws {
        let begin = ContinuousClock.now
        func seconds() -> Double { (ContinuousClock.now - begin).milliseconds / 1000 }
        let room = generator.contextLength - prompt
        var (number, elapsed) = (0, 0.0)
        while elapsed < minutes * 60 {
            let summary = try await run(prompt: prompt, tokens: min(room, 128), seed: number)
            number += 1
            elapsed = seconds()
            note(summary.generatedTokens, elapsed)
        }
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
