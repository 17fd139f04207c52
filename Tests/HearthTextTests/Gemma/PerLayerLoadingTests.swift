import Foundation
import HearthCompute
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Files of Gemma 3n and 4 whose hyper-parameters or tensors are not those of a model that could run, and those that are,
/// however oddly they are written.
@Suite(.timeLimit(.minutes(20))) struct PerLayerLoadingTests {
    static let gemma3n = "gemma3n-q8_0.gguf"
    static let gemma4 = "gemma4-q4_0.gguf"

    private static func integers(_ values: [Int32]) -> GGUFValue { .array(GGUFArray(values)) }
    private static func floats(_ values: [Float]) -> GGUFValue { .array(GGUFArray(values)) }

    static let impossible: [(key: String, value: GGUFValue)] = [
        // All layers shared, more than all, fewer than none; and layers without one of their kind in front of them.
        ("gemma4.attention.shared_kv_layers", .uint32(9)), ("gemma4.attention.shared_kv_layers", .uint32(10)),
        ("gemma4.attention.shared_kv_layers", .int32(-1)), ("gemma4.attention.shared_kv_layers", .uint32(8)),
        ("gemma4.attention.shared_kv_layers", .float32(2.5)), ("gemma4.attention.shared_kv_layers", .float32(.nan)),
        ("gemma4.attention.key_length", .uint32(31)), ("gemma4.attention.key_length_swa", .uint32(0)),
        ("gemma4.attention.key_length_swa", .uint32(17)), ("gemma4.attention.key_length_swa", .uint32(1 << 20)),
        ("gemma4.attention.value_length_swa", .uint32(8)), ("gemma4.attention.value_length", .uint32(16)),
        ("gemma4.embedding_length_per_layer_input", .uint32(4097)),
        ("gemma4.embedding_length_per_layer_input", .int32(-32)),
        ("gemma4.embedding_length_per_layer_input", .string("32")), ("gemma4.expert_count", .uint32(8)),
        ("gemma4.feed_forward_length", integers([96, 96, 96])),
        ("gemma4.feed_forward_length", integers([96, 96, 96, 96, 0, 96, 192, 192, 192])),
        ("gemma4.feed_forward_length", floats([Float](repeating: 96, count: 9))),
        ("gemma4.attention.head_count_kv", integers([1, 1])),
        ("gemma4.attention.head_count_kv", integers([1, 1, 3, 1, 1, 1, 1, 1, 1])),
        ("gemma4.attention.sliding_window_pattern", integers([1, 1, 0])),
        ("gemma4.attention.sliding_window_pattern", .uint32(0)), ("gemma4.attention.sliding_window", .int32(-1)),
        ("gemma4.final_logit_softcapping", .float32(-1)), ("gemma4.rope.freq_base_swa", .float32(0)),
        ("gemma3n.altup.num_inputs", .uint32(0)), ("gemma3n.altup.num_inputs", .uint32(1)),
        ("gemma3n.altup.num_inputs", .uint32(17)), ("gemma3n.altup.active_idx", .uint32(4)),
        ("gemma3n.altup.active_idx", .int32(-1)), ("gemma3n.embedding_length_per_layer_input", .uint32(0)),
        ("gemma3n.activation_sparsity_scale", floats([1.6, 1.6])),
        ("gemma3n.activation_sparsity_scale", floats([Float](repeating: 1e9, count: 8))),
        ("gemma3n.activation_sparsity_scale", .string("none")), ("gemma3n.attention.shared_kv_layers", .uint32(8)),
    ]

    @Test(arguments: impossible.indices)
    func impossibleHyperparametersAreNamed(index: Int) {
        let (key, value) = Self.impossible[index]
        let message = GemmaFixtures.refusal {
            try GemmaFixtures.variant(of: key.hasPrefix("gemma4") ? Self.gemma4 : Self.gemma3n, set: [key: value])
        }
        #expect(message.contains(key) && message.contains(".gguf"), "\(message)")
    }

    /// Counts that fit themselves and not the tensors.
    @Test(arguments: [
        ("gemma4.embedding_length_per_layer_input", 16, "per_layer_token_embd.weight"),
        ("gemma3n.embedding_length_per_layer_input", 64, "per_layer_token_embd.weight"),
        ("gemma3n.altup.num_inputs", 3, "altup_proj.weight"), ("gemma3n.block_count", 512, "gemma3n."),
        ("gemma4.attention.key_length", 64, "gemma4.rope.dimension_count"),
        ("gemma4.embedding_length", 32, "token_embd.weight"),
        ("gemma4.attention.key_length_swa", 32, "gemma4."), ("gemma4.attention.shared_kv_layers", 2, "accepted"),
    ])
    func countsThatContradictTensorsAreNamed(key: String, value: UInt32, name: String) {
        let message = GemmaFixtures.refusal {
            try GemmaFixtures.variant(
                of: key.hasPrefix("gemma4") ? Self.gemma4 : Self.gemma3n, set: [key: .uint32(value)])
        }
        #expect(message.contains(name), "\(message)")
    }

    @Test(arguments: [
        (gemma4, "per_layer_token_embd"), (gemma4, "per_layer_model_proj"), (gemma4, "per_layer_proj_norm"),
        (gemma4, "blk.0.inp_gate"), (gemma4, "blk.3.proj"), (gemma4, "blk.8.post_norm"), (gemma4, "blk.5.attn_k"),
        (gemma4, "blk.7.attn_q_norm"), (gemma3n, "altup_proj"), (gemma3n, "altup_unembd_proj"),
        (gemma3n, "blk.0.altup_router"), (gemma3n, "blk.7.altup_correct_scale"), (gemma3n, "blk.2.laurel_l"),
        (gemma3n, "blk.2.laurel_post_norm"), (gemma3n, "blk.1.attn_v"),
    ])
    func missingAndMisshapenTensorsAreNamed(source: String, name: String) {
        let name = name + ".weight"
        let missing = GemmaFixtures.refusal {
            try GemmaFixtures.variant(of: source) { $0.name == name ? nil : ($0.type, $0.shape) }
        }
        #expect(missing.contains(name), "\(missing)")
        let misshapen = GemmaFixtures.refusal {
            try GemmaFixtures.variant(of: source) {
                $0.name == name ? (.f32, [$0.shape[0] + 1, 3]) : ($0.type, $0.shape)
            }
        }
        #expect(misshapen.contains(name), "\(misshapen)")
    }

    @Test(arguments: [Float.nan, 0, -1])
    func rotaryDivisorsThatAreNoneAreNamed(value: Float) throws {
        let divisors = [Float](repeating: 1, count: 15) + [value]
        let message = GemmaFixtures.refusal {
            try GemmaFixtures.variant(of: Self.gemma4, bytes: ["rope_freqs.weight": divisors.flatMap(littleEndian)])
        }
        #expect(message.contains("rope_freqs.weight") && message.contains("15"), "\(message)")
    }

    // MARK: - The same model, written in another way

    private let text = GemmaFixtures.prompt(40)

    private func logits(_ model: TextModel, _ tokens: [TokenID]? = nil) throws -> [Float] {
        let session = try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.form(nil),
            threads: 1, context: 64)
        return try session.logits(after: (tokens ?? text)[...]).row(0)
    }

    private func plain(_ source: String) throws -> TextModel { try TextModel(path: GemmaFixtures.path(source)) }

    @Test func whatAFileMayLeaveOutOrWriteDifferently() throws {
        let model = try plain(Self.gemma4)
        let expected = try logits(model)
        // Older files have a float here.
        let float = try GemmaFixtures.variant(of: Self.gemma4, set: ["gemma4.attention.shared_kv_layers": .float32(3)])
        #expect(float.configuration == model.configuration)
        // What layers that read other layers' keys and values still bring.
        let withoutDead = try GemmaFixtures.variant(of: Self.gemma4) { tensor in
            let isDead = (6...8).contains { tensor.name.hasPrefix("blk.\($0).attn_k") }
            return isDead || tensor.name.hasPrefix("blk.7.attn_v") ? nil : (tensor.type, tensor.shape)
        }
        #expect(try logits(withoutDead) == expected)
        // A quarter of the pairs is rotated where no divisors say which.
        let withoutDivisors = try GemmaFixtures.variant(of: Self.gemma4) {
            $0.name == "rope_freqs.weight" ? nil : ($0.type, $0.shape)
        }
        #expect(try logits(withoutDivisors) == expected)
        let others = [String: GGUFValue](
            uniqueKeysWithValues: ["final_logit_softcapping", "rope.freq_base", "rope.freq_base_swa"].map {
                ("gemma4." + $0, .float32($0.hasSuffix("swa") ? 10000 : $0.hasPrefix("rope") ? 1e6 : 30))
            })
        for key in others.keys {
            #expect(
                try GemmaFixtures.variant(of: Self.gemma4, remove: [key]).configuration == model.configuration, "\(key)"
            )
        }
        let flags = model.configuration.layers.map { Int32($0.window == nil ? 0 : 1) }
        let pattern = ["gemma4.attention.sliding_window_pattern": Self.integers(flags)]
        #expect(try GemmaFixtures.variant(of: Self.gemma4, set: pattern).configuration == model.configuration)

        let old = try plain(Self.gemma3n)
        let defaults = ["altup.num_inputs", "altup.active_idx", "final_logit_softcapping"].map { "gemma3n." + $0 }
        #expect(try GemmaFixtures.variant(of: Self.gemma3n, remove: defaults).configuration == old.configuration)
    }

    /// Values are the keys before their norm where a layer has none: as if both matrices were the same.
    @Test func layersWithoutValuesTakeTheirKeys() throws {
        let names = ["blk.2.attn_v.weight", "blk.5.attn_v.weight"]
        var bytes: [String: [UInt8]] = [:]
        for name in names {
            bytes[name] = try GemmaFixtures.bytes(
                of: name.replacingOccurrences(of: "attn_v", with: "attn_k"), in: Self.gemma4)
        }
        let doubled = try GemmaFixtures.variant(of: Self.gemma4, bytes: bytes)
        let without = try GemmaFixtures.variant(of: Self.gemma4) {
            names.contains($0.name) ? nil : ($0.type, $0.shape)
        }
        #expect(try logits(without) == logits(doubled))
        #expect(try logits(without) != logits(plain(Self.gemma4)))
    }

    /// Tokens beyond the table of per-layer embeddings take its first row.
    @Test(arguments: [gemma3n, gemma4])
    func tokensBeyondTheTableTakeItsFirstRow(source: String) throws {
        let name = "per_layer_token_embd.weight"
        let all = try GemmaFixtures.bytes(of: name, in: source)
        let row = all.count / 512
        let short = try GemmaFixtures.variant(of: source, bytes: [name: Array(all[..<(300 * row)])]) {
            $0.name == name ? ($0.type, [$0.shape[0], 300]) : ($0.type, $0.shape)
        }
        var replaced = all
        for token in 300..<512 { replaced.replaceSubrange(token * row..<(token + 1) * row, with: all[..<row]) }
        let whole = try GemmaFixtures.variant(of: source, bytes: [name: replaced])
        #expect(try logits(short) == logits(whole))
        #expect(try logits(short) != logits(plain(source)))
        #expect(try logits(short, [2, 7, 299]) == logits(plain(source), [2, 7, 299]))
    }

    // MARK: - Mutations

    /// Whatever the numbers in the metadata are, loading ends with a model or an error, and such a model computes.
    @Test(arguments: [gemma3n, gemma4, "gemma3-q4_0.gguf"])
    func mutatedMetadataNeverCrashes(source: String) throws {
        let file = try GGUFFile(path: GemmaFixtures.path(source))
        let architecture = try #require(try file.metadata.string("general.architecture"))
        let keys = file.metadata.keys.filter { $0.hasPrefix(architecture + ".") }
        var random = Xoshiro256(seed: 17)
        var loaded = 0
        for _ in 0..<120 {
            var changes: [String: GGUFValue] = [:]
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                guard let key = keys.randomElement(using: &random) else { continue }
                changes[key] = Self.randomValue(&random)
            }
            guard let model = try? GemmaFixtures.variant(of: source, set: changes) else { continue }
            loaded += 1
            let values = try logits(model, Array(text.prefix(model.configuration.contextLength)))
            #expect(values.count == 512, "\(changes)")
        }
        #expect(loaded > 0)
    }

    private static func randomValue(_ random: inout Xoshiro256) -> GGUFValue {
        let small = UInt32.random(in: 0...70, using: &random)
        return switch UInt32.random(in: 0...9, using: &random) {
        case 0: .uint32(small)
        case 1: .int32(-Int32(small))
        case 2: .uint64(UInt64.max - UInt64(small))
        case 3: .uint32(1 << UInt32.random(in: 0...31, using: &random))
        case 4: .float32(Float(small))
        case 5: .float32([.nan, .infinity, -.infinity, -1, 1e-30, 3e38][Int(small) % 6])
        case 6: .string("\(small)")
        case 7: integers((0..<[3, 8, 9][Int(small) % 3]).map { _ in Int32.random(in: -2...70, using: &random) })
        case 8: floats((0..<[3, 8, 9][Int(small) % 3]).map { _ in Float.random(in: -2...3, using: &random) })
        default: .bool(small % 2 == 0)
        }
    }
}

private func littleEndian(_ value: Float) -> [UInt8] {
    withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
}
