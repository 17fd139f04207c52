import Foundation
import HearthCompute
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct TextGeneratorTests {
    private func generator(
        _ file: String = "gemma3-q8_0.gguf", context: Int? = nil, threads: Int = 2, kernels: String? = nil
    ) throws -> TextGenerator {
        try TextGenerator(
            model: TextModel(path: GemmaFixtures.path(file)), contextLength: context, threads: threads,
            kernels: KernelSet.selected(by: kernels))
    }

    private let prompt: [TokenID] = [2, 402, 278, 284, 311]

    private func collect(
        _ stream: AsyncThrowingStream<GenerationEvent, any Error>
    ) async throws -> (ids: [TokenID], text: String, summary: GenerationSummary) {
        var ids: [TokenID] = []
        var text = ""
        var summary: GenerationSummary?
        for try await event in stream {
            switch event {
            case .token(let id, let piece):
                ids.append(id)
                text += piece
            case .finished(let result, let rest):
                text += rest
                summary = result
            case .likelihood, .thought: break
            case .suspended: Issue.record("nobody asked for that")
            }
        }
        return (ids, text, try #require(summary))
    }

    private func sampled(_ seed: UInt64, maximumTokens: Int = 40) -> TextGenerator.Options {
        var sampling = SamplingOptions()
        sampling.seed = seed
        return TextGenerator.Options(maximumTokens: maximumTokens, sampling: sampling)
    }

    @Test(arguments: KernelSet.available.map(\.name), [1, 2])
    func equalSeedsGiveEqualTexts(kernels: String, threads: Int) async throws {
        let generator = try generator(threads: threads, kernels: kernels)
        let first = try await collect(generator.generate(prompt, options: sampled(1)))
        let again = try await collect(generator.generate(prompt, options: sampled(1)))
        let other = try await collect(generator.generate(prompt, options: sampled(2)))
        #expect(first.ids == again.ids && first.text == again.text)
        #expect(first.ids != other.ids)
        #expect(first.summary.generatedTokens == first.ids.count)
        #expect(first.summary.promptTokens == prompt.count)
    }

    @Test("onToken is called for each token, before the stream has it; alone and in a batch", arguments: [1, 2])
    func observedTokens(parallel: Int) async throws {
        let generator = try TextGenerator(
            model: TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf")), threads: 1, parallel: parallel)
        let count = Atomic<Int>(0)
        let stream = generator.generate(prompt, options: sampled(1, maximumTokens: 12)) {
            count.add(1, ordering: .sequentiallyConsistent)
        }
        var seen = 0
        for try await case .token in stream {
            seen += 1
            #expect(count.load(ordering: .sequentiallyConsistent) >= seen)
        }
        #expect(seen == 12 && count.load(ordering: .sequentiallyConsistent) == 12)
    }

    @Test func textIsTheDecodedTokens() async throws {
        let generator = try generator()
        let result = try await collect(generator.generate(prompt, options: sampled(5)))
        #expect(try result.text == generator.model.tokenizer.text(of: result.ids))
    }

    @Test func lengthLimitsTheAnswer() async throws {
        let result = try await collect(generator().generate(prompt, options: sampled(3, maximumTokens: 4)))
        #expect(result.ids.count == 4 && result.summary.stop == .length)
    }

    @Test func aFullContextEndsTheAnswerAsLength() async throws {
        let generator = try generator(context: 16)
        let result = try await collect(generator.generate(prompt, options: sampled(3, maximumTokens: 100)))
        #expect(result.summary.stop == .length)
        // The last token may be chosen, but has no place to be read back from.
        #expect(prompt.count + result.ids.count == 17)
    }

    @Test func impossiblePromptsAreRefused() async throws {
        let generator = try generator(context: 16)
        for prompt: [TokenID] in [[], [TokenID](repeating: 2, count: 17)] {
            await #expect(throws: TextError.self) {
                try await collect(generator.generate(prompt, options: sampled(1)))
            }
        }
        for prompt: [TokenID] in [[2, 512], [2, -1], [Int32.max]] {
            await #expect(throws: TokenizerError.self) {
                try await collect(generator.generate(prompt, options: sampled(1)))
            }
        }
        #expect(throws: TextError.self) { try self.generator(context: 1 << 30) }
        #expect(throws: TextError.self) { try self.generator(context: 0) }
    }

    @Test func cancellingEndsTheStreamWithASummary() async throws {
        let generator = try generator()
        // It waits after its first token, however long a busy machine takes to cancel it.
        let still = GenerationPace()
        still.share = 0
        var ids = 0
        var stop: StopReason?
        for try await event in generator.generate(prompt, options: sampled(1, maximumTokens: 100_000), pace: still) {
            switch event {
            case .token:
                ids += 1
                generator.cancel()
            case .finished(let summary, _): stop = summary.stop
            case .likelihood, .thought: break
            case .suspended: Issue.record("nobody asked for that")
            }
        }
        #expect(stop == .cancelled && ids == 1)
        // The generator is as good as new.
        let next = try await collect(generator.generate(prompt, options: sampled(1)))
        let fresh = try await collect(self.generator().generate(prompt, options: sampled(1)))
        #expect(next.ids == fresh.ids)
    }

    @Test func cancellingDuringThePromptStopsIt() async throws {
        let folder = try TemporaryFolder()
        try SlowModel.write(to: folder["slow.gguf"])
        let generator = try TextGenerator(
            model: TextModel(path: folder["slow.gguf"]), contextLength: 8192, threads: 1,
            kernels: KernelSet.selected(by: "portable"))
        // A minute of work or more: a busy machine may take long to cancel it.
        let long = (0..<generator.contextLength).map { TokenID(4 + $0 % 500) }
        // The one that cancels is a thread: a task would wait for the very processors that the prompt keeps busy.
        let watcher = Thread {
            while !generator.isGenerating { usleep(50) }
            generator.cancel()
        }
        watcher.start()
        let result = try await collect(generator.generate(long, options: sampled(1, maximumTokens: 1)))
        #expect(result.summary.stop == .cancelled && result.ids.isEmpty)
    }

    @Test func leavingTheLoopFreesTheGenerator() async throws {
        let generator = try generator()
        for try await _ in generator.generate(prompt, options: sampled(1, maximumTokens: 100_000)) { break }
        let task = Task {
            for try await _ in generator.generate(prompt, options: sampled(1, maximumTokens: 100_000)) {}
        }
        task.cancel()
        try await task.value
        let next = try await collect(generator.generate(prompt, options: sampled(1)))
        #expect(!next.ids.isEmpty)
    }

    @Test func generationsTakeTurns() async throws {
        let generator = try generator()
        let expected = try await collect(generator.generate(prompt, options: sampled(9))).ids
        let results = try await withThrowingTaskGroup(of: [TokenID].self) { group in
            for _ in 0..<4 {
                group.addTask { try await collect(generator.generate(prompt, options: sampled(9))).ids }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == [[TokenID]](repeating: expected, count: 4))
    }

    @Test func scoreIsTheMeanOfTheGoldenLogits() async throws {
        let generator = try generator("gemma3-f16.gguf")
        let golden = try JSONDecoder().decode(GemmaGoldenTests.Golden.self, from: GemmaFixtures.data("gemma3.json"))
        let tokens = golden.prompt_ids + (golden.variants["f16"]?.greedy ?? [])
        let logits = try GemmaFixtures.floats("gemma3-f16.logits.f32").map(Double.init)
        var sum = 0.0
        for index in 0..<tokens.count - 1 {
            let row = logits[index * golden.vocab..<(index + 1) * golden.vocab]
            sum += log(row.reduce(0) { $0 + exp($1) }) - row[row.startIndex + Int(tokens[index + 1])]
        }
        let score = try await generator.score(tokens)
        let mean = try #require(score.meanNegativeLogLikelihood)
        #expect(abs(mean - sum / Double(tokens.count - 1)) < 1e-4)
        #expect(score.tokens == tokens.count)
        #expect(try await generator.score([2]).perplexity == nil)
    }
}
