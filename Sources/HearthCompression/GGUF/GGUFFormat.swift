internal import CHearthCompression
package import HearthGGUF

/// Formats for quantized GGUF files.
public enum GGUFFormat: String, CaseIterable, Sendable {
    /// Blocks of 32 8-bit codes with a scale: 8.5 bits per weight.
    case q8_0
    /// Blocks of 32 4-bit codes with a scale: 4.5 bits per weight.
    case q4_0
    /// Blocks of 256 4-bit codes, with a scale and an offset for each 32: 4.5 bits per weight.
    case q4_K

    /// The tensor type.
    package var type: GGUFTensorType {
        switch self {
        case .q8_0: .q8_0
        case .q4_0: .q4_0
        case .q4_K: .q4_K
        }
    }

    /// `general.file_type` of a file whose tensors mostly have it: llama.cpp's numbers for Q8_0, Q4_0 and Q4_K_S.
    var fileType: UInt32 {
        switch self {
        case .q8_0: 7
        case .q4_0: 2
        case .q4_K: 14
        }
    }

    /// Whole blocks of `values`.
    func blocks(_ values: [Float]) -> [UInt8] {
        let bytes = values.count / type.blockElements * type.blockBytes
        return [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
            if let out = buffer.baseAddress {
                switch self {
                case .q8_0: hc_q8_0(values, values.count, out)
                case .q4_0: hc_q4_0(values, values.count, out)
                case .q4_K: hc_q4_k(values, values.count, out)
                }
            }
            count = bytes
        }
    }

    /// What blocks stand for.
    func values(_ blocks: [UInt8], count: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let out = buffer.baseAddress { _ = hc_block_values(blocks, count, type.rawValue, out) }
            initialized = count
        }
    }
}

/// Which tensors of a language model are quantized, and to what: llama.cpp's rules, as far as Hearth writes the formats.
///
/// Matrices whose name ends in `weight` are, except what normalises, routes experts or is a table of positions. A matrix
/// that makes the logits (`output.weight`, or the embedding where there is none) is worth more than its size: it takes q8_0
/// in a file of 4 bits, where llama.cpp takes q6_K. Rows that are no whole number of
/// blocks of 256 take q4_0 instead of q4_K; where 32 does not divide them they stay.
struct GGUFQuantizationRule {
    let format: GGUFFormat
    let hasOutput: Bool

    private static let kept = [
        "_norm.weight", "ffn_gate_inp.weight", "position_embd.weight", "token_types.weight", "altup", "laurel",
        "per_layer_model_proj", "rope_freqs.weight", "ssm_conv1d", "time_mix", "attn_rel_b.weight",
    ]

    /// The format for a tensor, or why it stays.
    func format(for tensor: GGUFTensor) -> Result<GGUFFormat, Reason> {
        guard [.f32, .f16, .bf16].contains(tensor.type) else {
            return .failure(Reason("it is quantized already (\(tensor.type.name))"))
        }
        guard tensor.shape.filter({ $0 > 1 }).count > 1 else { return .failure(Reason("it is a vector")) }
        guard tensor.name.hasSuffix("weight") else { return .failure(Reason("it is not a weight")) }
        if let kept = Self.kept.first(where: tensor.name.contains) {
            return .failure(Reason("tensors called \(kept) keep their precision"))
        }
        let isHead = tensor.name == "output.weight" || !hasOutput && tensor.name == "token_embd.weight"
        let wanted: GGUFFormat = isHead ? .q8_0 : format
        for candidate in [wanted, .q4_0] where tensor.shape[0] % candidate.type.blockElements == 0 {
            return .success(candidate)
        }
        return .failure(Reason("its rows of \(tensor.shape[0]) are not a whole number of blocks"))
    }

    /// Why a tensor is not compressed.
    struct Reason: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}
