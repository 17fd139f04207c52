import Foundation
import HearthCompute
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Embeddings of two tiny random models, computed by numpy and checked against transformers and llama.cpp
/// (Tests/Fixtures/gemma/README.md): one with dense layers in half precision, one without in float32.
@Suite("Embeddings", .timeLimit(.minutes(20))) struct TextEmbedderTests {
    struct Golden: Decodable {
        struct Row: Decodable {
            let text: String
            let task: String
            let tokens: [TokenID]
            let embedding: [Float]
            let dimensions_32: [Float]?
        }
        let prompts: [String: String]
        let dimensions: Int
        let rows: [Row]
    }

    static let models = ["embed-dense", "embed-plain"]

    private func golden(_ name: String) throws -> Golden { try GemmaFixtures.json(name, as: Golden.self) }

    private func embedder(_ name: String, kernels: String? = nil, threads: Int = 2) throws -> TextEmbedder {
        try TextEmbedder(
            model: TextModel(path: GemmaFixtures.path(name + ".gguf")), threads: threads,
            kernels: KernelSet.selected(by: kernels))
    }

    /// 1 − cosine of the angle.
    private func distance(_ a: [Float], _ b: [Float]) -> Double {
        func dot(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        return 1 - dot(a, b) / (dot(a, a) * dot(b, b)).squareRoot()
    }

    private func length(_ a: [Float]) -> Double {
        a.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    }

    @Test("Prompts and tokens equal the reference", arguments: models)
    func tokens(name: String) throws {
        let golden = try golden(name)
        let embedder = try embedder(name)
        #expect(golden.rows.count >= 20)
        for (task, prompt) in golden.prompts { #expect(TextEmbeddingTask(rawValue: task)?.prefix == prompt) }
        for row in golden.rows {
            let task = try #require(TextEmbeddingTask(rawValue: row.task))
            #expect(embedder.tokens(of: row.text, task: task) == row.tokens, "\(row.text)")
        }
    }

    /// Float32 throughout gives 1e-10; a window that is one too wide gives 1e-2.
    @Test("Vectors equal the reference", arguments: models, KernelSet.available.map(\.name))
    func vectors(name: String, kernels: String) async throws {
        let golden = try golden(name)
        let embedder = try embedder(name, kernels: kernels)
        #expect(embedder.dimensions == golden.dimensions)
        var worst = 0.0
        for row in golden.rows {
            let task = try #require(TextEmbeddingTask(rawValue: row.task))
            let vector = try #require(try await embedder.embed([row.text], task: task).first)
            #expect(vector.count == golden.dimensions && abs(length(vector) - 1) < 1e-6)
            worst = max(worst, distance(vector, row.embedding))
            guard let wanted = row.dimensions_32 else { continue }
            let short = try #require(try await embedder.embed([row.text], task: task, dimensions: 32).first)
            #expect(short.count == 32 && abs(length(short) - 1) < 1e-6)
            worst = max(worst, distance(short, wanted))
        }
        if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil { print(name, kernels, worst) }
        #expect(worst < 1e-6)
    }

    @Test("A text's vector is the same alone and among others, with any number of threads", arguments: models)
    func batches(name: String) async throws {
        let golden = try golden(name)
        var random = SplitMix64(seed: 20_261_123)
        let single = try embedder(name, threads: 1), parallel = try embedder(name, threads: 3)
        // One is longer than a pass, so that it is computed alone.
        let long = golden.rows[0].tokens + (0..<400).map { _ in TokenID(random.next() % 512) }
        let texts = golden.rows.map(\.tokens) + [long, [7]]
        var alone: [[Float]] = []
        for text in texts { alone += try await single.embed(tokens: [text]) }
        for _ in 0..<3 {
            let order = texts.indices.shuffled(using: &random)
            let found = try await parallel.embed(tokens: order.map { texts[$0] })
            #expect(found == order.map { alone[$0] })
        }
        async let first = parallel.embed(tokens: texts)
        async let second = parallel.embed(tokens: Array(texts.reversed()))
        #expect(try await first == alone)
        #expect(try await second == Array(alone.reversed()))
    }

    @Test("Passes hold neighbours up to the budget, or one longer text")
    func passes() {
        #expect(TextEmbedder.passes([], most: 10).isEmpty)
        #expect(TextEmbedder.passes([4, 4, 2, 1, 30, 1, 9], most: 10) == [0..<3, 3..<4, 4..<5, 5..<7])
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let counts = (0..<Int(random.next() % 20)).map { _ in Int(random.next() % 30) + 1 }
            let passes = TextEmbedder.passes(counts, most: 32)
            #expect(Array(passes.joined()) == Array(counts.indices))
            for (index, pass) in passes.enumerated() {
                let tokens = counts[pass].reduce(0, +)
                #expect(!pass.isEmpty && (tokens <= 32 || pass.count == 1))
                if index > 0 { #expect(counts[passes[index - 1]].reduce(0, +) + counts[pass.lowerBound] > 32) }
            }
        }
    }

    @Test("Control tokens in a text are text")
    func controlTokens() throws {
        let embedder = try embedder("embed-dense")
        let tokens = embedder.tokens(of: "<eos><bos>", task: .none)
        #expect(tokens.count > 4 && tokens.filter { $0 == 1 || $0 == 2 } == [2, 1])
    }

    @Test("Dimensions and lengths out of range, and ids that are none, are refused")
    func limits() async throws {
        let embedder = try embedder("embed-dense")
        for dimensions in [0, -1, 65] {
            await #expect(
                throws: TextError.invalidOption(name: "dimensions", value: "\(dimensions)", allowed: "from 1 to 64")
            ) { try await embedder.embed(["x"], dimensions: dimensions) }
        }
        let one = try await embedder.embed(["x"], dimensions: 1)
        #expect(one.count == 1 && one[0].count == 1 && abs(one[0][0]) == 1)
        let full = [TokenID](repeating: 5, count: 512)
        #expect(try await embedder.embed(tokens: [full]).count == 1)
        await #expect(throws: TextError.contextOverflow(tokens: 513, limit: 512)) {
            try await embedder.embed(tokens: [full + [5]])
        }
        await #expect(throws: TokenizerError.tokenOutOfRange(id: 512, count: 512)) {
            try await embedder.embed(tokens: [[512]])
        }
        await #expect(throws: TextError.emptyPrompt) { try await embedder.embed(tokens: [[]]) }
        #expect(try await embedder.embed([]).isEmpty)
    }

    @Test("Each kind of model is refused where the other is needed")
    func kinds() throws {
        let path = GemmaFixtures.path("embed-plain.gguf"), other = GemmaFixtures.path("gemma3-f16.gguf")
        #expect(TextModel.givesEmbeddings(path: path) && !TextModel.givesEmbeddings(path: other))
        #expect(!TextModel.givesEmbeddings(path: "/nowhere"))
        #expect(throws: TextError.embeddingModel(file: path)) { try TextGenerator(model: TextModel(path: path)) }
        #expect(throws: TextError.generatingModel(file: other)) { try TextEmbedder(model: TextModel(path: other)) }
    }

    @Test("A cancelled call ends, a closed embedder refuses, and others go on")
    func cancellation() async throws {
        let embedder = try embedder("embed-plain")
        // More than a busy machine has done before it cancels: minutes of work.
        let texts = [[TokenID]](repeating: [TokenID](repeating: 9, count: 500), count: 40_000)
        let task = Task { try await embedder.embed(tokens: texts) }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let vector = try await embedder.embed(["The fox sleeps."])
        #expect(distance(vector[0], try golden("embed-plain").rows[3].embedding) < 1e-6)
        embedder.close()
        await #expect(throws: CancellationError.self) { try await embedder.embed(["x"]) }
        await embedder.waitUntilIdle()
    }

    @Test("A model of zeros has no embedding")
    func zeros() async throws {
        let model = try GemmaFixtures.variant(
            of: "embed-dense.gguf", tensor: { $0.name == "dense_3.weight" ? (.f32, $0.shape) : ($0.type, $0.shape) })
        let embedder = try TextEmbedder(model: model, threads: 1)
        await #expect(throws: TextError.invalidEmbedding(file: "variant.gguf")) { try await embedder.embed(["x"]) }
    }
}
