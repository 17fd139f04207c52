import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

/// Texts that are written at the same time: each has the tokens that it has alone, to the last bit of its logits.
@Suite("Batches of texts", .timeLimit(.minutes(20))) struct TextBatchTests {
    static let files = [
        "gemma1-q4_0.gguf", "gemma2-q8_0.gguf", "gemma3-kquant-kmix.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf",
    ]

    struct Text: Equatable {
        var tokens: [TokenID] = []
        var text = ""
        /// Of each token, how likely it was, in bits of a float.
        var likelihoods: [UInt32] = []
        var stop: StopReason?
        var isSuspended = false
    }

    static func read(_ events: AsyncThrowingStream<GenerationEvent, any Error>) async throws -> Text {
        var result = Text()
        for try await event in events {
            switch event {
            case .likelihood(let likelihood): result.likelihoods.append(likelihood.chosen.logProbability.bitPattern)
            case .token(let id, let piece):
                result.tokens.append(id)
                result.text += piece
            case .finished(let summary, let rest):
                result.text += rest
                result.stop = summary.stop
            case .thought: break
            case .suspended: result.isSuspended = true
            }
        }
        return result
    }

    static func generator(
        _ model: TextModel, _ kernels: String? = nil, parallel: Int, threads: Int = 2, step: Int = 64,
        bytes: Int? = nil, drafts: Bool = true
    ) throws -> TextGenerator {
        try TextGenerator(
            model: model, contextLength: min(256, model.configuration.contextLength), threads: threads,
            kernels: KernelSet.form(kernels), maximumStep: step, usesDrafts: drafts, parallel: parallel,
            cacheBytes: bytes)
    }

    /// Prompts of many lengths, each with choices of its own.
    static func wishes(_ count: Int, room: Int, vocabulary: Int) -> [TextProgress] {
        (0..<count).map { index in
            let length = [3, 70, 12, 130, 1, 33, 90, 7][index % 8] % max(2, room - 40) + 1
            let prompt = [TokenID(2)] + (0..<length).map { TokenID(4 + ($0 * 37 + index * 11) % (vocabulary - 4)) }
            var sampling = SamplingOptions(temperature: index % 3 == 0 ? 0 : 0.5 + 0.2 * Float(index % 4))
            sampling.seed = UInt64(100 + index)
            sampling.topK = index % 2 == 0 ? 40 : 0
            sampling.repeatPenalty = index % 4 == 1 ? 1.2 : 1
            var options = TextGenerator.Options(maximumTokens: 8 + 5 * (index % 5), sampling: sampling)
            options.likelihoods = 2
            return TextProgress(prompt: prompt, options: options)
        }
    }

    @Test(
        "Each text is the one that it is alone, joining whenever it does", arguments: KernelSet.forms,
        files)
    func alike(kernels: String, file: String) async throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        for (parallel, threads, step) in [(2, 1, 64), (8, 2, 64), (3, 2, 5)] {
            // The same steps at most: they decide how long the rings of local layers are, and with it the order of some sums.
            let alone = try Self.generator(model, kernels, parallel: 1, step: step)
            let wishes = Self.wishes(8, room: alone.contextLength, vocabulary: model.tokenizer.vocabulary.count)
            var expected: [Text] = []
            for wish in wishes { expected.append(try await Self.read(alone.generate(resuming: wish))) }
            #expect(expected.contains { $0.tokens.count > 5 })
            let together = try Self.generator(model, kernels, parallel: parallel, threads: threads, step: step)
            let found = try await withThrowingTaskGroup(of: (Int, Text).self) { group in
                for (index, wish) in wishes.enumerated() {
                    group.addTask {
                        // They join in the middle of others.
                        try await Task.sleep(for: .microseconds(700 * index))
                        return (index, try await Self.read(together.generate(resuming: wish)))
                    }
                }
                return try await group.reduce(into: [Int: Text]()) { $0[$1.0] = $1.1 }
            }
            for index in wishes.indices {
                #expect(found[index] == expected[index], "text \(index), \(parallel) at once, steps of \(step)")
            }
        }
    }

    @Test("One step of several sessions gives the bits of one at a time", arguments: KernelSet.forms)
    func mixedStep(kernels: String) throws {
        for file in Self.files {
            let model = try TextModel(path: GemmaFixtures.path(file))
            func session() throws -> GemmaSession {
                try GemmaSession(
                    configuration: model.configuration, weights: model.weights,
                    kernels: KernelSet.form(kernels), threads: 2, context: 200, cacheFormat: .float16,
                    maximumStep: 64, texts: 4)
            }
            func tokens(_ text: Int, _ count: Int) -> [TokenID] {
                [2] + (1..<count).map { TokenID(4 + ($0 * 37 + text * 5) % 500) }
            }
            let lengths = [20, 150, 3, 64]
            let expected = try lengths.enumerated().map { index, length in
                try session().logits(after: tokens(index, length)[...]).row(0)
            }
            let first = try session()
            let sessions = try [first] + (1..<4).map { _ in try GemmaSession(beside: first) }
            // One is far ahead already; all end in the same step.
            try sessions[1].prefill(tokens(1, 150)[..<140])
            try sessions[3].prefill(tokens(3, 64)[..<50])
            _ = try GemmaSession.step([
                .init(sessions[0], tokens(0, 20)[..<7], wanted: 0),
                .init(sessions[3], tokens(3, 64)[50..<63], wanted: 1),
            ])
            let rows = try GemmaSession.step([
                .init(sessions[0], tokens(0, 20)[7...], wanted: 1),
                .init(sessions[1], tokens(1, 150)[140...], wanted: 1),
                .init(sessions[2], tokens(2, 3)[...], wanted: 1), .init(sessions[3], tokens(3, 64)[63...], wanted: 1),
            ])
            for index in 0..<4 {
                #expect(
                    rows.row(index).map(\.bitPattern) == expected[index].map(\.bitPattern), "\(file), text \(index)")
                #expect(sessions[index].position == lengths[index])
            }
        }
    }

    static func stories(_ model: TextModel, tokens: Int = 40) throws -> [TextProgress] {
        let template = try #require(model.chatTemplate)
        return try ["bear", "fox", "owl", "mouse", "boat", "star", "moon", "tree"].enumerated().map { index, name in
            let prompt = try template.encode(
                [ChatMessage(role: .user, content: "Tell a story about a \(name).")], model.tokenizer)
            var options = TextGenerator.Options(
                maximumTokens: tokens, sampling: SamplingOptions(temperature: index % 2 == 0 ? 0 : 0.8, seed: 5))
            if index == 3 { options.constraint = .regularExpression("[a-m ]{5,60}[.]") }
            if index == 5 { options.stop = ["the "] }
            return TextProgress(prompt: prompt, options: options)
        }
    }

    private static func together(_ generator: TextGenerator, _ wishes: [TextProgress]) async throws -> [Int: Text] {
        try await withThrowingTaskGroup(of: (Int, Text).self) { group in
            for (index, wish) in wishes.enumerated() {
                group.addTask { (index, try await read(generator.generate(resuming: wish))) }
            }
            return try await group.reduce(into: [Int: Text]()) { $0[$1.0] = $1.1 }
        }
    }

    @Test("Of the bundled model, with constraints, stop strings and drafts", arguments: KernelSet.forms)
    func bundledModel(kernels: String) async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let wishes = try Self.stories(model)
        let alone = try Self.generator(model, kernels, parallel: 1)
        var expected: [Text] = []
        for wish in wishes { expected.append(try await Self.read(alone.generate(resuming: wish))) }
        let batch = try Self.generator(model, kernels, parallel: 8)
        let found = try await Self.together(batch, wishes)
        for index in wishes.indices { #expect(found[index] == expected[index], "text \(index)") }
        // The same session alone, with what it has kept and with drafts.
        for index in [0, 3, 5] {
            #expect(try await Self.read(batch.generate(resuming: wishes[index])) == expected[index])
        }
    }

    @Test("A text that leaves does nothing to the others")
    func leaving() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let wishes = try Self.stories(model, tokens: 60)
        let alone = try Self.generator(model, parallel: 1)
        let batch = try Self.generator(model, parallel: 4)
        let expected = try await Self.read(alone.generate(resuming: wishes[0]))
        async let kept = Self.read(batch.generate(resuming: wishes[0]))
        for index in 1..<6 {
            var seen = 0
            for try await event in batch.generate(resuming: wishes[index]) {
                if case .token = event { seen += 1 }
                if seen == index { break }
            }
        }
        #expect(try await kept == expected)
        await batch.waitUntilIdle()
        #expect(!batch.isGenerating)
    }

    @Test("Memory for one text and a half: the others wait or step back, and every text comes whole")
    func shortOfMemory() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let wishes = try Self.stories(model, tokens: 120)
        let alone = try Self.generator(model, parallel: 1)
        var expected: [Text] = []
        for wish in wishes { expected.append(try await Self.read(alone.generate(resuming: wish))) }
        let each = model.configuration.cacheBytes(tokens: 150, maximumStep: 64)
        for bytes in [1, each, each * 3 / 2, each * 3] {
            let batch = try Self.generator(model, parallel: 4, bytes: bytes)
            let found = try await Self.together(batch, wishes)
            for index in wishes.indices { #expect(found[index] == expected[index], "text \(index), \(bytes) bytes") }
        }
    }

    @Test("Closing suspends all, also those that wait, and another generator goes on with each")
    func closing() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let wishes = try Self.stories(model, tokens: 100)
        let alone = try Self.generator(model, parallel: 1)
        let batch = try Self.generator(model, parallel: 3)
        // So slow that hardly one is at the end before this test has heard of some tokens; where a busy machine lets the first
        // three come to their ends, those that wait take their places and stand still.
        let slow = GenerationPace()
        slow.share = 0.005
        let still = GenerationPace()
        still.share = 0
        let streams = wishes.enumerated().map { batch.generate(resuming: $1, pace: $0 < 3 ? slow : still) }
        let seen = Counter()
        let parts = try await withThrowingTaskGroup(of: (Int, [TokenID], TextProgress?).self) { group in
            for (index, events) in streams.enumerated() {
                group.addTask {
                    var tokens: [TokenID] = []
                    for try await event in events {
                        switch event {
                        case .token(let id, _):
                            tokens.append(id)
                            if seen.add() == 30 { batch.close() }
                        case .suspended(let progress): return (index, tokens, progress)
                        default: break
                        }
                    }
                    return (index, tokens, nil)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(parts.count { $0.2 != nil } >= 5)
        for (index, tokens, progress) in parts {
            var tokens = tokens
            if let progress { tokens += try await Self.read(alone.generate(resuming: progress)).tokens }
            #expect(try await Self.read(alone.generate(resuming: wishes[index])).tokens == tokens)
        }
        await batch.waitUntilIdle()
    }

    @Test("A short text is done while a long one is still read, and a bad one fails alone")
    func order() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let batch = try TextGenerator(model: model, maximumStep: 64, parallel: 4)
        let long = TextProgress(
            prompt: GemmaFixtures.prompt(901),
            options: TextGenerator.Options(maximumTokens: 2, sampling: .greedy))
        let short = try Self.stories(model, tokens: 2)[0]
        // Until the first token; a test on a busy machine may hear of it late. The long ones wait for the short one to arrive.
        let times = Times()
        let pace = GenerationPace()
        pace.share = 0
        let bad = TextProgress(prompt: [1 << 20], options: TextGenerator.Options(maximumTokens: 2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (name, wish) in [("long", long), ("long", long), ("short", short)] {
                let events = batch.generate(resuming: wish, pace: pace)
                group.addTask {
                    for try await event in events {
                        if case .finished(let summary, _) = event { times.add(name, summary.prefillMS) }
                    }
                }
            }
            pace.share = 1
            await #expect(throws: TokenizerError.self) {
                _ = try await Self.read(batch.generate(resuming: bad))
            }
            try await group.waitForAll()
        }
        let all = times.all
        #expect(all.count == 3 && all.min { $0.milliseconds < $1.milliseconds }?.name == "short", "\(all)")
    }

    @Test("A slow pace and a stopped one do not keep others from the end")
    func pace() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let batch = try Self.generator(model, parallel: 3)
        let wishes = try Self.stories(model, tokens: 20)
        let still = GenerationPace()
        still.share = 0
        async let stopped = Self.read(batch.generate(resuming: wishes[0], pace: still))
        #expect(try await Self.read(batch.generate(resuming: wishes[2])).tokens.count == 20)
        still.share = 1
        #expect(try await stopped.tokens.count == 20)
    }

    @Test("Other work on the model comes between the texts")
    func scoring() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let batch = try Self.generator(model, parallel: 4)
        let alone = try Self.generator(model, parallel: 1)
        let wishes = try Self.stories(model)
        let tokens = wishes[0].tokens
        async let found = Self.together(batch, wishes)
        let score = try await batch.score(tokens)
        #expect(try await alone.score(tokens) == score)
        let texts = try await found
        for index in wishes.indices {
            #expect(texts[index] == (try await Self.read(alone.generate(resuming: wishes[index]))))
        }
    }

    @Test("Sessions whose model is taken away in the middle go on with it, each where it stood")
    func takenAway() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let wishes = try Self.stories(model, tokens: 80)
        let alone = try Self.generator(model, parallel: 1)
        let engine = try TextEngine(
            path: GemmaFixtures.bundled, threads: 2, parallel: 3, folders: nil, whenMissing: .useFile)
        let runner = ModelRunner(engine: engine, uses: 3)
        // Slow, and almost at rest until the model is taken away: on a busy machine, that and the reading of tokens come late. The
        // first, which the others wait for, stands still until then: there is one to take the model away from.
        let (slow, still) = (GenerationPace(), GenerationPace())
        slow.share = 0.05
        still.share = 0
        let begun = Counter()
        let seen = Counter()
        let pauses = Counter()
        let found = try await withThrowingTaskGroup(of: (Int, [TokenID]).self) { group in
            for (index, wish) in wishes.enumerated() {
                group.addTask {
                    while index > 0, begun.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
                    var tokens: [TokenID] = []
                    let session = TextSession(runner: runner, start: { _ in wish })
                    for try await event in session.events(pace: index == 0 ? still : slow) {
                        switch event {
                        case .began: begun.add()
                        case .token(let id, _):
                            tokens.append(id)
                            if seen.add() == 10 {
                                slow.share = 0.001
                                Task { await runner.release(.cancelInference) }
                            }
                        case .paused:
                            pauses.add()
                            slow.share = 1
                            still.share = 1
                        default: break
                        }
                    }
                    return (index, tokens)
                }
            }
            return try await group.reduce(into: [Int: [TokenID]]()) { $0[$1.0] = $1.1 }
        }
        #expect(pauses.value >= 1)
        for index in wishes.indices {
            #expect(found[index] == (try await Self.read(alone.generate(resuming: wishes[index])).tokens))
        }
        await runner.release()
    }

    @Test("How many texts there may be")
    func limits() throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        for parallel in [0, 65] {
            #expect(throws: TextError.self) { try TextGenerator(model: model, parallel: parallel) }
        }
        let each = model.configuration.cacheBytes(tokens: 1024, maximumStep: TextGenerator.defaultMaximumStep)
        func texts(_ budget: Int) -> Int {
            BatchMemory.texts(model.configuration, format: .float16, budget: budget)
        }
        #expect(texts(0) == 1 && texts(3 * each) == 3 && texts(100 * each) == 8)
        #expect(BatchMemory.texts(path: GemmaFixtures.bundled, format: .float16) >= 1)
        #expect(BatchMemory.texts(path: "/nowhere.gguf", format: .float16) == 1)
    }
}

/// Counts, from any task.
private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    @discardableResult func add() -> Int { count.add(1, ordering: .relaxed).newValue }
}

/// How long each text took, from any task.
private final class Times: Sendable {
    private let times = Mutex<[(name: String, milliseconds: Double)]>([])
    var all: [(name: String, milliseconds: Double)] { times.withLock { $0 } }
    func add(_ name: String, _ milliseconds: Double) { times.withLock { $0.append((name, milliseconds)) } }
}
