package import CHearthKernels

/// The number format of keys and values in the KV cache.
public enum KVCacheFormat: String, Sendable, CaseIterable, Codable {
    /// Single precision, as computed.
    case float32
    /// Half precision: half the memory, with an error below that of quantized weights.
    case float16
    /// Signed bytes in blocks of 32 values of one head, each with a half-precision scale (GGUF's Q8_0): 34 bytes per block,
    /// about a quarter of the memory.
    case int8
    /// Four bits in blocks of 32 values of one head, each with a half-precision scale (GGUF's Q4_0): 18 bytes per block, about
    /// an eighth of the memory. Keys and values are rotated by a Hadamard matrix first, so that no value stands out.
    case int4

    /// Whether keys, queries and values are rotated, and the result of an attention back.
    package var isRotated: Bool { self == .int4 }

    /// Size in bytes of `width` values: the keys or the values of one head at one position.
    package func bytes(ofHead width: Int) -> Int {
        switch self {
        case .float32: 4 * width
        case .float16: 2 * width
        case .int8: (width + 31) / 32 * 34
        case .int4: (width + 31) / 32 * 18
        }
    }

    package var kernelFormat: hk_format {
        switch self {
        case .float32: HK_F32
        case .float16: HK_F16
        case .int8: HK_Q8_0
        case .int4: HK_Q4_0
        }
    }
}
