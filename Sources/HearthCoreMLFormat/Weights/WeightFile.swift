package import HearthSystem

/// A file of weights, mapped: records of 64 bytes, each before its data, at multiples of 64.
///
/// The file says nothing about shapes; a record is found by the offset that the program gives.
package struct WeightFile: Sendable {
    /// The map.
    package let file: MappedFile
    /// How many records the header claims.
    package let claimedCount: Int

    /// Bytes of the header and of each record; also what records are aligned to.
    static let unit = 64
    static let version: UInt32 = 2
    static let sentinel: UInt32 = 0xDEAD_BEEF

    init(_ file: MappedFile) throws(FileError) {
        guard file.count >= Self.unit else {
            throw .truncated(.init(file: file.path, field: "header"), needed: Self.unit, available: file.count)
        }
        let header = ByteRange(file)
        let version = header.integer(UInt32.self, at: 4)
        guard version == Self.version else {
            throw .unsupported(
                .init(file: file.path, field: "header.version"), what: "version \(version) of a weight file")
        }
        self.file = file
        claimedCount = Int(header.integer(UInt32.self))
    }

    /// The record at `offset`, checked against the file.
    func record(at offset: UInt64) throws(WireFault) -> WeightRecord {
        guard offset % UInt64(Self.unit) == 0 else {
            throw WireFault("offset") { .misaligned($0, offset: offset, alignment: Self.unit) }
        }
        let size = file.count
        guard offset >= UInt64(Self.unit), offset <= UInt64(size), UInt64(size) - offset >= UInt64(Self.unit) else {
            throw WireFault("offset") {
                .tensorBeyondFile($0, offset: offset, byteCount: Self.unit, available: size)
            }
        }
        let start = Int(offset)
        let record = ByteRange(file: file, offset: start, count: Self.unit)
        let sentinel = record.integer(UInt32.self)
        guard sentinel == Self.sentinel else {
            throw .malformed("offset", "there is no record of weights at \(offset): its sentinel is \(sentinel)")
        }
        let number = record.integer(UInt32.self, at: 4)
        guard let type = WeightDataType(rawValue: number) else {
            throw WireFault("offset") { .unsupported($0, what: "the weight type \(number)") }
        }
        let (byteCount, dataOffset) = (record.integer(UInt64.self, at: 8), record.integer(UInt64.self, at: 16))
        guard dataOffset == offset + UInt64(Self.unit) else {
            throw .malformed(
                "offset", "the data of the record at \(offset) begins at \(dataOffset), not right after it")
        }
        guard byteCount <= UInt64(size - start - Self.unit) else {
            throw WireFault("offset") {
                .tensorBeyondFile(
                    $0, offset: dataOffset, byteCount: Int(clamping: byteCount), available: size - start - Self.unit)
            }
        }
        return WeightRecord(
            offset: start, type: type,
            data: ByteRange(file: file, offset: start + Self.unit, count: Int(byteCount)),
            unusedBits: record.integer(UInt64.self, at: 24))
    }
}

/// A record of a weight file: the type and place of data.
struct WeightRecord: Sendable {
    let offset: Int
    let type: WeightDataType
    let data: ByteRange
    /// Bits at the end of the last byte that belong to no element.
    let unusedBits: UInt64

    /// Where the data ends.
    var end: Int { data.offset + data.count }

    /// Fails unless the record holds `count` elements of `type`.
    func check(_ type: MILDataType, count: Int) throws(WireFault) {
        guard self.type.dataType == type else {
            throw .wrongType("type", expected: type.name, found: self.type.dataType.name)
        }
        guard let needed = type.byteCount(count), needed == data.count else {
            throw .malformed("size", "\(data.count) bytes are not \(count) elements of \(type.name)")
        }
        let unused = type.bits < 8 ? UInt64(needed * 8 - count * type.bits) : 0
        guard unusedBits == unused || type.bits >= 8 else {
            throw .malformed("size", "\(unusedBits) unused bits are claimed, and there are \(unused)")
        }
    }
}

/// The types of a weight file, which have numbers of their own.
package enum WeightDataType: UInt32, CaseIterable, Sendable {
    case float16 = 1
    case float32 = 2
    case uint8 = 3
    case int8 = 4
    case bfloat16 = 5
    case int16 = 6
    case uint16 = 7
    case int4 = 8
    case uint1 = 9
    case uint2 = 10
    case uint4 = 11
    case uint3 = 12
    case uint6 = 13
    case int32 = 14
    case uint32 = 15
    case float8E4M3FN = 16
    case float8E5M2 = 17

    /// The same type in a program.
    package var dataType: MILDataType {
        switch self {
        case .float16: .float16
        case .float32: .float32
        case .uint8: .uint8
        case .int8: .int8
        case .bfloat16: .bfloat16
        case .int16: .int16
        case .uint16: .uint16
        case .int4: .int4
        case .uint1: .uint1
        case .uint2: .uint2
        case .uint4: .uint4
        case .uint3: .uint3
        case .uint6: .uint6
        case .int32: .int32
        case .uint32: .uint32
        case .float8E4M3FN: .float8E4M3FN
        case .float8E5M2: .float8E5M2
        }
    }

    /// The type that holds elements of `type`; nil for types that stand in programs only.
    package init?(_ type: MILDataType) {
        guard let match = Self.allCases.first(where: { $0.dataType == type }) else { return nil }
        self = match
    }
}
