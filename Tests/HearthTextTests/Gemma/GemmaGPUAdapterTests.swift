import Foundation
import HearthCompute
import HearthGPU
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// LoRA adapters and smaller caches on a GPU, against the goldens of the CPU.
@Suite("Adapters and smaller caches on a GPU", .timeLimit(.minutes(20)))
struct GemmaGPUAdapterTests {
    static let device = GemmaGPUPassTests.device

    private let golden: AdapterTests.Golden

    init() throws {
        golden = try JSONDecoder().decode(AdapterTests.Golden.self, from: GemmaFixtures.data("adapters.json"))
    }

    private func generator(
        _ model: TextModel, _ uses: [TextAdapter] = [], cacheFormat: KVCacheFormat? = .float32, parallel: Int = 1
    ) async throws -> TextGenerator {
        let generator = try TextGenerator(
            model: model, contextLength: 100, threads: 1, cacheFormat: cacheFormat, maximumStep: 16,
            parallel: parallel, adapters: uses)
        try await generator.useGPU(#require(Self.device), cacheFolder: nil)
        return generator
    }

    @Test(
        "Logits are those of merged weights", .enabled(if: device != nil, "no Vulkan device"),
        arguments: AdapterTests.names)
    func logits(name: String) async throws {
        let index = try #require(golden.cases.firstIndex { $0.name == name })
        let item = golden.cases[index]
        let model = try TextModel(path: GemmaFixtures.path(item.base))
        let tokens = item.prompt_ids + item.greedy, size = golden.vocab * item.positions.count
        let expected = Array(try GemmaFixtures.floats("adapters.logits.f32")[index * size..<(index + 1) * size])
        let generator = try await generator(model, item.uses)
        let adapters = try generator.usualAdapters()
        let rows = try await generator.onSession { session in
            session.use(adapters)
            var rows: [[Float]] = []
            var start = 0
            // One token at a time, and many.
            for count in [1, 7, 17, 3, 23, 2, 11] {
                try session.logits(ofEach: tokens[start..<start + count]) { rows.append($0.row(0)) }
                start += count
            }
            return rows
        }
        #expect(await generator.isOnGPU)
        var worst: Float = 0
        for (row, position) in item.positions.enumerated() {
            let wanted = expected[row * golden.vocab..<(row + 1) * golden.vocab]
            for (a, b) in zip(rows[position], wanted) { worst = max(worst, abs(a - b)) }
        }
        #expect(worst < (item.base.contains("q4") ? 5e-3 : 5e-4), "\(worst)")
    }

    private func tokens(
        _ generator: TextGenerator, _ prompt: [TokenID], _ uses: [TextAdapter]?
    ) async throws -> [TokenID] {
        var options = TextGenerator.Options(maximumTokens: 16, sampling: .greedy)
        options.adapters = uses
        return try await TextBatchTests.read(generator.generate(prompt, options: options)).tokens
    }

    @Test(
        "Texts with and without adapters take turns without a reload, and texts at the same time are as alone",
        .enabled(if: device != nil, "no Vulkan device"))
    func switching() async throws {
        let items = golden.cases.filter { $0.base == "gemma3-f16.gguf" }
        let model = try TextModel(path: GemmaFixtures.path("gemma3-f16.gguf"))
        let stops = model.tokenizer.vocabulary.stopIDs
        let lists = items.map(\.uses) + [[]]
        let prompt = try #require(items.first).prompt_ids
        let alone = try await generator(model, items[0].uses)
        var expected: [[TokenID]] = []
        for _ in 0..<2 {
            expected = []
            for uses in lists { expected.append(try await tokens(alone, prompt, uses)) }
        }
        for (item, found) in zip(items, expected) {
            #expect(found == Array(item.greedy.prefix { !stops.contains($0) }), "\(item.name)")
        }
        #expect(try await tokens(alone, prompt, nil) == expected[0])
        #expect(expected.last != expected[0])
        let together = try await generator(model, parallel: 3)
        try await withThrowingTaskGroup(of: (Int, [TokenID]).self) { group in
            for index in 0..<2 * lists.count {
                let uses = lists[index % lists.count]
                group.addTask { (index % lists.count, try await self.tokens(together, prompt, uses)) }
            }
            for try await (index, found) in group { #expect(found == expected[index]) }
        }
        #expect(await alone.isOnGPU)
        #expect(await together.isOnGPU)
    }

    @Test(
        "A device that fails under a text with an adapter leaves it to the CPU, adapter included",
        .enabled(if: device != nil, "no Vulkan device"))
    func failure() async throws {
        let item = try #require(golden.cases.first { $0.name == "gemma3" })
        let model = try TextModel(path: GemmaFixtures.path(item.base))
        let generator = try await generator(model, item.uses)
        let adapters = try generator.usualAdapters()
        let found = try await generator.onSession { session in
            session.use(adapters)
            var text = item.prompt_ids
            var next = text[...]
            for step in 0..<12 {
                if step == 5 { session.gpu?.pass.device.timeoutMS = 0 }
                let row = try session.logits(after: next).row(0)
                text.append(TokenID(row.indices.reduce(0) { row[$1] > row[$0] ? $1 : $0 }))
                next = text[(text.count - 1)...]
            }
            return Array(text[item.prompt_ids.count...])
        }
        #expect(found == Array(item.greedy.prefix(12)))
        #expect(await !generator.isOnGPU)
    }

    /// The bounds of `GemmaGoldenTests`.
    @Test(
        "What a smaller cache changes stays within its format's error", .enabled(if: device != nil, "no Vulkan device"),
        arguments: ["gemma1", "gemma2", "gemma3", "gemma3n", "gemma4"],
        [(KVCacheFormat.float16, Float(2e-2)), (.int8, 0.4), (.int4, 4)])
    func smallerCaches(name: String, format: (KVCacheFormat, Float)) async throws {
        struct Model: Decodable {
            struct Variant: Decodable {
                let gguf: String
                let greedy: [TokenID]
                let logit_positions: [Int]
                let logits: String
            }
            let vocab: Int
            let prompt_ids: [TokenID]
            let variants: [String: Variant]
        }
        let golden = try JSONDecoder().decode(Model.self, from: GemmaFixtures.data(name + ".json"))
        let variant = try #require(golden.variants["f16"] ?? golden.variants["bf16"] ?? golden.variants["f32"])
        let model = try TextModel(path: GemmaFixtures.path(variant.gguf))
        let tokens = Array((golden.prompt_ids + variant.greedy).prefix(100))
        let generator = try await generator(model, cacheFormat: format.0)
        let rows = try await generator.onSession { session in
            var rows: [[Float]] = []
            try session.logits(ofEach: tokens[...]) { rows.append($0.row(0)) }
            return rows
        }
        #expect(await generator.isOnGPU)
        let expected = try GemmaFixtures.floats(variant.logits)
        var worst: Float = 0
        for (index, position) in variant.logit_positions.enumerated() where position < rows.count {
            let wanted = expected[index * golden.vocab..<(index + 1) * golden.vocab]
            for (a, b) in zip(rows[position], wanted) { worst = max(worst, abs(a - b)) }
        }
        #expect(worst > 0 && worst < format.1 + 1e-2, "\(worst)")
    }
}
