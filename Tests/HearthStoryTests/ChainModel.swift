import Foundation
import HearthGGUF
import HearthStory
import HearthText
import HearthTokenizer
import Testing

/// A real model that says one text, whatever it is asked: each token makes the next one the likeliest.
///
/// Its layers are zeros and add nothing, so the logits after a token are the products of its embedding with all others.
/// Embedding i of the chain is 4^i (u_i + u_{i+1}), with unit vectors u: its product with the next one is 4 · 16^i, with
/// itself 2 · 16^i, with the one before less, and with all others 0.
enum ChainModel {
    private static let width = 64

    /// - Parameters:
    ///   - text: of tokens that are all different.
    ///   - storyFormat: what the file says of its stories; nil for nothing.
    static func write(
        _ text: String, for request: StoryRequest, storyFormat: UInt32? = nil, to path: String
    ) throws {
        let fixture = StorytellerTests.fixture("gemma3-q8_0.gguf")
        let model = try TextModel(path: fixture)
        let prompt = try Storyteller.opening(request)(model).tokens
        var chain = [try #require(prompt.last)] + model.tokenizer.encode(text)
        chain.append(try #require(model.tokenizer.vocabulary.id(of: "<end_of_turn>")))
        try #require(Set(chain).count == chain.count && chain.count < width)

        let source = try GGUFFile(path: fixture)
        var builder = GGUFBuilder()
        for key in source.metadata.keys {
            if let value = source.metadata[key] { builder.set(key, value) }
        }
        for (key, value) in [
            ("context_length", 8192), ("embedding_length", width), ("block_count", 1), ("feed_forward_length", width),
            ("attention.head_count", 1), ("attention.head_count_kv", 1), ("attention.key_length", width),
            ("attention.value_length", width),
        ] { builder.set("gemma3.\(key)", .uint32(UInt32(value))) }

        if let storyFormat { builder.set(TextModel.storyFormatKey, .uint32(storyFormat)) }

        func bytes(_ values: [Float]) -> [UInt8] {
            values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        }
        let square = [Float](repeating: 0, count: width * width)
        var embedding = [Float](repeating: 0, count: width * 512)
        for (index, token) in chain.enumerated() {
            embedding[Int(token) * width + index] = pow(4, Float(index))
            embedding[Int(token) * width + index + 1] = pow(4, Float(index))
        }
        try builder.add("token_embd.weight", .f32, shape: [width, 512], bytes: bytes(embedding))
        let ones = bytes([Float](repeating: 1, count: width))
        try builder.add("output_norm.weight", .f32, shape: [width], bytes: ones)
        for name in ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"] {
            try builder.add("blk.0.\(name).weight", .f32, shape: [width, width], bytes: bytes(square))
        }
        let norms = [
            "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm", "attn_q_norm", "attn_k_norm",
        ]
        for name in norms { try builder.add("blk.0.\(name).weight", .f32, shape: [width], bytes: ones) }
        try builder.write(to: path)
    }
}
