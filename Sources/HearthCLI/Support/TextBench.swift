import Foundation
import HearthRuntime
import HearthSystem
import HearthText
import HearthTokenizer

/// Measures one generator.
struct TextBench {
    let generator: TextGenerator

    /// One text: a prompt of ids in no order, then tokens as they come.
    func run(prompt length: Int, tokens: Int, seed: Int) async throws -> GenerationSummary {
        let count = UInt64(generator.model.tokenizer.vocabulary.count)
        // Each length begins in a way of its own: what the session still held of another one would not be computed.
        let first = 7919 * (seed + 1) + 104_729 * length
        let prompt = (0..<length).map { TokenID((UInt64($0 + first) &* 2_654_435_761 % (count - 4)) + 4) }
        // The likeliest token each time: choosing among all costs time that is not the model's.
        let options = TextGenerator.Options(maximumTokens: tokens, sampling: .greedy)
        for try await event in generator.generate(prompt, options: options) {
            if case .finished(let summary, _) = event { return summary }
        }
        throw CancellationError()
    }

    /// Writes text after text.
    /// - Parameter note: told of each: its tokens, and the seconds since the first began.
    func sustain(minutes: Double, prompt: Int, note: (Int, Double) -> Void) async throws {
        let begin = ContinuousClock.now
        func seconds() -> Double { (ContinuousClock.now - begin).milliseconds / 1000 }
        let room = generator.contextLength - prompt
        var number = 0
        while seconds() < minutes * 60 {
            let summary = try await run(prompt: prompt, tokens: min(room, 128), seed: number)
            number += 1
            note(summary.generatedTokens, seconds())
        }
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
