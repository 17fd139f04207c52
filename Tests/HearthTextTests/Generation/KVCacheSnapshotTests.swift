import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// A snapshot saves computing and changes nothing else: with it, without it and with a wrong one, a text goes on the same.
@Suite("Cache snapshot", .timeLimit(.minutes(20))) final class CacheSnapshotTests {
    static let files = [
        "gemma2-q8_0.gguf", "gemma3-q4_0.gguf", "gemma1-f32.gguf", "gemma3-linear-f16.gguf", "gemma3n-q8_0.gguf",
        "gemma4-bf16.gguf",
    ]
    let folder: String
    var path: String { folder + "/text.cache" }
    var snapshot: KVCacheSnapshot { KVCacheSnapshot(path: path) }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-cache-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func model(_ name: String = "gemma3-q4_0.gguf") throws -> TextModel {
        try TextModel(path: GemmaFixtures.path(name))
    }

    private func session(
        _ model: TextModel, context: Int = 256, kernels: String? = "portable",
        cacheFormat: KVCacheFormat = .float16
    ) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.selected(by: kernels),
            threads: 1, context: context, cacheFormat: cacheFormat, maximumStep: 128)
    }

    private func options(_ count: Int) -> TextGenerator.Options {
        TextGenerator.Options(maximumTokens: count, sampling: SamplingOptions(temperature: 0.9, seed: 7))
    }

    private func never() -> Bool { false }

    /// A session that went through `count` tokens, and the logits that follow `tokens`.
    private func logits(_ session: GemmaSession, _ tokens: [TokenID]) throws -> [Float] {
        let known = session.keep(of: tokens)
        return try session.logits(after: tokens[known...]).row(0)
    }

    private func problem(
        _ tokens: [TokenID], _ session: GemmaSession, _ model: TextModel
    ) -> KVCacheSnapshot.Problem? {
        do {
            _ = try snapshot.restore(tokens, into: session, of: model, mustStop: never)
            return nil
        } catch {
            return error
        }
    }

    @Test("What comes back has the bits of what was computed, also beyond the rings of local layers", arguments: files)
    func roundTrip(file: String) throws {
        let model = try model(file)
        // One token, inside the first step, at its border, at the ring's border, beyond it.
        for count in [1, 5, 64, 65, 80, 81, 150, 230] {
            let whole = GemmaFixtures.prompt(240)
            let first = try session(model)
            try first.prefill(whole[..<count])
            // A step that is thrown away has written to the first layer.
            if count % 2 == 1 {
                first.compute.cancel()
                #expect(throws: CancellationError.self) { try first.prefill(whole[count...]) }
                first.compute.resume()
            }
            try snapshot.save(first, of: model, mustStop: never)
            let second = try session(model)
            #expect(try snapshot.restore(whole, into: second, of: model, mustStop: never) == count)
            #expect(second.position == count && second.written == first.written && second.held == first.held)
            let fresh = try session(model)
            #expect(try logits(second, whole) == logits(fresh, whole), "\(count) tokens")
            #expect(second.tokensRun == 240 - count && fresh.tokensRun == 240)
            // Back by less than a step, then on another way: the ring still has what that needs.
            let other = whole[..<max(1, count - 30)] + GemmaFixtures.prompt(40).reversed()
            #expect(try snapshot.restore(whole, into: second, of: model, mustStop: never) == count)
            #expect(try logits(second, Array(other)) == logits(fresh, Array(other)), "\(count) tokens, back")
        }
    }

    @Test(
        "A text that goes from one generator to the next by its snapshot; only what is new is computed",
        arguments: files)
    func suspended(file: String) async throws {
        let model = try model(file)
        let prompt = GemmaFixtures.prompt(180)
        let whole = try await follow(generator(model).generate(prompt, options: options(30)))
        try #require(whole.tokens > 6)
        let early = try session(model)
        try early.prefill(prompt[..<170])
        try snapshot.save(early, of: model, mustStop: never)
        var progress = TextProgress(prompt: prompt, options: options(30))
        var text = ""
        for leg in 0..<5 {
            let generator = try generator(model)
            let part = try await follow(
                generator.generate(resuming: progress, pace: standingStill(), snapshot: path),
                suspendingAtFirst: generator)
            text += part.text
            progress = try #require(part.suspended)
            #expect(progress.model == model.identity && progress.generated.count == leg + 1)
            // The last token of a text has not been through the layers yet.
            #expect(try await generator.onSession { $0.tokensRun } == (leg == 0 ? 10 : 1))
        }
        let last = try generator(model)
        let rest = try await follow(last.generate(resuming: progress, snapshot: path))
        #expect(text + rest.text == whole.text)
        let run = try await last.onSession { $0.tokensRun }
        #expect(run == rest.tokens || run == rest.tokens + 1)
    }

    @Test("Suspended in the middle of a prompt that goes at a slow pace")
    func middleOfPrompt() async throws {
        let model = try model()
        let prompt = GemmaFixtures.prompt(230)
        let whole = try await follow(generator(model).generate(prompt, options: options(9)))
        let first = try generator(model)
        // It stands still after one step of the prompt.
        let begin = TextProgress(prompt: prompt, options: options(9))
        let events = first.generate(resuming: begin, pace: standingStill(), snapshot: path)
        while !first.isGenerating { try await Task.sleep(for: .milliseconds(1)) }
        // Time for that step; where it does not suffice, the step is thrown away, and the rest of the test holds as well.
        try await Task.sleep(for: .milliseconds(300))
        first.close()
        let part = try await follow(events)
        let progress = try #require(part.suspended)
        #expect(progress.generated.isEmpty)
        let held = try await first.onSession { $0.held.count }
        #expect(held <= 128)
        let second = try generator(model)
        let rest = try await follow(second.generate(resuming: progress, snapshot: path))
        #expect(rest.text == whole.text)
        let run = try await second.onSession { $0.tokensRun }
        #expect(run == 230 + whole.tokens - held || run == 230 + whole.tokens - held - 1, "\(run), \(held)")
    }

    @Test("Every damage is noticed: lengths, and 300 bytes changed anywhere")
    func damage() throws {
        let model = try model()
        let whole = GemmaFixtures.prompt(120)
        let first = try session(model)
        try first.prefill(whole[..<100])
        try snapshot.save(first, of: model, mustStop: never)
        let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let expected = try logits(session(model), whole)
        let second = try session(model)
        var random = Xoshiro256(seed: 12)

        func check(_ bytes: [UInt8], _ comment: String, computes: Bool) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            second.reset()
            #expect(problem(whole, second, model) != nil, "\(comment)")
            #expect(second.position == 0 && second.held.isEmpty && second.written == 0, "\(comment)")
            if computes { #expect(try logits(second, whole) == expected, "\(comment)") }
        }
        for round in 0..<300 {
            var bytes = sound
            // The first ones in the header, one after another.
            let place = round < 160 ? round : Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            try check(bytes, "byte \(place)", computes: round % 20 == 0)
        }
        let lengths = [0, 1, 7, 8, 127, 128, 130, 200, 600, sound.count - 65, sound.count - 64, sound.count - 1]
        for count in lengths + (0..<40).map({ _ in Int.random(in: 0..<sound.count, using: &random) }) {
            try check(Array(sound[..<count]), "\(count) bytes", computes: count % 7 == 0)
        }
        try check(sound + [0], "one byte more", computes: true)
        try check([UInt8](repeating: 0xff, count: sound.count), "all ones", computes: true)
        // Counts of four billion, with a digest that fits.
        for field in [12, 16, 104, 108, 112, 116, 120, 124, 128, 132, 136] {
            var bytes = sound
            for place in field..<field + 4 { bytes[place] = 0xff }
            let digest = SHA256.digest(of: bytes[..<(bytes.count - KVCacheSnapshot.digestBytes)])
            bytes.replaceSubrange((bytes.count - KVCacheSnapshot.digestBytes)..., with: digest.utf8)
            try check(bytes, "field at \(field)", computes: false)
        }
        try Data(sound).write(to: URL(fileURLWithPath: path))
        second.reset()
        #expect(problem(whole, second, model) == nil)
        #expect(try logits(second, whole) == expected)
    }

    @Test("A file of something else says why it is of no use")
    func foreign() throws {
        let model = try model()
        let whole = GemmaFixtures.prompt(100)
        #expect(problem(whole, try session(model), model) == .missing)
        let first = try session(model)
        try first.prefill(whole[..<90])
        try snapshot.save(first, of: model, mustStop: never)

        let same = try self.model("gemma3-q8_0.gguf")
        #expect(problem(whole, try session(same), same) == .otherModel)
        #expect(problem(whole, try session(model, context: 255), model) == .otherShape)
        #expect(problem(whole, try session(model, cacheFormat: .int8), model) != nil)
        for kernels in KernelSet.available where kernels.name != "portable" {
            #expect(problem(whole, try session(model, kernels: kernels.name), model) == .otherKernels)
        }
        #expect(problem(Array(whole[..<80]), try session(model), model) == .otherText)
        var other = whole
        other[89] += 1
        #expect(problem(other, try session(model), model) == .otherText)
        #expect(problem(whole, try session(model), model) == nil)

        // A session that knows more keeps it.
        try first.prefill(whole[90...95])
        #expect(problem(whole, first, model) == nil)
        #expect(first.position == 96)

        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[8] = 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(problem(whole, try session(model), model) == .otherFormat)
        snapshot.remove()
        #expect(mkfifo(path, 0o600) == 0)
        #expect(problem(whole, try session(model), model) == .unreadable("no file"))
    }

    @Test("Writing that is stopped leaves the old file and nothing else")
    func stopped() throws {
        let model = try model()
        let whole = GemmaFixtures.prompt(100)
        let first = try session(model)
        try first.prefill(whole[..<50])
        try snapshot.save(first, of: model, mustStop: never)
        try first.prefill(whole[50..<90])
        #expect(throws: KVCacheSnapshot.Problem.stopped) {
            try snapshot.save(first, of: model, mustStop: { true })
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["text.cache"])
        let second = try session(model)
        #expect(throws: KVCacheSnapshot.Problem.stopped) {
            try snapshot.restore(whole, into: second, of: model, mustStop: { true })
        }
        #expect(second.held.isEmpty)
        #expect(try snapshot.restore(whole, into: second, of: model, mustStop: never) == 50)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("A damaged or missing snapshot, and a disk that takes none, cost time and nothing else")
    func fallsBack() async throws {
        let model = try model()
        let prompt = GemmaFixtures.prompt(60)
        let whole = try await follow(generator(model).generate(prompt, options: options(20)))
        for (place, spoil) in [
            (path, { (path: String) in try FileManager.default.removeItem(atPath: path) }),
            (path, { try Data("something else".utf8).write(to: URL(fileURLWithPath: $0)) }),
            ("/proc/hearth/text.cache", { _ in }),
        ] {
            let first = try generator(model)
            let part = try await follow(
                first.generate(
                    resuming: TextProgress(prompt: prompt, options: options(20)), pace: standingStill(), snapshot: place
                ),
                suspendingAtFirst: first)
            let progress = try #require(part.suspended)
            try spoil(place)
            let second = try generator(model)
            let rest = try await follow(second.generate(resuming: progress, snapshot: place))
            #expect(part.text + rest.text == whole.text)
            let run = try await second.onSession { $0.tokensRun }
            #expect(run >= 60)
        }
    }

    @Test("A text does not go on with another model")
    func otherModel() async throws {
        let model = try model()
        let first = try generator(model)
        let part = try await follow(
            first.generate([2, 402, 278], options: options(20), pace: standingStill()), suspendingAtFirst: first)
        let progress = try #require(part.suspended)
        let json = try JSONEncoder().encode(progress)
        #expect(try JSONDecoder().decode(TextProgress.self, from: json) == progress)
        let other = try self.model("gemma3-q8_0.gguf")
        await #expect(throws: TextError.otherModel(file: other.path)) {
            try await follow(generator(other).generate(resuming: progress))
        }
        // The same bytes in another place are the same model.
        let copy = folder + "/copy.gguf"
        try FileManager.default.copyItem(atPath: model.path, toPath: copy)
        let moved = try TextModel(path: copy)
        #expect(moved.identity == model.identity)
        let rest = try await follow(generator(moved).generate(resuming: progress))
        let whole = try await follow(generator(model).generate([2, 402, 278], options: options(20)))
        #expect(part.text + rest.text == whole.text)
        // What was tampered with is another model, or no progress at all.
        let words = String(decoding: json, as: UTF8.self)
        let tampered = words.replacingOccurrences(of: model.identity, with: "x\u{e9}")
        await #expect(throws: TextError.self) {
            let text = try JSONDecoder().decode(TextProgress.self, from: Data(tampered.utf8))
            try await follow(generator(model).generate(resuming: text))
        }
        #expect(throws: DecodingError.self) {
            let wrong = words.replacingOccurrences(of: "\"\(model.identity)\"", with: "[1]")
            _ = try JSONDecoder().decode(TextProgress.self, from: Data(wrong.utf8))
        }
    }

    @Test("A session writes its snapshot when the model goes, uses it, and leaves nothing behind")
    func ofASession() async throws {
        let file = GemmaFixtures.path("gemma3-q4_0.gguf")
        let prompt = GemmaFixtures.prompt(60)
        let whole = try await follow(generator(model()).generate(prompt, options: options(40)))
        let runner = ModelRunner(
            engine: try TextEngine(path: file, kernels: KernelSet.selected(by: "portable"), folders: nil))
        let session = TextSession(runner: runner) { [options = options(40)] _ in
            TextProgress(prompt: prompt, options: options)
        }
        let pace = standingStill()
        var text = ""
        var tokens = 0
        var pauses = 0
        for try await event in session.events(pace: pace, snapshot: path) {
            switch event {
            case .began, .likelihood, .thought: break
            case .token(_, let piece):
                text += piece
                tokens += 1
                if tokens == 1 { await runner.beginSuspension("memory") }
            case .paused:
                pauses += 1
                #expect(FileManager.default.fileExists(atPath: path))
                pace.share = 1
                await runner.resume()
            case .finished(_, let rest): text += rest
            }
        }
        #expect(text == whole.text && pauses == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        await runner.release(.cancelInference)
    }

    private func generator(_ model: TextModel) throws -> TextGenerator {
        try TextGenerator(
            model: model, contextLength: 256, threads: 1, kernels: KernelSet.selected(by: "portable"), maximumStep: 128)
    }

    /// A generation waits after its first token, so that it can be suspended there however busy the machine is.
    private func standingStill() -> GenerationPace {
        let pace = GenerationPace()
        pace.share = 0
        return pace
    }

    /// Follows a stream to its end; suspends its generator at a token.
    @discardableResult private func follow(
        _ events: AsyncThrowingStream<GenerationEvent, any Error>, suspendingAtFirst generator: TextGenerator? = nil
    ) async throws -> (text: String, tokens: Int, suspended: TextProgress?) {
        var text = ""
        var tokens = 0
        for try await event in events {
            switch event {
            case .token(_, let piece):
                text += piece
                tokens += 1
                generator?.suspend()
            case .finished(_, let rest): return (text + rest, tokens, nil)
            case .likelihood, .thought: break
            case .suspended(let progress): return (text, tokens, progress)
            }
        }
        Issue.record("a stream without an end")
        return (text, tokens, nil)
    }
}
