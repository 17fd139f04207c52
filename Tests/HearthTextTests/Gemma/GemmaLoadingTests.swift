import Foundation
import HearthGGUF
import HearthTestSupport
import HearthText
import Testing

/// Files that are sound GGUF, but no model that could run: each is refused with a message that names file and field.
@Suite(.timeLimit(.minutes(20))) struct GemmaLoadingTests {
    private func load(
        _ source: String = "gemma3-f16.gguf", set: [String: GGUFValue] = [:], remove: [String] = [],
        tensor: (GGUFTensor) -> (type: GGUFTensorType, shape: [Int])? = { ($0.type, $0.shape) }
    ) throws -> TextModel {
        try GemmaFixtures.variant(of: source, set: set, remove: remove, tensor: tensor)
    }

    private func refusal(_ body: () throws -> TextModel) -> String { GemmaFixtures.refusal(body) }

    @Test func anUnchangedCopyLoads() throws {
        let model = try load()
        #expect(model.configuration.layers.count == 7)
        #expect(model.configuration.layers.map { $0.window != nil } == [true, true, true, true, true, false, true])
        #expect(model.configuration.layers[5].ropeBase == 1e6 && model.configuration.layers[0].ropeBase == 1e4)
    }

    @Test(arguments: ["gemma5", "gemma4-assistant", "llama", "bert", ""])
    func otherArchitecturesAreRefusedByName(name: String) {
        let message = refusal { try load(set: ["general.architecture": .string(name)]) }
        #expect(message.contains("general.architecture") && message.contains("\"\(name)\""))
    }

    @Test func aFileOfAVocabularyAloneIsRefusedByWhatItLacks() {
        let message = refusal { try TextModel(path: GemmaFixtures.path("tokenizer-gemma4.gguf")) }
        #expect(message.contains("gemma4.block_count") && message.contains("tokenizer-gemma4.gguf"))
    }

    static let impossible: [(String, GGUFValue)] = [
        ("gemma3.block_count", .uint32(0)), ("gemma3.block_count", .uint32(513)),
        ("gemma3.block_count", .uint32(UInt32.max)), ("gemma3.block_count", .int32(-1)),
        ("gemma3.block_count", .string("7")), ("gemma3.context_length", .uint32(0)),
        ("gemma3.context_length", .uint64(UInt64.max)), ("gemma3.embedding_length", .uint32(0)),
        ("gemma3.embedding_length", .uint32(1 << 30)), ("gemma3.feed_forward_length", .uint32(0)),
        ("gemma3.feed_forward_length", .uint64(1 << 62)), ("gemma3.attention.head_count", .uint32(0)),
        ("gemma3.attention.head_count", .uint32(1 << 20)), ("gemma3.attention.head_count_kv", .uint32(3)),
        ("gemma3.attention.head_count_kv", .uint32(0)), ("gemma3.attention.key_length", .uint32(31)),
        ("gemma3.attention.key_length", .uint32(0)), ("gemma3.attention.key_length", .uint32(1 << 31)),
        ("gemma3.attention.value_length", .uint32(16)),
        ("gemma3.attention.layer_norm_rms_epsilon", .float32(.nan)),
        ("gemma3.attention.layer_norm_rms_epsilon", .float32(-1)),
        ("gemma3.rope.freq_base", .float32(0)), ("gemma3.rope.freq_base", .float32(.infinity)),
        ("gemma3.final_logit_softcapping", .float32(-30)),
        ("gemma3.attention.sliding_window", .int32(-5)),
        ("gemma3.attention.sliding_window_pattern", .uint32(0)),
        ("gemma3.rope.dimension_count", .uint32(16)), ("gemma3.attention.causal", .bool(false)),
        ("gemma3.rope.scaling.factor", .float32(1e-4)),
        ("gemma3.rope.scaling.type", .string("yarn")), ("gemma3.rope.scaling.type", .uint32(1)),
    ]

    @Test(arguments: impossible.indices)
    func impossibleHyperparametersAreNamed(index: Int) {
        let (key, value) = Self.impossible[index]
        let message = refusal { try load(set: [key: value]) }
        #expect(message.contains(key), "\(message)")
    }

    @Test("Positions are stretched as llama.cpp stretches them: in Gemma 2 also those of local layers")
    func stretchedPositions() throws {
        func scales(_ source: String, _ key: String, _ factor: Float) throws -> [Double] {
            let layers = try load(source, set: [key: .float32(factor)]).configuration.layers
            #expect(layers[0].window != nil)
            return layers.prefix(6).map(\.positionScale)
        }
        for key in ["rope.scaling.factor", "rope.scale_linear"] {
            #expect(try scales("gemma3-f16.gguf", "gemma3." + key, 4) == [1, 1, 1, 1, 1, 0.25])
            #expect(try scales("gemma2-f16.gguf", "gemma2." + key, 4) == [0.25, 0.25, 0.25, 0.25])
        }
        #expect(try scales("gemma3-f16.gguf", "gemma3.rope.scaling.factor", 0) == [1, 1, 1, 1, 1, 1])
    }

    @Test("A number of heads for each layer is read, and must be the same in all")
    func headsOfEachLayer() throws {
        func heads(_ counts: [Int32]) -> [String: GGUFValue] {
            ["gemma3.attention.head_count": .array(GGUFArray(counts))]
        }
        #expect(try load(set: heads([4, 4, 4, 4, 4, 4, 4])).configuration.heads == 4)
        for counts: [Int32] in [[4, 4, 4, 2, 4, 4, 4], [4, 4], []] {
            #expect(refusal { try load(set: heads(counts)) }.contains("gemma3.attention.head_count"))
        }
    }

    @Test(arguments: [
        "gemma3.block_count", "gemma3.context_length", "gemma3.embedding_length", "gemma3.feed_forward_length",
        "gemma3.attention.head_count", "general.architecture",
    ])
    func missingHyperparametersAreNamed(key: String) {
        #expect(refusal { try load(remove: [key]) }.contains(key))
    }

    @Test(arguments: ["token_embd.weight", "output_norm.weight", "blk.0.attn_q.weight", "blk.6.post_ffw_norm.weight"])
    func missingTensorsAreNamed(name: String) {
        #expect(refusal { try load(tensor: { $0.name == name ? nil : ($0.type, $0.shape) }) }.contains(name))
    }

    @Test(arguments: ["token_embd.weight", "output_norm.weight", "blk.3.ffn_down.weight", "blk.0.attn_k_norm.weight"])
    func tensorsOfAnotherShapeAreNamed(name: String) {
        let message = refusal {
            try load(tensor: { $0.name == name ? (.f32, $0.shape.map { $0 * 2 }) : ($0.type, $0.shape) })
        }
        #expect(message.contains(name))
    }

    @Test func storageFormatsWithoutAKernelAreNamed() {
        let message = refusal {
            try load(tensor: { $0.name == "blk.1.ffn_up.weight" ? (.q8_1, $0.shape) : ($0.type, $0.shape) })
        }
        #expect(message.contains("blk.1.ffn_up.weight") && message.contains("Q8_1"))
    }

    @Test func aVocabularyLargerThanTheEmbeddingIsRefused() {
        let message = refusal {
            try load(tensor: {
                $0.name == "token_embd.weight" ? (.f16, [$0.shape[0], $0.shape[1] - 1]) : ($0.type, $0.shape)
            })
        }
        #expect(message.contains("token_embd.weight"))
    }

    /// A layer count one above what the file holds must not take memory for the layers that are not there.
    @Test func oneLayerTooManyIsAMissingTensor() {
        #expect(refusal { try load(set: ["gemma3.block_count": .uint32(8)]) }.contains("blk.7.attn_norm.weight"))
    }
}
