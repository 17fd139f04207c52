import CAllocationCount
import Foundation
import HearthCompute
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// A text is the same to the last token, whatever was drafted ahead of it.
@Suite("Drafts", .timeLimit(.minutes(20))) struct DraftTests {
    private func session(_ model: TextModel, _ kernels: String? = nil, context: Int = 256) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.form(kernels),
            threads: 1, context: min(model.configuration.contextLength, context),
            cacheFormat: TextGenerator.defaultCacheFormat, maximumStep: 128)
    }

    private func options(_ seed: UInt64, _ temperature: Float, maximumTokens: Int) -> TextGenerator.Options {
        TextGenerator.Options(
            maximumTokens: maximumTokens,
            sampling: SamplingOptions(temperature: temperature, repeatPenalty: 1.2, repeatWindow: 16, seed: seed))
    }

    private struct Run {
        var progress: TextProgress
        var text = ""
        var stop: StopReason?
        var drafted: (tokens: Int, right: Int)
    }

    /// Runs a text, at most `limit` tokens of it.
    private func run(
        _ progress: TextProgress, on session: GemmaSession, _ model: TextModel, _ drafts: DraftTable?,
        limit: Int = .max, onLimit: () -> Void = {}
    ) throws -> Run {
        var loop = try GenerationLoop(session: session, model: model, progress: progress, pace: nil, drafts: drafts)
        var made = 0
        var text = ""
        let end = try loop.run(mustStop: { made >= limit }) {
            made += 1
            text += $1
            if made == limit { onLimit() }
        }
        // Nothing that was only guessed stays, so that a text that was interrupted finds its own beginning.
        #expect(loop.progress.tokens.starts(with: session.held))
        guard case .finished(let stop, let rest) = end else {
            return Run(progress: loop.progress, text: text, drafted: loop.drafted)
        }
        return Run(progress: loop.progress, text: text + rest.answer, stop: stop, drafted: loop.drafted)
    }

    /// What is right, with one token in five replaced by another one.
    private func partlyWrong(_ text: [TokenID], _ count: Int, seed: UInt64) throws -> DraftTable {
        var random = Xoshiro256(seed: seed)
        var wrong: [Int: TokenID] = [:]
        for position in text.indices where Int.random(in: 0..<5, using: &random) == 0 {
            wrong[position] = TokenID.random(in: 4..<TokenID(count), using: &random)
        }
        return try Drafts.table(of: text, longest: 2, vocabularyCount: count, wrong: wrong)
    }

    @Test(
        "With right, partly right and useless drafts; on every kernel set and every format",
        arguments: KernelSet.forms, ResumptionTests.files)
    func equalTexts(kernels: String, file: String) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        let count = model.tokenizer.vocabulary.count
        let prompt = GemmaFixtures.prompt(20)
        for temperature: Float in [0, 0.9] {
            let begin = TextProgress(prompt: prompt, options: options(11, temperature, maximumTokens: 40))
            let plain = try run(begin, on: session(model, kernels), model, nil)
            let tokens = plain.progress.tokens
            var right = 0
            for table in [
                try Drafts.table(of: tokens, vocabularyCount: count), try partlyWrong(tokens, count, seed: 3),
                try Drafts.table(of: tokens.reversed(), longest: 1, vocabularyCount: count),
            ] {
                let drafted = try run(begin, on: session(model, kernels), model, table)
                #expect(drafted.progress.tokens == tokens && drafted.text == plain.text && drafted.stop == plain.stop)
                #expect(drafted.progress.random == plain.progress.random)
                right = max(right, drafted.drafted.right)
            }
            // Most of a text that the table was made of is guessed, or this would compare nothing.
            #expect(plain.progress.generated.count < 8 || right > plain.progress.generated.count / 4, "\(right)")
        }
    }

    @Test(
        "Interrupted after every token, and resumed here and elsewhere",
        arguments: ["gemma3-f16.gguf", "gemma2-q8_0.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf"])
    func interruptions(file: String) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        let length = min(80, model.configuration.contextLength - 30)
        let begin = TextProgress(
            prompt: GemmaFixtures.prompt(length), options: options(5, 0.9, maximumTokens: 20))
        let plain = try run(begin, on: session(model), model, nil)
        let table = try partlyWrong(plain.progress.tokens, model.tokenizer.vocabulary.count, seed: 8)
        for count in 0..<plain.progress.generated.count {
            for cancels in [false, true] {
                let same = try session(model)
                let part = try run(begin, on: same, model, table, limit: count) {
                    // In the middle of computing: what was begun is thrown away.
                    if cancels { same.compute.cancel() }
                }
                #expect(part.stop == nil && part.progress.generated.count == count)
                same.compute.resume()
                for rest in [
                    try run(part.progress, on: same, model, table),
                    try run(part.progress, on: session(model), model, nil),
                ] {
                    #expect(rest.progress.tokens == plain.progress.tokens, "after \(count)")
                    #expect(part.text + rest.text == plain.text, "after \(count)")
                }
            }
        }
    }

    @Test("No token beyond what was asked for or what the context holds")
    func limits() throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        let prompt: [TokenID] = [2, 402, 278, 284, 311]
        let whole = try run(
            TextProgress(prompt: prompt, options: options(3, 0, maximumTokens: 40)), on: session(model), model, nil)
        let tokens = whole.progress.tokens
        let table = try Drafts.table(of: tokens, vocabularyCount: model.tokenizer.vocabulary.count)
        for most in 0...12 {
            let begin = TextProgress(prompt: prompt, options: options(3, 0, maximumTokens: most))
            let short = try run(begin, on: session(model), model, table)
            #expect(short.progress.tokens[...] == tokens.prefix(prompt.count + most) && short.stop == .length)
        }
        for context in 6...18 {
            let begin = TextProgress(prompt: prompt, options: options(3, 0, maximumTokens: 100))
            let full = try run(begin, on: session(model, context: context), model, table)
            // The last token may be chosen, but has no place to be read back from.
            #expect(full.progress.tokens[...] == tokens.prefix(context + 1) && full.stop == .length)
        }
    }

    @Test("A token that ends the text is not drafted; what is unlikely is neither")
    func ends() throws {
        let text: [TokenID] = [9, 8, 7, 6, 5, 4]
        let table = try Drafts.table(of: text, vocabularyCount: 100)
        var draft = Draft(table)
        draft.write(after: [9, 8], most: 7, stops: [])
        #expect(Array(draft.step) == [8, 7, 6, 5, 4] && draft.count == 4 && draft[1] == 6)
        draft.write(after: [9, 8], most: 7, stops: [5])
        #expect(Array(draft.step) == [8, 7, 6])
        draft.write(after: [9, 8], most: 2, stops: [])
        #expect(Array(draft.step) == [8, 7, 6])
        for most in [0, -1, Int.min] {
            draft.write(after: [9, 8], most: most, stops: [])
            #expect(draft.count == 0)
        }
        draft.write(after: [50], most: 7, stops: [])
        #expect(draft.count == 0)
        // 12.5 sixteenths twice are above 0.6, three times below.
        var unsure = Draft(try Drafts.table(of: text, vocabularyCount: 100, chance: 12))
        unsure.write(after: [9, 8], most: 7, stops: [])
        #expect(unsure.count == 2)
    }

    @Test("Files that are damaged, of another model or no files at all are as good as none")
    func damaged() throws {
        let text = (0..<200).map { TokenID($0 * 7 % 90) }
        let slots = (0..<64).map { UInt32($0) | 0xF_0000 }
        #expect(throws: FileError.self) {
            try DraftTable(Drafts.file(numbers: [100, 3], slots: slots), vocabularyCount: 99)
        }
        for numbers: [UInt32] in [[], [100], [100, 0], [100, 17], [100, .max], [100, 3, 3]] {
            #expect(throws: FileError.self, "\(numbers)") {
                try DraftTable(Drafts.file(numbers: numbers, slots: slots), vocabularyCount: 100)
            }
        }
        for count in [0, 1, 4, 7, 63] {
            #expect(throws: FileError.self, "\(count) slots") {
                try DraftTable(
                    Drafts.file(numbers: [100, 3], slots: Array(slots.prefix(count))), vocabularyCount: 100)
            }
        }
        // Any slots at all: what comes out is a token of the vocabulary.
        var random = Xoshiro256(seed: 12)
        let noise = (0..<4096).map { _ in UInt32.random(in: .min ... .max, using: &random) }
        let table = try DraftTable(Drafts.file(numbers: [100, 3], slots: noise), vocabularyCount: 100)
        for end in 0...text.count {
            let next = table.next(after: Array(text.prefix(end)))
            #expect(next.map { (0..<100).contains($0.token) && $0.chance < 1 } ?? true)
        }

        let bytes = try Data(contentsOf: URL(fileURLWithPath: Self.bundledTable)).prefix(4096)
        for _ in 0..<300 {
            var changed = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            for _ in 0..<3 where !changed.isEmpty {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            #expect(throws: FileError.self) { try DraftTable(MappedFile(copying: changed), vocabularyCount: 4096) }
        }
        #expect(DraftTable(besideModel: "/", vocabularyCount: 4096) == nil)
        #expect(DraftTable(besideModel: "/dev/null.gguf", vocabularyCount: 4096) == nil)
        #expect(DraftTable(besideModel: GemmaFixtures.bundled, vocabularyCount: 512) == nil)
    }

    private static let bundledTable = GemmaFixtures.bundled.replacingOccurrences(of: ".gguf", with: ".draft")

    @Test("Fifty beginnings of stories, and one to its end: most is drafted rightly, and nothing changes")
    func stories() throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let table = try #require(DraftTable(besideModel: model.path, vocabularyCount: model.tokenizer.vocabulary.count))
        let template = try #require(model.chatTemplate)
        let plain = try session(model, context: 1024), drafting = try session(model, context: 1024)
        let heroes = ["a sleepy bear", "a friendly dragon", "the moon", "a small train", "a kind whale"]
        var drafted = (tokens: 0, right: 0), generated = 0
        for seed in 0..<50 {
            let words = "Tell a bedtime story about \(heroes[seed % heroes.count])."
            var sampling = model.samplingDefaults
            sampling.seed = UInt64(seed)
            if seed % 10 == 9 { sampling.temperature = 0 }
            let begin = TextProgress(
                prompt: try template.encode([ChatMessage(role: .user, content: words)], model.tokenizer),
                options: TextGenerator.Options(maximumTokens: seed == 0 ? 600 : 24, sampling: sampling))
            let expected = try run(begin, on: plain, model, nil)
            let found = try run(begin, on: drafting, model, table)
            #expect(found.progress.tokens == expected.progress.tokens, "seed \(seed)")
            #expect(found.text == expected.text && found.stop == expected.stop)
            if seed == 0 { #expect(found.stop == .end) }
            drafted = (drafted.tokens + found.drafted.tokens, drafted.right + found.drafted.right)
            generated += found.progress.generated.count
        }
        // As the script that made the table counts it: six tokens of ten are guessed, and more than nine of ten guesses right.
        #expect(Double(drafted.right) > 0.85 * Double(drafted.tokens), "\(drafted) of \(generated)")
        #expect(Double(drafted.right) > 0.45 * Double(generated), "\(drafted) of \(generated)")
    }

    @Test("A generator takes the table beside its model, unless told not to; its texts may be suspended")
    func generators() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let prompt = try #require(model.chatTemplate).encode(
            [ChatMessage(role: .user, content: "Tell a story.")], model.tokenizer)
        let begin = TextProgress(prompt: prompt, options: options(4, 0.7, maximumTokens: 60))
        func tokens(_ generator: TextGenerator, stopsAfter most: Int = .max) async throws -> [TokenID] {
            var tokens: [TokenID] = [], progress = begin
            while true {
                var made = 0
                var suspended: TextProgress?
                for try await event in generator.generate(resuming: progress) {
                    switch event {
                    case .token(let id, _):
                        tokens.append(id)
                        made += 1
                        if made == most { generator.suspend() }
                    case .likelihood, .thought: break
                    case .suspended(let rest): suspended = rest
                    case .finished: break
                    }
                }
                guard let suspended else { return tokens }
                progress = suspended
            }
        }
        let plain = try TextGenerator(model: model, threads: 1, usesDrafts: false)
        let drafting = try TextGenerator(model: model, threads: 1)
        let expected = try await tokens(plain)
        #expect(try await tokens(drafting) == expected)
        #expect(try await tokens(drafting, stopsAfter: 5) == expected)
        #expect(plain.drafts == nil && drafting.drafts != nil)
    }

    @Test("Steps are timed one by one")
    func steps() async throws {
        let generator = try TextGenerator(
            model: TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf")), contextLength: 64, threads: 1)
        let times = try await generator.stepMilliseconds(of: [1, 8, 3], behind: 20, runs: 4)
        #expect(times.map(\.count) == [4, 4, 4] && times.allSatisfy { $0.allSatisfy { $0 > 0 } })
        await #expect(throws: TextError.self) {
            try await generator.stepMilliseconds(of: [9], behind: 20, runs: 1)
        }
        await #expect(throws: TextError.self) {
            try await generator.stepMilliseconds(of: [8], behind: 60, runs: 1)
        }
    }

    @Test("Drafting and checking allocate nothing")
    func allocations() throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-f16.gguf"))
        let session = try session(model)
        let text = GemmaFixtures.prompt(60)
        var draft = Draft(try Drafts.table(of: text, vocabularyCount: model.tokenizer.vocabulary.count))
        try session.prefill(text[..<20])
        // The test's own code is not optimised: a literal in the loop would be counted.
        let stops: [TokenID] = [1]
        func count(_ steps: Int) throws -> Double {
            let before = allocation_count_of_this_thread()
            for _ in 0..<steps {
                draft.write(after: text, most: 7, stops: stops)
                _ = try session.logits(checking: text[20..<25])
                session.takeBack(to: 20)
            }
            return Double(allocation_count_of_this_thread() - before) / Double(steps)
        }
        _ = try count(3)
        let few = try count(5), many = try count(20)
        #if DEBUG
        #expect(few == few.rounded() && many == few, "\(few), \(many)")
        #else
        #expect(few == 0 && many == 0, "\(few), \(many)")
        #endif
    }
}
