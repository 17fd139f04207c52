import Foundation
import HearthCompute
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// A text is a function of model, kernel set, prompt and seed: not of the number of threads, nor of the way in which its prompt
/// came into the caches.
@Suite("The same text", .timeLimit(.minutes(20))) struct SameTextTests {
    static let files = [
        "gemma1-q4_0.gguf", "gemma2-q8_0.gguf", "gemma3-kquant-kmix.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf",
    ]

    /// What a text is made with.
    private struct Way {
        var threads = 1
        var format = KVCacheFormat.float16
        /// Leading tokens that other texts begin with as well.
        var prefix = 0
        /// Leading tokens that are computed before, in pieces of so many.
        var head = 0, piece = 64
        /// Whether the prompt is taken in steps between which one may rest.
        var hasPace = false
    }

    private func write(
        _ prompt: [TokenID], _ options: TextGenerator.Options, _ model: TextModel, _ kernels: String, _ way: Way
    ) async throws -> (tokens: [TokenID], text: String, ran: Int) {
        let generator = try TextGenerator(
            model: model, contextLength: min(256, model.configuration.contextLength), threads: way.threads,
            kernels: KernelSet.form(kernels), cacheFormat: way.format, maximumStep: 128)
        let pieces = stride(from: 0, to: way.head, by: way.piece).map { $0..<min($0 + way.piece, way.head) }
        try await generator.onSession { session in
            for piece in pieces { try session.prefill(prompt[piece]) }
        }
        var (tokens, text): ([TokenID], String) = ([], "")
        let events = generator.generate(
            resuming: TextProgress(prompt: prompt, options: options, prefixTokens: way.prefix),
            pace: way.hasPace ? GenerationPace() : nil)
        for try await event in events {
            switch event {
            case .token(let id, let piece):
                tokens.append(id)
                text += piece
            case .finished(_, let rest): text += rest
            case .likelihood, .thought: break
            case .suspended: Issue.record("suspended")
            }
        }
        return (tokens, text, try await generator.onSession { $0.tokensRun })
    }

    private func options(_ temperature: Float) -> TextGenerator.Options {
        TextGenerator.Options(maximumTokens: 16, sampling: SamplingOptions(temperature: temperature, seed: 99))
    }

    @Test(
        "On any number of threads, with a prompt in one piece or in several",
        arguments: KernelSet.forms, files)
    func threadsAndPieces(kernels: String, file: String) async throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        // Longer than a step and than a part of attention, where the context allows it.
        let prompt = GemmaFixtures.prompt(min(150, model.configuration.contextLength - 30))
        // Each format of the cache with some of the models.
        let formats = KVCacheFormat.allCases
        let format = formats[(Self.files.firstIndex(of: file) ?? 0) % formats.count]
        let expected = try await write(prompt, options(0.9), model, kernels, Way(format: format))
        #expect(!expected.tokens.isEmpty)
        for way in [
            Way(threads: 2), Way(threads: 3, head: 37, piece: 5), Way(threads: 2, hasPace: true),
            Way(head: prompt.count - 1, piece: 64),
        ] {
            var way = way
            way.format = format
            let found = try await write(prompt, options(0.9), model, kernels, way)
            #expect(found.tokens == expected.tokens && found.text == expected.text, "\(way)")
        }
    }

    @Test("From a mapped beginning as from a computed one", arguments: KernelSet.forms, files)
    func mapped(kernels: String, file: String) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-same-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let plain = try TextModel(path: GemmaFixtures.path(file))
        let context = min(256, plain.configuration.contextLength)
        let compiler = TextCompiler(
            folders: HearthFolders(data: root, cache: root), kernels: try KernelSet.form(kernels))
        let model = try TextModel(
            artifact: compiler.compile(GemmaFixtures.path(file), contextLength: context).artifact)
        let prompt = GemmaFixtures.prompt(min(150, context - 30)), prefix = prompt.count - 20
        let expected = try await write(prompt, options(0.9), plain, kernels, Way())
        let first = try await write(prompt, options(0.9), model, kernels, Way(prefix: prefix))
        let second = try await write(prompt, options(0.9), model, kernels, Way(threads: 2, prefix: prefix))
        #expect(first.tokens == expected.tokens && second.tokens == expected.tokens)
        #expect(first.text == expected.text && second.text == expected.text)
        #expect(first.ran - second.ran == prefix)
    }

    @Test("Of the bundled model: threads, pieces, greedy and not")
    func bundled() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let template = try #require(model.chatTemplate)
        let prompt = try template.encode(
            [ChatMessage(role: .user, content: "Tell a story about a bear.")], model.tokenizer)
        let kernels = try KernelSet.selected(by: nil).name
        for temperature: Float in [0, 0.7] {
            let expected = try await write(prompt, options(temperature), model, kernels, Way())
            #expect(expected.tokens.count == 16)
            for way in [Way(threads: 2), Way(threads: 4, head: 7, piece: 3), Way(hasPace: true)] {
                #expect(try await write(prompt, options(temperature), model, kernels, way).text == expected.text)
            }
        }
    }

    @Test(
        "Keys and values in bytes cost the bundled model less than a thousandth of its perplexity on held-out stories")
    func perplexity() async throws {
        let stories = try JSONDecoder().decode(
            [String].self,
            from: Data(contentsOf: URL(fileURLWithPath: GemmaFixtures.path("../stories/heldout.json"))))
        let model = try TextModel(path: GemmaFixtures.bundled)
        var found: [KVCacheFormat: Double] = [:]
        for format in KVCacheFormat.allCases {
            let generator = try TextGenerator(model: model, threads: 2, cacheFormat: format)
            var (sum, count) = (0.0, 0)
            for story in stories {
                let score = try await generator.score(model.tokenizer.encode(story, addBOS: true))
                sum += try #require(score.meanNegativeLogLikelihood) * Double(score.tokens - 1)
                count += score.tokens - 1
            }
            #expect(count > 1000)
            found[format] = exp(sum / Double(count))
        }
        let exact = try #require(found[.float32]), half = try #require(found[.float16])
        let bytes = try #require(found[.int8])
        // It knows stories of this kind; and the formats are three.
        #expect(exact > 1.2 && exact < 2.5)
        #expect(abs(bytes / exact - 1) < 0.001 && bytes != exact, "\(bytes) for \(exact)")
        #expect(abs(half / exact - 1) < 0.0001 && half != exact, "\(half) for \(exact)")
    }
}
