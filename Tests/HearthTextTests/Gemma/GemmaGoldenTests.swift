import Foundation
import HearthCompute
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Logits and greedy continuations of tiny random models of each generation, computed by torch and transformers
/// (Tests/Fixtures/gemma/README.md says how and with which versions).
@Suite(.timeLimit(.minutes(20))) struct GemmaGoldenTests {
    struct Golden: Decodable {
        struct Variant: Decodable {
            let gguf: String
            let logits: String
            let logit_positions: [Int]
            let greedy: [Int32]
            let margins: [Float]
        }
        let vocab: Int
        let prompt_ids: [Int32]
        let variants: [String: Variant]
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let model: String
        let variant: String
        let kernels: String
        var testDescription: String { "\(model)-\(variant) \(kernels)" }
        var hasBytes: Bool { kernels.contains("-8") && !variant.contains("f") }
    }

    static let variants = [
        ("gemma1", ["f32", "q8_0", "q4_0"]), ("gemma2", ["f16", "q8_0"]), ("gemma3", ["f16", "q8_0", "q4_0"]),
        ("gemma3-linear", ["f16"]), ("gemma3-kquant", ["kmix"]), ("gemma3n", ["f16", "q8_0"]),
        ("gemma4", ["bf16", "q8_0", "q4_0"]),
    ]

    static let cases = variants.flatMap { model, variants in
        variants.flatMap { variant in
            KernelSet.forms.map { Case(model: model, variant: variant, kernels: $0) }
        }
    }

    /// Float32 throughout for F32, F16 and BF16 weights. Quantized weights meet activations of 16 bits, whose error is a
    /// few hundred times below that of the usual 8 bits (max 0.5, rms 0.1 by the fixtures' README).
    static func tolerance(_ item: Case) -> Float { item.hasBytes ? 0.5 : item.variant.contains("f") ? 5e-4 : 5e-3 }

    /// How the 64 tokens are cut into steps: one prefill; the prompt in fives, then token by token; odd sizes.
    static let cuts: [String: [Int]] = [
        "at once": [64],
        "fives, then one by one": [5, 5, 5, 5, 5, 5, 5, 5, 5, 3] + [Int](repeating: 1, count: 16),
        "odd sizes": [1, 7, 17, 3, 23, 2, 11],
    ]

    @Test(arguments: cases)
    func logitsEqualTheReference(_ item: Case) throws {
        let (golden, variant, model) = try load(item)
        let tokens = golden.prompt_ids + variant.greedy
        let expected = try GemmaFixtures.floats(variant.logits)
        for (name, steps) in Self.cuts {
            let session = try session(model, kernels: item.kernels, context: tokens.count)
            var rows: [[Float]] = []
            var first = 0
            for count in steps {
                try session.logits(ofEach: tokens[first..<first + count]) { rows.append($0.row(0)) }
                first += count
            }
            var worst: Float = 0
            var squares: Float = 0
            for (index, position) in variant.logit_positions.enumerated() {
                let wanted = expected[index * golden.vocab..<(index + 1) * golden.vocab]
                for (a, b) in zip(rows[position], wanted) {
                    worst = max(worst, abs(a - b))
                    squares += (a - b) * (a - b)
                }
            }
            let mean = (squares / Float(expected.count)).squareRoot()
            if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil {
                print(item.testDescription, name, worst, mean)
            }
            #expect(mean < 0.1, "\(name)")
            #expect(worst < Self.tolerance(item), "\(name)")
        }
    }

    @Test(arguments: cases)
    func greedyContinuationsEqualTheReference(_ item: Case) async throws {
        let (golden, variant, model) = try load(item)
        let generator = try TextGenerator(
            model: model, threads: 2, kernels: KernelSet.form(item.kernels), cacheFormat: .float32)
        var found: [TokenID] = []
        let options = TextGenerator.Options(maximumTokens: variant.greedy.count, sampling: .greedy)
        for try await event in generator.generate(golden.prompt_ids, options: options) {
            if case .token(let id, _) = event { found.append(id) }
        }
        // A stop token ends a generation; the reference goes on.
        let stops = model.tokenizer.vocabulary.stopIDs
        // With 8 bits as long as no two tokens are closer than twice the error.
        let close = item.hasBytes ? variant.margins.firstIndex { $0 < 0.6 } : nil
        let wanted = Array(variant.greedy.prefix(close ?? .max).prefix { !stops.contains($0) })
        #expect(close == nil ? found == wanted : found.starts(with: wanted))
        // Halves of keys and values choose no other token.
        let usual = try TextGenerator(model: model, threads: 1, kernels: KernelSet.form(item.kernels))
        #expect(usual.cacheFormat == .float16)
        var again: [TokenID] = []
        for try await event in usual.generate(golden.prompt_ids, options: options) {
            if case .token(let id, _) = event { again.append(id) }
        }
        #expect(again.prefix(close ?? .max) == found.prefix(close ?? .max))
    }

    /// Random models of width 64 are as hard on a cache as any: their scores are nearly even, and each layer stands on the one
    /// before. Half the fixtures' logits are in -1 ... 1. A step of four bits is eighteen times one of eight; `AttentionTests` compare
    /// the arithmetic with plain loops.
    @Test("What a smaller cache changes stays within its format's error", arguments: cases)
    func smallerCaches(_ item: Case) throws {
        let (golden, variant, model) = try load(item)
        let tokens = golden.prompt_ids + variant.greedy
        let expected = try GemmaFixtures.floats(variant.logits)
        for (format, bound) in [(KVCacheFormat.float16, Float(2e-2)), (.int8, 0.4), (.int4, 4)] {
            let session = try session(model, kernels: item.kernels, context: tokens.count, cacheFormat: format)
            var rows: [[Float]] = []
            try session.logits(ofEach: tokens[...]) { rows.append($0.row(0)) }
            var worst: Float = 0
            for (index, position) in variant.logit_positions.enumerated() {
                let wanted = expected[index * golden.vocab..<(index + 1) * golden.vocab]
                for (a, b) in zip(rows[position], wanted) { worst = max(worst, abs(a - b)) }
            }
            if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil {
                print(item.testDescription, format, worst)
            }
            #expect(worst < bound + Self.tolerance(item), "\(format)")
        }
    }

    private func load(_ item: Case) throws -> (Golden, Golden.Variant, TextModel) {
        let golden = try JSONDecoder().decode(Golden.self, from: GemmaFixtures.data(item.model + ".json"))
        let variant = try #require(golden.variants[item.variant])
        return (golden, variant, try TextModel(path: GemmaFixtures.path(variant.gguf)))
    }

    private func session(
        _ model: TextModel, kernels: String, context: Int, cacheFormat: KVCacheFormat = .float32
    ) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights,
            kernels: KernelSet.form(kernels), threads: 2, context: context, cacheFormat: cacheFormat)
    }
}
