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
    case q2_K = 10
    case q3_K = 11
    case q4_K = 12
    case q5_K = 13
    case q6_K = 14
    case iq2_XXS = 16
    case iq2_XS = 17
    case iq3_XXS = 18
    case iq1_S = 19
    case iq4_NL = 20
    case iq3_S = 21
    case iq2_S = 22
    case iq4_XS = 23
    case iq1_M = 29
    case bf16 = 30
    case tq1_0 = 34
    case tq2_0 = 35
    case mxfp4 = 39
    case nvfp4 = 40

    /// Values per block; a row is a whole number of blocks.
    package var blockElements: Int {
        switch self {
        case .f32, .f16, .bf16: 1
        case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .iq4_NL, .mxfp4: 32
        case .nvfp4: 64
        case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K, .iq1_S, .iq1_M, .iq2_XXS, .iq2_XS, .iq2_S, .iq3_XXS, .iq3_S, .iq4_XS,
            .tq1_0, .tq2_0:
            256
        }
    }

    /// Bytes per block.
    package var blockBytes: Int {
        switch self {
        case .f32: 4
        case .f16, .bf16: 2
        case .mxfp4: 17
        case .q4_0, .iq4_NL: 18
        case .q4_1: 20
        case .q5_0: 22
        case .q5_1: 24
        case .q8_0: 34
        case .nvfp4: 36
        case .iq1_S: 50
        case .tq1_0: 54
        case .iq1_M: 56
        case .iq2_XXS, .tq2_0: 66
        case .iq2_XS: 74
        case .iq2_S: 82
        case .q2_K: 84
        case .iq3_XXS: 98
        case .q3_K, .iq3_S: 110
        case .iq4_XS: 136
        case .q4_K: 144
        case .q5_K: 176
        case .q6_K: 210
        }
    }

    /// Whether inputs are quantized to 16-bit integers before the multiplication.
    var isQuantized: Bool { blockElements > 1 }

    var kernelFormat: hk_format { hk_format(rawValue) }
}
