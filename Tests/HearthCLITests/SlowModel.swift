import Foundation
import HearthFormats

/// A model that is large enough to be slow with the portable kernels: something to interrupt. Its layers are zeros,
/// and its embedding makes every token equally likely but those in angle brackets, so it never ends its turn.
enum SlowModel {
    static func write(to path: String) throws {
        let source = try GGUFFile(path: HearthProcess.fixture("gemma3-q8_0.gguf"))
        var builder = GGUFBuilder()
        for key in source.metadata.keys {
            if let value = source.metadata[key] { builder.set(key, value) }
        }
        let width = 1024, inner = 4096, heads = 8, head = 128, layers = 4
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
        var embedding: [UInt8] = []
        let pieces = try source.metadata.strings("tokenizer.ggml.tokens")
        for token in 0..<(pieces?.count ?? 0) {
            // Blocks of a float16 scale (1/16) and 32 equal signed bytes.
            let value: Int8 = pieces?.string(at: token)?.hasPrefix("<") == true ? -1 : 1
            let block = [0x00, 0x2C] + [UInt8](repeating: UInt8(bitPattern: value), count: 32)
            for _ in 0..<width / 32 { embedding += block }
        }
        try builder.add("token_embd.weight", .q8_0, shape: [width, pieces?.count ?? 0], bytes: embedding)
        let ones = [Float](repeating: 1, count: width).flatMap { value in
            withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init)
        }
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
