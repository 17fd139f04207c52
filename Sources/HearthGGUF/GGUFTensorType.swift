/// The storage format of a tensor: the specification's `ggml_type`.
///
/// Values are stored in blocks of `blockElements` values and `blockBytes` bytes; a row is a whole number of blocks. The sizes
/// are those of the block structures in ggml's `ggml-common.h`.
package enum GGUFTensorType: UInt32, CaseIterable, Sendable {
    case f32 = 0
    case f16 = 1
    case q4_0 = 2
    case q4_1 = 3
    case q5_0 = 6
    case q5_1 = 7
    case q8_0 = 8
    case q8_1 = 9
    case q2_K = 10
    case q3_K = 11
    case q4_K = 12
    case q5_K = 13
    case q6_K = 14
    case q8_K = 15
    case iq2_XXS = 16
    case iq2_XS = 17
    case iq3_XXS = 18
    case iq1_S = 19
    case iq4_NL = 20
    case iq3_S = 21
    case iq2_S = 22
    case iq4_XS = 23
    case i8 = 24
    case i16 = 25
    case i32 = 26
    case i64 = 27
    case f64 = 28
    case iq1_M = 29
    case bf16 = 30
    case tq1_0 = 34
    case tq2_0 = 35
    case mxfp4 = 39
    case nvfp4 = 40
    case q1_0 = 41

    /// Values per block.
    package var blockElements: Int { layout.elements }

    /// Bytes per block.
    package var blockBytes: Int { layout.bytes }

    /// The usual name, such as `Q4_0`.
    package var name: String { String(describing: self).uppercased() }

    /// Size in bytes of a tensor of `shape` (fastest-varying dimension first); nil if a dimension is not positive, if rows are
    /// not whole blocks, or if the number of values or bytes overflows.
    package func byteCount(shape: [Int]) -> Int? {
        guard let row = shape.first, shape.allSatisfy({ $0 > 0 }), row % blockElements == 0 else { return nil }
        var elements = 1
        for size in shape {
            let (product, overflow) = elements.multipliedReportingOverflow(by: size)
            if overflow { return nil }
            elements = product
        }
        let (bytes, overflow) = (elements / blockElements).multipliedReportingOverflow(by: blockBytes)
        return overflow ? nil : bytes
    }

    private var layout: (elements: Int, bytes: Int) {
        switch self {
        case .f32, .i32: (1, 4)
        case .f16, .bf16, .i16: (1, 2)
        case .i8: (1, 1)
        case .i64, .f64: (1, 8)
        case .q4_0, .iq4_NL: (32, 18)
        case .q4_1: (32, 20)
        case .q5_0: (32, 22)
        case .q5_1: (32, 24)
        case .q8_0: (32, 34)
        case .q8_1: (32, 36)
        case .mxfp4: (32, 17)
        case .nvfp4: (64, 36)
        case .q1_0: (128, 18)
        case .q2_K: (256, 84)
        case .q3_K: (256, 110)
        case .q4_K: (256, 144)
        case .q5_K: (256, 176)
        case .q6_K: (256, 210)
        case .q8_K: (256, 292)
        case .iq2_XXS, .tq2_0: (256, 66)
        case .iq2_XS: (256, 74)
        case .iq3_XXS: (256, 98)
        case .iq1_S: (256, 50)
        case .iq3_S: (256, 110)
        case .iq2_S: (256, 82)
        case .iq4_XS: (256, 136)
        case .iq1_M: (256, 56)
        case .tq1_0: (256, 54)
        }
    }
}
