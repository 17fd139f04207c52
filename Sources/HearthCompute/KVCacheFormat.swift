package import CHearthKernels

/// How a cache keeps keys and values.
public enum KVCacheFormat: String, Sendable, CaseIterable, Codable {
    /// As they are computed.
    case float32
    /// Half precision: half the memory, and an error below what quantized weights bring. What is finite stays so.
    case float16
    /// Signed bytes in blocks of 32 values of one head with a scale in half precision (GGUF's Q8_0): 34 bytes a block, a quarter
    /// of the memory.
    case int8

    /// Bytes of `width` values, the keys or the values of one head at one position.
    package func bytes(ofHead width: Int) -> Int {
        switch self {
        case .float32: 4 * width
        case .float16: 2 * width
        case .int8: (width + 31) / 32 * 34
        }
    }

    package var kernelFormat: hk_format {
        switch self {
        case .float32: HK_F32
        case .float16: HK_F16
        case .int8: HK_Q8_0
        }
    }
}
