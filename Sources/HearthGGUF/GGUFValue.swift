import HearthSystem

/// A metadata value.
///
/// In strings, invalid UTF-8 is replaced by U+FFFD; `GGUFMetadata.bytes(_:)` returns the original bytes. Arrays are ranges of
/// the mapped file, and are copied only on access.
package enum GGUFValue: Sendable {
    case uint8(UInt8)
    case int8(Int8)
    case uint16(UInt16)
    case int16(Int16)
    case uint32(UInt32)
    case int32(Int32)
    case uint64(UInt64)
    case int64(Int64)
    case float32(Float)
    case float64(Double)
    case bool(Bool)
    case string(String)
    case array(GGUFArray)

    /// The type in the file.
    package var type: GGUFValueType {
        switch self {
        case .uint8: .uint8
        case .int8: .int8
        case .uint16: .uint16
        case .int16: .int16
        case .uint32: .uint32
        case .int32: .int32
        case .uint64: .uint64
        case .int64: .int64
        case .float32: .float32
        case .float64: .float64
        case .bool: .bool
        case .string: .string
        case .array: .array
        }
    }
}

extension GGUFValue {
    /// Decodes the value of `type` in `range`, which the parser has validated.
    init(_ type: GGUFValueType, _ range: ByteRange) {
        switch type {
        case .uint8: self = .uint8(range.integer(UInt8.self))
        case .int8: self = .int8(range.integer(Int8.self))
        case .uint16: self = .uint16(range.integer(UInt16.self))
        case .int16: self = .int16(range.integer(Int16.self))
        case .uint32: self = .uint32(range.integer(UInt32.self))
        case .int32: self = .int32(range.integer(Int32.self))
        case .uint64: self = .uint64(range.integer(UInt64.self))
        case .int64: self = .int64(range.integer(Int64.self))
        case .float32: self = .float32(Float(bitPattern: range.integer(UInt32.self)))
        case .float64: self = .float64(Double(bitPattern: range.integer(UInt64.self)))
        case .bool: self = .bool(range.integer(UInt8.self) != 0)
        case .string: self = .string(range.stringContent.repairedText)
        case .array: self = .array(GGUFArray(encoded: range))
        }
    }

    /// The value as encoded in a file, after its type.
    package var encoded: [UInt8] {
        switch self {
        case .uint8(let value): value.littleEndianBytes
        case .int8(let value): value.littleEndianBytes
        case .uint16(let value): value.littleEndianBytes
        case .int16(let value): value.littleEndianBytes
        case .uint32(let value): value.littleEndianBytes
        case .int32(let value): value.littleEndianBytes
        case .uint64(let value): value.littleEndianBytes
        case .int64(let value): value.littleEndianBytes
        case .float32(let value): value.bitPattern.littleEndianBytes
        case .float64(let value): value.bitPattern.littleEndianBytes
        case .bool(let value): [value ? 1 : 0]
        case .string(let value): UInt64(value.utf8.count).littleEndianBytes + Array(value.utf8)
        case .array(let value): value.encoded
        }
    }
}

/// The type of a metadata value, or of an array's elements.
package enum GGUFValueType: UInt32, CaseIterable, Sendable {
    case uint8 = 0
    case int8 = 1
    case uint16 = 2
    case int16 = 3
    case uint32 = 4
    case int32 = 5
    case float32 = 6
    case bool = 7
    case string = 8
    case array = 9
    case uint64 = 10
    case int64 = 11
    case float64 = 12

    /// The name in the specification, such as `UINT8`.
    package var name: String { String(describing: self).uppercased() }

    /// Size of a value in bytes; nil for types of variable size.
    var fixedSize: Int? {
        switch self {
        case .uint8, .int8, .bool: 1
        case .uint16, .int16: 2
        case .uint32, .int32, .float32: 4
        case .uint64, .int64, .float64: 8
        case .string, .array: nil
        }
    }

    /// Minimum size of a value in bytes: the length of a string; type and count of an array.
    var smallestSize: Int { fixedSize ?? (self == .string ? 8 : 12) }
}

extension ByteRange {
    /// The bytes of a string without its length.
    var stringContent: ByteRange { ByteRange(file: file, offset: offset + 8, count: count - 8) }
}
