import Foundation
import HearthCompute
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// What goes on inside a step: residual streams layer by layer, tokens that stop early, rows that are read.
@Suite(.timeLimit(.minutes(20))) struct GemmaPassTests {
    struct Trace: Decodable {
        let file: String
        let positions: [Int]
        /// Streams, positions, width: of the embedding, after each layer, after the last norm.
        let shapes: [[Int]]
    }
    struct Golden: Decodable {
        struct Variant: Decodable {
            let gguf: String
            let greedy: [TokenID]
            let trace: Trace?
        }
        let prompt_ids: [TokenID]
        let variants: [String: Variant]
    }

    static let traced = [
        ("gemma1", "f32"), ("gemma2", "f16"), ("gemma3", "f16"), ("gemma3-linear", "f16"), ("gemma3n", "f16"),
        ("gemma4", "bf16"),
    ]

    private func pass(
        _ model: TextModel, _ kernels: String? = nil, context: Int = 64
    ) throws -> (GemmaPass, GemmaKVCaches) {
        let c = model.configuration
        let widest = c.layers.map { max(c.queryWidth(of: $0), $0.feedForwardWidth) }.max() ?? 0
        let compute = try Compute(
            kernels: KernelSet.selected(by: kernels), threads: 1, maximumRows: 64,
            maximumColumns: max(c.width, widest, c.perLayerWidth))
        let pass = try GemmaPass(
            configuration: c, weights: model.weights, compute: compute, maximumStep: 64, reader: nil)
        return (pass, try GemmaKVCaches(c, context: context, maximumStep: 64, format: .float32))
    }

    @Test(
        "The residual streams after each layer equal the reference", arguments: traced, KernelSet.available.map(\.name))
    func traces(source: (model: String, variant: String), kernels: String) throws {
        let golden = try JSONDecoder().decode(Golden.self, from: GemmaFixtures.data(source.model + ".json"))
        let variant = try #require(golden.variants[source.variant])
        let trace = try #require(variant.trace)
        let expected = try GemmaFixtures.floats(trace.file)
        let model = try TextModel(path: GemmaFixtures.path(variant.gguf))
        let (pass, caches) = try pass(model, kernels)
        let tokens = golden.prompt_ids + variant.greedy
        var at = 0

        func compare(_ rows: Rows, streams: Int, _ shape: [Int], _ what: String) {
            #expect(shape == [streams, trace.positions.count, model.configuration.width])
            let width = shape[2]
            for stream in 0..<streams {
                for position in trace.positions {
                    let found = rows.row(position)[stream * width..<(stream + 1) * width]
                    let wanted = expected[at..<at + width]
                    let size = wanted.reduce(0) { max($0, abs($1)) }
                    let worst = zip(found, wanted).reduce(0) { max($0, abs($1.0 - $1.1)) }
                    #expect(worst <= 1e-5 * max(1, size), "\(what), stream \(stream), position \(position)")
                    at += width
                }
            }
        }
        let streams = model.configuration.streams?.count ?? 1
        let rows = pass.altUp?.streams ?? pass.hidden
        var step = pass.begin(tokens[...], position: 0, caches: caches, wanted: 0..<tokens.count)
        compare(rows, streams: streams, trace.shapes[0], "embedding")
        for layer in model.configuration.layers.indices {
            pass.run(layer: layer, &step)
            compare(rows, streams: streams, trace.shapes[layer + 1], "layer \(layer)")
        }
        pass.finish(step)
        let normed = try Rows(count: tokens.count, width: model.configuration.width)
        pass.normalizeOutput(0..<tokens.count, into: normed)
        compare(normed, streams: 1, try #require(trace.shapes.last), "output norm")
        #expect(at == expected.count)
    }

    @Test(
        "Behind the last layer with a cache go only tokens whose logits are wanted",
        arguments: [("gemma3-q8_0.gguf", 7, 7), ("gemma3n-q8_0.gguf", 6, 8), ("gemma4-q4_0.gguf", 6, 9)])
    func tokensStopEarly(file: String, cached: Int, layers: Int) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        #expect(model.configuration.layers.count == layers && model.configuration.cachedLayers == cached)
        let (pass, caches) = try pass(model)
        #expect(caches.caches.count == cached)
        let tokens = GemmaFixtures.prompt(64)
        for wanted in [0..<0, 63..<64, 10..<20, 0..<64] {
            var step = pass.begin(tokens[...], position: 0, caches: caches, wanted: wanted)
            for layer in 0..<layers where !step.live.isEmpty {
                #expect(layer < cached || !wanted.isEmpty)
                pass.run(layer: layer, &step)
                #expect(step.live == (layer < cached - 1 ? 0..<64 : wanted))
            }
        }
    }

    @Test(
        "A token's logits have the same bits, whoever is computed with it and whatever else is wanted",
        arguments: KernelSet.available.map(\.name),
        [
            "gemma1-q4_0.gguf", "gemma3-kquant-kmix.gguf", "gemma3n-f16.gguf", "gemma3n-q8_0.gguf", "gemma4-bf16.gguf",
            "gemma4-q4_0.gguf", "gemma4-q8_0.gguf",
        ])
    func sameBits(kernels: String, file: String) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        let tokens = GemmaFixtures.prompt(150)
        // Each format of the cache with some of the models.
        let formats = KVCacheFormat.allCases
        let format = formats[file.utf8.reduce(0) { $0 + Int($1) } % formats.count]
        func session(_ threads: Int) throws -> GemmaSession {
            try GemmaSession(
                configuration: model.configuration, weights: model.weights, kernels: KernelSet.selected(by: kernels),
                threads: threads, context: 150, cacheFormat: format, maximumStep: 128)
        }
        var all: [[Float]] = []
        try session(1).logits(ofEach: tokens[...]) { all.append($0.row(0)) }
        let alone = try session(1)
        var random = Xoshiro256(seed: 3)
        let parts = try session(2)
        var end = 0
        for position in tokens.indices {
            #expect(try alone.logits(after: tokens[position...position]).row(0) == all[position], "\(position)")
            guard position == end else { continue }
            let count = min(Int.random(in: 1...70, using: &random), tokens.count - position)
            end = position + count
            #expect(try parts.logits(after: tokens[position..<end]).row(0) == all[end - 1], "\(position)..<\(end)")
        }
        // Nothing wanted at all, then one.
        let silent = try session(2)
        try silent.prefill(tokens[..<149])
        #expect(try silent.logits(after: tokens[149...]).row(0) == all[149])
    }

    #if os(Linux)
    @Test("Of the table of per-layer embeddings, rows that are wanted come into memory and no more")
    func tableStaysInTheFile() async throws {
        let name = "per_layer_token_embd.weight"
        // 32 megabytes; the rest of the model is a third of one.
        let model = try GemmaFixtures.variant(of: "gemma4-q4_0.gguf", mapped: true) {
            $0.name == name ? ($0.type, [$0.shape[0], 200_000]) : ($0.type, $0.shape)
        }
        let generator = try TextGenerator(model: model, threads: 1)
        try await generator.warmUp(nil)
        let prompt = GemmaFixtures.prompt(60)
        for try await _ in generator.generate(prompt, options: TextGenerator.Options(maximumTokens: 40)) {}
        #expect(model.weightBytes > 32_000_000)
        let resident = try residentBytes(mapping: model.path)
        #expect(resident > 100 << 10 && resident < 4 << 20, "\(resident) bytes")
        // Progress of the warm-up counts what is never read as done.
        #expect(generator.bytesRead == model.weightBytes)
    }

    /// Memory of a mapped file that this process has touched.
    private func residentBytes(mapping path: String) throws -> Int {
        var sum = 0
        var isIt = false
        let maps = try #require(try FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd())
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if let first = words.first, first.contains("-"), !first.hasSuffix(":") { isIt = line.contains(path) }
            if isIt, words.first == "Rss:", words.count > 1 { sum += (Int(words[1]) ?? 0) * 1024 }
        }
        return sum
    }
    #endif
}
