import HearthGGUF
import HearthTestSupport
import HearthText
import Testing

/// Metadata of embedding models: what is read, what has a default, and what is refused with the key's name.
@Suite("Loading embedding models", .timeLimit(.minutes(20))) struct EmbeddingLoadingTests {
    private func load(
        _ source: String = "embed-dense.gguf", set: [String: GGUFValue] = [:], remove: [String] = [],
        tensor: (GGUFTensor) -> (type: GGUFTensorType, shape: [Int])? = { ($0.type, $0.shape) }
    ) throws -> TextModel {
        try GemmaFixtures.variant(of: source, set: set, remove: remove, tensor: tensor)
    }

    @Test("The configuration of both fixtures")
    func configuration() throws {
        let dense = try load().configuration, plain = try load("embed-plain.gguf").configuration
        #expect(dense.embedding?.dense.map(\.width) == [160, 64] && dense.embeddingWidth == 64)
        #expect(plain.embedding?.dense.isEmpty == true && plain.embeddingWidth == 96)
        #expect(dense.embedding?.addsEOS == true && dense.cacheBytes(tokens: 1024, maximumStep: 1024) == 0)
        #expect(dense.layers.map { $0.window != nil } == [true, true, true, true, true, false, true])
        #expect(dense.layers.map(\.ropeBase) == [1e4, 1e4, 1e4, 1e4, 1e4, 1e6, 1e4])
        #expect(try TextModel(path: GemmaFixtures.path("gemma3-f16.gguf")).configuration.embedding == nil)
    }

    @Test("Optional keys may be missing: pooling, causal, widths of dense layers")
    func defaults() throws {
        let prefix = "gemma-embedding."
        let keys = ["pooling_type", "attention.causal", "dense_2_feat_in", "dense_2_feat_out", "dense_3_feat_in"]
        let model = try load(remove: keys.map { prefix + $0 } + ["tokenizer.ggml.add_eos_token"])
        #expect(try model.configuration == load().configuration)
    }

    @Test(
        "What is not run is refused by its key",
        arguments: [
            ("pooling_type", GGUFValue.uint32(0)), ("pooling_type", .uint32(3)), ("pooling_type", .uint32(77)),
            ("attention.causal", .bool(true)), ("dense_2_feat_in", .uint32(65)), ("dense_3_feat_in", .uint32(64)),
            ("dense_2_feat_out", .uint32(1 << 30)), ("attention.sliding_window", .int32(-1)),
        ])
    func refused(key: String, value: GGUFValue) {
        let message = GemmaFixtures.refusal { try load(set: ["gemma-embedding." + key: value]) }
        #expect(message.contains("gemma-embedding." + key), "\(message)")
    }

    @Test("Dense layers that are announced have to be there, in their shape")
    func dense() {
        let missing = GemmaFixtures.refusal {
            try load(tensor: { $0.name == "dense_3.weight" ? nil : ($0.type, $0.shape) })
        }
        #expect(missing.contains("dense_3.weight") && missing.contains("missing"))
        let other = GemmaFixtures.refusal {
            try load(tensor: { $0.name == "dense_2.weight" ? (.f32, [64, 32]) : ($0.type, $0.shape) })
        }
        #expect(other.contains("dense_2.weight"))
    }
}
