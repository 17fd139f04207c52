internal import CHearthKernels

/// Storage formats of weights that the kernels read in place. Raw values are GGUF's type ids.
package enum TensorFormat: UInt32, CaseIterable, Sendable {
    case f32 = 0
    case f16 = 1
    case q4_0 = 2
    case q4_1 = 3
    case q5_0 = 6
    case q5_1 = 7
    case q8_0 = 8
    case q4_K = 12
    case q5_K = 13
    case q6_K = 14
    case bf16 = 30

    /// Values in one block; a row is a whole number of blocks.
    package var blockElements: Int {
        switch self {
        case .f32, .f16, .bf16: 1
        case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0: 32
        case .q4_K, .q5_K, .q6_K: 256
        }
    }

    /// Bytes of one block.
    package var blockBytes: Int {
        switch self {
        case .f32: 4
        case .f16, .bf16: 2
        case .q4_0: 18
        case .q4_1: 20
        case .q5_0: 22
        case .q5_1: 24
        case .q8_0: 34
        case .q4_K: 144
        case .q5_K: 176
        case .q6_K: 210
        }
    }

    /// Whether inputs are rounded to 16-bit integers before they are multiplied.
    var isQuantized: Bool { blockElements > 1 }

    var kernelFormat: hk_format { hk_format(rawValue) }
}
