import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// A text that was interrupted goes on token for token as if it had not been.
@Suite("Texts that are interrupted", .timeLimit(.minutes(20))) struct ResumptionTests {
    static let files = [
        "gemma1-f32.gguf", "gemma1-q4_0.gguf", "gemma2-f16.gguf", "gemma2-q8_0.gguf", "gemma3-f16.gguf",
        "gemma3-kquant-kmix.gguf", "gemma3-linear-f16.gguf", "gemma3-q4_0.gguf", "gemma3-q8_0.gguf",
        "gemma3n-f16.gguf", "gemma3n-q8_0.gguf", "gemma4-bf16.gguf", "gemma4-q4_0.gguf", "gemma4-q8_0.gguf",
    ]

    private func session(_ model: TextModel, _ kernels: String? = nil) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.form(kernels),
            threads: 1, context: min(model.configuration.contextLength, 1024),
            cacheFormat: TextGenerator.defaultCacheFormat, maximumStep: 64)
    }

    /// Longer than one step of prefill where the context allows it.
    private func prompt(_ model: TextModel) -> [TokenID] {
        GemmaFixtures.prompt(min(80, model.configuration.contextLength - 20))
    }

    private func options(_ seed: UInt64, _ temperature: Float = 0.9, maximumTokens: Int = 7) -> TextGenerator.Options {
        TextGenerator.Options(
            maximumTokens: maximumTokens,
            sampling: SamplingOptions(temperature: temperature, repeatPenalty: 1.2, repeatWindow: 16, seed: seed))
    }

    /// Runs a text on a session, at most `limit` tokens of it.
    private func run(
        _ progress: TextProgress, on session: GemmaSession, _ model: TextModel, limit: Int = .max
    ) throws -> (progress: TextProgress, text: String, isFinished: Bool) {
        var loop = try GenerationLoop(session: session, model: model, progress: progress, pace: nil)
        var made = 0
        var text = ""
        let end = try loop.run(mustStop: { made >= limit }) {
            made += 1
            text += $1
        }
        guard case .finished(_, let rest) = end else { return (loop.progress, text, false) }
        return (loop.progress, text + rest.answer, true)
    }

    private func throughJSON(_ progress: TextProgress) throws -> TextProgress {
        try JSONDecoder().decode(TextProgress.self, from: JSONEncoder().encode(progress))
    }

    @Test("Each pause of a session has the progress from which another one continues, however often")
    func everyPause() async throws {
        let file = GemmaFixtures.path("gemma3-q4_0.gguf")
        let model = try TextModel(path: file)
        let begin = TextProgress(prompt: prompt(model), options: options(11, 0, maximumTokens: 12))
        let whole = try run(begin, on: session(model, "portable"), model)
        var kept: TextProgress? = begin
        var (text, pauses) = ("", 0)
        while let start = kept {
            kept = nil
            // As in another process: nothing but the progress is left of the sessions before.
            let runner = ModelRunner(
                engine: try TextEngine(path: file, kernels: KernelSet.selected(by: "portable"), folders: nil))
            // A share of 0 waits after the first token, so that the text can be suspended there.
            let pace = GenerationPace()
            pace.share = pauses < 3 ? 0 : 1
            events: for try await event in TextSession(runner: runner, start: { _ in start }).events(pace: pace) {
                switch event {
                case .began, .likelihood, .thought: break
                case .token(_, let piece):
                    text += piece
                    if pauses < 3 { await runner.beginSuspension("memory") }
                case .paused(let progress):
                    kept = try throughJSON(try #require(progress))
                    pauses += 1
                    break events
                case .finished(_, let rest): text += rest
                }
            }
            await runner.release(.cancelInference)
        }
        #expect(text == whole.text && pauses == 3)
    }

    @Test("At every token, on every kernel set and every format", arguments: KernelSet.forms, files)
    func everyToken(kernels: String, file: String) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        for temperature: Float in [0, 0.9] {
            let begin = TextProgress(prompt: prompt(model), options: options(11, temperature))
            let whole = try run(begin, on: session(model, kernels), model)
            #expect(whole.isFinished)
            for count in 0..<whole.progress.generated.count {
                let same = try session(model, kernels)
                let part = try run(begin, on: same, model, limit: count)
                #expect(part.progress.generated.count == count && !part.isFinished)
                let stored = try throughJSON(part.progress)
                let elsewhere = try run(stored, on: session(model, kernels), model)
                let here = try run(stored, on: same, model)
                for rest in [elsewhere, here] {
                    #expect(rest.progress.tokens == whole.progress.tokens, "after \(count)")
                    #expect(part.text + rest.text == whole.text, "after \(count)")
                }
            }
        }
    }

    @Test(
        "What a session keeps gives the bits of a fresh one",
        arguments: ["gemma3-f16.gguf", "gemma2-q8_0.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf"])
    func keptCaches(file: String) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        let reused = try session(model), fresh = try session(model)
        var random = Xoshiro256(seed: 5)
        var text: [TokenID] = [2]
        let most = min(reused.context, 400) - 70
        for round in 0..<150 {
            // Back by a little or by much, then on with other tokens.
            let back = Int.random(in: 0...min(round % 4 == 0 ? 300 : 40, text.count - 1), using: &random)
            text.removeLast(back)
            let more = Int.random(in: 1...(round % 3 == 0 ? 90 : 8), using: &random)
            text += (0..<min(more, max(1, most - text.count))).map { _ in TokenID.random(in: 4..<500, using: &random) }
            let known = reused.keep(of: text)
            if known < text.count {
                if round % 2 == 0 {
                    // A step that is thrown away: its first layer has written to its cache.
                    reused.compute.cancel()
                    #expect(throws: CancellationError.self) { try reused.prefill(text[known...]) }
                    reused.compute.resume()
                }
                let again = reused.keep(of: text)
                let logits = try reused.logits(after: text[again...]).row(0)
                fresh.reset()
                #expect(try logits == fresh.logits(after: text[...]).row(0), "round \(round), \(text.count) tokens")
            }
        }
    }

    @Test("Suspended again and again at any moment, over generators that come and go; the bundled model at 0.7")
    func suspensions() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let template = try #require(model.chatTemplate)
        let prompt = try template.encode([ChatMessage(role: .user, content: "Tell a story.")], model.tokenizer)
        let options = options(21, 0.7, maximumTokens: 120)
        let whole = try await follow(
            try TextGenerator(model: model, threads: 2).generate(prompt, options: options), suspending: nil, after: 0)
        var random = Xoshiro256(seed: 3)
        for _ in 0..<3 {
            var progress = TextProgress(prompt: prompt, options: options)
            var text = ""
            var legs = 0
            while true {
                let generator = try TextGenerator(model: model, threads: 2)
                let leg = try await follow(
                    generator.generate(resuming: throughJSON(progress)), suspending: generator,
                    after: Int.random(in: 0...20, using: &random))
                text += leg.text
                legs += 1
                guard let next = leg.suspended else { break }
                #expect(next.tokens.starts(with: progress.tokens))
                progress = next
            }
            #expect(text == whole.text, "in \(legs) parts")
        }
    }

    @Test("Suspended in the middle of a long prompt")
    func longPrompt() async throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        let generator = try TextGenerator(
            model: model, threads: 1, kernels: KernelSet.selected(by: "portable"), maximumStep: 64)
        let long = (0..<generator.contextLength - 10).map { TokenID(4 + $0 % 500) }
        let begin = TextProgress(prompt: long, options: options(4, maximumTokens: 5))
        // It stands still after a step of the prompt, where it is not suspended in that step.
        let still = GenerationPace()
        still.share = 0
        let events = generator.generate(resuming: begin, pace: still)
        while !generator.isGenerating { try await Task.sleep(for: .microseconds(200)) }
        generator.suspend()
        let part = try await follow(events, suspending: nil, after: 0)
        let progress = try #require(part.suspended)
        #expect(progress.generated.isEmpty)
        let rest = try await follow(generator.generate(resuming: progress), suspending: nil, after: 0)
        let whole = try run(begin, on: session(model, "portable"), model)
        #expect(part.text + rest.text == whole.text)
    }

    @Test("A pace of nothing stands still, and can be left")
    func standingStill() async throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        let generator = try TextGenerator(model: model, threads: 2)
        let pace = GenerationPace()
        pace.share = 0
        let begin = TextProgress(prompt: [2, 402, 278], options: options(8, maximumTokens: 40))
        var progress: TextProgress?
        for try await event in generator.generate(resuming: begin, pace: pace) {
            switch event {
            case .token: generator.suspend()
            case .likelihood, .thought: break
            case .suspended(let text): progress = text
            case .finished: Issue.record("finished at a pace of nothing")
            }
        }
        let suspended = try #require(progress)
        #expect(suspended.generated.count == 1)
        let rest = try await follow(generator.generate(resuming: suspended), suspending: nil, after: 0)
        #expect(try run(begin, on: session(model), model).text.hasSuffix(rest.text))
    }

    @Test("A stored text that was tampered with is refused, or harmless")
    func tampered() async throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        let generator = try TextGenerator(model: model, contextLength: 64, threads: 1)
        let sound = TextProgress(prompt: [2, 402, 278], options: options(8, maximumTokens: 3))
        let json = String(decoding: try JSONEncoder().encode(sound), as: UTF8.self)
        func changed(_ from: String, _ to: String) throws -> TextProgress {
            #expect(json.contains(from), "\(json)")
            return try JSONDecoder().decode(
                TextProgress.self, from: Data(json.replacingOccurrences(of: from, with: to).utf8))
        }
        let refused = [
            ("\"promptTokens\":3", "\"promptTokens\":-5"), ("\"promptTokens\":3", "\"promptTokens\":0"),
            ("\"promptTokens\":3", "\"promptTokens\":9"), ("[2,402,278]", "[]"), ("[2,402,278]", "[2,402,99999]"),
            ("[2,402,278]", "[2,-1,278]"), ("\"repeatWindow\":16", "\"repeatWindow\":-1"),
            ("\"topK\":64", "\"topK\":-1"),
            ("[2,402,278]", "[\([String](repeating: "5", count: 99).joined(separator: ","))]"),
        ]
        for (from, to) in refused {
            let text = try changed(from, to)
            await #expect("\(to)") {
                try await follow(generator.generate(resuming: text), suspending: nil, after: 0)
            } throws: {
                $0 is TextError || $0 is TokenizerError
            }
        }
        let endless = try changed("\"maximumTokens\":3", "\"maximumTokens\":\(Int.max)")
        #expect(try await follow(generator.generate(resuming: endless), suspending: nil, after: 0).suspended == nil)
        let none = try changed("\"maximumTokens\":3", "\"maximumTokens\":-7")
        #expect(try await follow(generator.generate(resuming: none), suspending: nil, after: 0).text.isEmpty)
    }

    /// Follows a stream to its end; suspends its generator after some tokens.
    private func follow(
        _ events: AsyncThrowingStream<GenerationEvent, any Error>, suspending generator: TextGenerator?,
        after count: Int
    ) async throws -> (text: String, suspended: TextProgress?) {
        var text = ""
        var tokens = 0
        for try await event in events {
            switch event {
            case .token(_, let piece):
                text += piece
                tokens += 1
                if tokens > count { generator?.suspend() }
            case .finished(_, let rest): return (text + rest, nil)
            case .likelihood, .thought: break
            case .suspended(let progress): return (text, progress)
            }
        }
        Issue.record("a stream without an end")
        return (text, nil)
    }
}
