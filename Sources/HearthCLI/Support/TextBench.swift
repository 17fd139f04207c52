import Foundation
import HearthRuntime
import HearthSystem
import HearthText
import HearthTokenizer

/// Benchmarks one generator.
struct TextBench {
    let generator: TextGenerator

    /// Generates from a prompt of pseudo-random ids with greedy decoding, so that sampling costs no time.
    private func events(
        prompt length: Int, tokens: Int, seed: Int
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        let count = UInt64(generator.model.tokenizer.vocabulary.count)
        // Each length has a different beginning, so that nothing is reused from the KV cache.
        let first = 7919 * (seed + 1) + 104_729 * length
        let prompt = (0..<length).map { TokenID((UInt64($0 + first) &* 2_654_435_761 % (count - 4)) + 4) }
        return generator.generate(prompt, options: TextGenerator.Options(maximumTokens: tokens, sampling: .greedy))
    }

    /// Runs one text: a prompt, then decoding.
    func run(prompt length: Int, tokens: Int, seed: Int) async throws -> GenerationSummary {
        for try await event in events(prompt: length, tokens: tokens, seed: seed) {
            if case .finished(let summary, _) = event { return summary }
        }
        throw CancellationError()
    }

    /// Generates several texts concurrently.
    /// - Returns: total tokens per second, from the time when all texts have their first token until the first one
    ///   ends; 0 if there is no such time.
    func rate(ofTexts count: Int, prompt length: Int, tokens: Int, seed: Int) async throws -> Double {
        let times = try await withThrowingTaskGroup(of: [ContinuousClock.Instant].self) { group in
            for text in 0..<count {
                let events = events(prompt: length, tokens: tokens, seed: seed * count + text)
                group.addTask {
                    var times: [ContinuousClock.Instant] = []
                    for try await event in events { if case .token = event { times.append(.now) } }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        guard let begin = times.compactMap(\.first).max(), let end = times.compactMap(\.last).min(), begin < end
        else { return 0 }
        let written = times.joined().count { $0 > begin && $0 <= end }
        return Double(written) / ((end - begin).milliseconds / 1000)
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
