internal import Foundation
internal import HearthGGUF

/// A model that is large enough to be slow with the portable kernels: something to interrupt. Its layers are zeros and
/// add nothing; its embedding makes one token, an ordinary piece of text, the likeliest after everything.
package enum SlowModel {
    /// Tests/Fixtures/gemma, for the vocabulary.
    private static let fixtures =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path + "/Fixtures/gemma"

    /// Writes the model: about 14 MB a layer.
    package static func write(to path: String, layers: Int = 4) throws {
        let source = try GGUFFile(path: "\(fixtures)/gemma3-q8_0.gguf")
        var builder = GGUFBuilder()
        for key in source.metadata.keys {
            if let value = source.metadata[key] { builder.set(key, value) }
        }
        let width = 1024, inner = 4096, heads = 8, head = 128
        for (key, value) in [
            ("context_length", 8192), ("embedding_length", width), ("block_count", layers),
            ("feed_forward_length", inner), ("attention.head_count", heads), ("attention.head_count_kv", 1),
            ("attention.key_length", head), ("attention.value_length", head),
        ] { builder.set("gemma3.\(key)", .uint32(UInt32(value))) }

        func matrix(_ name: String, _ columns: Int, _ rows: Int) throws {
            try builder.add(
                name + ".weight", .q8_0, shape: [columns, rows],
                bytes: [UInt8](repeating: 0, count: columns / 32 * 34 * rows))
        }
        func gain(_ name: String, _ count: Int) throws {
            try builder.add(name + ".weight", .f32, shape: [count], bytes: [UInt8](repeating: 0, count: count * 4))
        }
        let likeliest = 300
        var embedding: [UInt8] = []
        for token in 0..<512 {
            // A block of Q8_0: the scale 1 as float16, then 32 equal values.
            let block: [UInt8] = [0x00, 0x3C] + [UInt8](repeating: token == likeliest ? 2 : 1, count: 32)
            for _ in 0..<width / 32 { embedding += block }
        }
        try builder.add("token_embd.weight", .q8_0, shape: [width, 512], bytes: embedding)
        let ones = (0..<width).flatMap { _ in [0x00, 0x00, 0x80, 0x3F] as [UInt8] }
        try builder.add("output_norm.weight", .f32, shape: [width], bytes: ones)
        for layer in 0..<layers {
            let block = "blk.\(layer)."
            try matrix(block + "attn_q", width, heads * head)
            try matrix(block + "attn_k", width, head)
            try matrix(block + "attn_v", width, head)
            try matrix(block + "attn_output", heads * head, width)
            try matrix(block + "ffn_gate", width, inner)
            try matrix(block + "ffn_up", width, inner)
            try matrix(block + "ffn_down", inner, width)
            for name in ["attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"] {
                try gain(block + name, width)
            }
            for name in ["attn_q_norm", "attn_k_norm"] { try gain(block + name, head) }
        }
        try builder.write(to: path)
    }
}
