/// The type of a tensor's elements in an ML Program. Numbers and names are those of Core ML's `DataType`.
package enum MILDataType: Int, CaseIterable, Sendable, Codable {
    case bool = 1
    case string = 2
    case float16 = 10
    case float32 = 11
    case float64 = 12
    case bfloat16 = 13
    case int8 = 21
    case int16 = 22
    case int32 = 23
    case int64 = 24
    case int4 = 25
    case uint8 = 31
    case uint16 = 32
    case uint32 = 33
    case uint64 = 34
    case uint4 = 35
    case uint2 = 36
    case uint1 = 37
    case uint6 = 38
    case uint3 = 39
    case float8E4M3FN = 40
    case float8E5M2 = 41

    /// Short name, such as `fp16`.
    package var name: String {
        switch self {
        case .float16: "fp16"
        case .float32: "fp32"
        case .float64: "fp64"
        case .bfloat16: "bf16"
        case .float8E4M3FN: "fp8e4m3fn"
        case .float8E5M2: "fp8e5m2"
        default: "\(self)"
        }
    }

    /// Bits of an element where elements are packed without gaps; 0 for texts, which have no fixed width.
    package var bits: Int {
        switch self {
        case .string: 0
        case .uint1: 1
        case .uint2: 2
        case .uint3: 3
        case .int4, .uint4: 4
        case .uint6: 6
        case .bool, .int8, .uint8, .float8E4M3FN, .float8E5M2: 8
        case .float16, .bfloat16, .int16, .uint16: 16
        case .float32, .int32, .uint32: 32
        case .float64, .int64, .uint64: 64
        }
    }

    /// Whether elements are floating-point numbers.
    package var isFloat: Bool {
        switch self {
        case .float16, .float32, .float64, .bfloat16, .float8E4M3FN, .float8E5M2: true
        default: false
        }
    }

    /// Whether elements are integers below zero too.
    package var isSigned: Bool {
        switch self {
        case .int4, .int8, .int16, .int32, .int64: true
        default: false
        }
    }

    /// Whether elements are integers; booleans are not.
    package var isInteger: Bool { !isFloat && self != .bool && self != .string }

    /// Bytes that `count` packed elements take; nil where that does not fit.
    package func byteCount(_ count: Int) -> Int? {
        guard count >= 0 else { return nil }
        let (total, overflow) = count.multipliedReportingOverflow(by: bits)
        return overflow || total > Int.max - 7 ? nil : (total + 7) / 8
    }
}
