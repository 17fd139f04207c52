import Foundation
import HearthCompute
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// A text that fills the context forgets its middle, and goes on as if only what is left had ever been there.
@Suite("Texts beyond the context", .timeLimit(.minutes(20))) struct FullContextTests {
    static let files = [
        "gemma1-q4_0.gguf", "gemma2-q8_0.gguf", "gemma3-f16.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf",
    ]

    private func session(_ model: TextModel, context: Int) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.form(nil),
            threads: 1,
            context: context, cacheFormat: .float16, maximumStep: 16)
    }

    private func options(_ count: Int) -> TextGenerator.Options {
        var options = TextGenerator.Options(
            maximumTokens: count, sampling: SamplingOptions(temperature: 0.8, seed: 5))
        options.onFull = .shift
        return options
    }

    /// The rule in its plainest form: before each token, the model sees a list of tokens, computed by a fresh session. The sampler
    /// is driven by the writer, so the tokens are compared by the logits that it would get.
    private func expected(
        _ model: TextModel, _ found: TextProgress, context: Int, kept: Int
    ) throws -> (seen: [TokenID], forgotten: Int, logits: [[Float]]) {
        var seen = Array(found.tokens[..<found.promptTokens]), forgotten = 0
        var logits: [[Float]] = []
        for token in found.generated {
            if seen.count > context {
                let newest = (context - kept) / 2
                forgotten += seen.count - kept - newest
                seen = seen.prefix(kept) + seen.suffix(newest)
            }
            logits.append(try session(model, context: context).logits(after: seen[...]).row(0))
            seen.append(token)
        }
        return (seen, forgotten, logits)
    }

    @Test("Every token has the logits that the kept tokens alone have, computed from scratch", arguments: files)
    func fromScratch(file: String) async throws {
        let model = try TextModel(path: GemmaFixtures.path(file)), context = 40
        // A short prompt is kept whole, of a long one its first tokens.
        for (length, kept) in [(7, 7), (30, 4)] {
            let start = TextProgress(prompt: GemmaFixtures.prompt(length), options: options(90))
            var loop = try GenerationLoop(
                session: session(model, context: context), model: model, progress: start, pace: nil)
            var likelihoods: [Float] = []
            var reported = start.options
            reported.likelihoods = 0
            _ = try loop.run(mustStop: { false }) { _, _ in }
            var again = try GenerationLoop(
                session: session(model, context: context), model: model,
                progress: TextProgress(prompt: GemmaFixtures.prompt(length), options: reported), pace: nil)
            _ = try again.run(mustStop: { false }) { likelihoods.append($2?.chosen.logProbability ?? 0) }
            #expect(again.progress.tokens == loop.progress.tokens)
            let plain = try expected(model, loop.progress, context: context, kept: kept)
            #expect(plain.forgotten > 0 && plain.logits.count == likelihoods.count)
            for (index, row) in plain.logits.enumerated() {
                let token = loop.progress.tokens[length + index]
                let most = row.max() ?? 0
                let sum = row.reduce(0.0) { $0 + exp(Double($1 - most)) }
                let wanted = Double(row[Int(token)] - most) - log(sum)
                #expect(abs(wanted - Double(likelihoods[index])) < 1e-4, "\(file), token \(index)")
            }
        }
    }

    @Test("At the same time as others, and interrupted at any token, the text is the same", arguments: files)
    func sameText(file: String) async throws {
        let model = try TextModel(path: GemmaFixtures.path(file)), context = 40
        let start = TextProgress(prompt: GemmaFixtures.prompt(9), options: options(70))
        var whole = try GenerationLoop(
            session: session(model, context: context), model: model, progress: start, pace: nil)
        _ = try whole.run(mustStop: { false }) { _, _ in }
        for count in stride(from: 1, to: whole.progress.generated.count, by: 6) {
            var made = 0
            var part = try GenerationLoop(
                session: session(model, context: context), model: model, progress: start, pace: nil)
            _ = try part.run(mustStop: { made >= count }) { _, _ in made += 1 }
            let stored = try JSONDecoder().decode(TextProgress.self, from: JSONEncoder().encode(part.progress))
            var rest = try GenerationLoop(
                session: session(model, context: context), model: model, progress: stored, pace: nil)
            _ = try rest.run(mustStop: { false }) { _, _ in }
            #expect(rest.progress.tokens == whole.progress.tokens, "after \(count)")
        }
        let batch = try TextGenerator(model: model, contextLength: context, threads: 2, maximumStep: 16, parallel: 2)
        try await withThrowingTaskGroup(of: [TokenID].self) { group in
            for _ in 0..<3 { group.addTask { try await TextBatchTests.read(batch.generate(resuming: start)).tokens } }
            for try await tokens in group { #expect(tokens == Array(whole.progress.generated)) }
        }
    }

    @Test("Without the option it ends, as always; a prompt has to fit in any case")
    func stops() async throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma1-q4_0.gguf"))
        let generator = try TextGenerator(model: model, contextLength: 20, threads: 1)
        var options = options(50)
        options.onFull = .stop
        let text = try await TextBatchTests.read(generator.generate(GemmaFixtures.prompt(9), options: options))
        #expect(text.stop == .length && text.tokens.count == 12)
        await #expect(throws: TextError.contextOverflow(tokens: 21, limit: 20)) {
            _ = try await TextBatchTests.read(generator.generate(GemmaFixtures.prompt(21), options: self.options(5)))
        }
        // The smallest context.
        let tiny = try TextGenerator(model: model, contextLength: 1, threads: 1)
        #expect(try await TextBatchTests.read(tiny.generate([2], options: self.options(5))).tokens.count == 5)
    }

    @Test("A context that cannot fit into memory is refused before anything is computed")
    func memory() throws {
        let model = try GemmaFixtures.variant(
            of: "gemma1-f32.gguf", set: ["gemma.context_length": .uint32(1 << 24)])
        let bytes = model.configuration.cacheBytes(tokens: 1 << 24, maximumStep: 256, format: .float32)
        #expect(bytes == 4 * 2 * 32 * 4 << 24)
        // 16 GiB of keys and values: more than some machines have.
        do {
            _ = try TextGenerator(model: model, contextLength: 1 << 24, threads: 1, cacheFormat: .float32)
            #expect(bytes <= ProcessMemory.limit())
        } catch TextError.contextMemory(let tokens, let needed, let limit) {
            #expect(tokens == 1 << 24 && needed == bytes && limit < bytes)
        }
    }
}
