package import HearthSystem

/// A constant tensor, its elements where they lie: in a weight file, in the program, or made by the program.
package struct MILTensor: Sendable {
    /// The type of elements.
    package let type: MILDataType
    /// The dimensions, slowest first; empty for a scalar.
    package let shape: [Int]
    /// Number of elements.
    package let count: Int
    let storage: Storage

    enum Storage: Sendable {
        case floats(WireNumbers)
        case integers(WireNumbers)
        case strings([String])
        /// Little-endian and without gaps, narrow elements from the lowest bit.
        case bytes(ByteRange)
    }

    /// Bytes that the elements take where they lie.
    package var byteCount: Int {
        switch storage {
        case .floats(let numbers), .integers(let numbers): numbers.pieces.reduce(0) { $0 + $1.count }
        case .strings(let strings): strings.reduce(0) { $0 + $1.utf8.count }
        case .bytes(let range): range.count
        }
    }

    /// The elements as floats, integers and truth values too; nil for texts. fp64 and wide integers are rounded.
    package func floats() -> [Float]? {
        switch storage {
        case .floats(let numbers):
            if numbers.encoding == .fixed64 { return numbers.map { Float(Double(bitPattern: $0)) } }
            return numbers.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
        case .integers(let numbers):
            return type == .uint64 ? numbers.map { Float($0) } : numbers.map { Float(Int64(bitPattern: $0)) }
        case .strings: return nil
        case .bytes(let range): return range.withBytes { ElementDecoder.floats($0, type, count) }
        }
    }

    /// The elements as integers; nil for texts and floating-point numbers. uint64 beyond Int.max becomes Int.max.
    package func integers() -> [Int]? {
        switch storage {
        case .integers(let numbers):
            return type == .uint64 ? numbers.map { Int(clamping: $0) } : numbers.integers
        case .floats, .strings: return nil
        case .bytes(let range):
            guard !type.isFloat else { return nil }
            return range.withBytes { ElementDecoder.integers($0, type, count) }
        }
    }

    /// The elements, where they are texts.
    package func strings() -> [String]? {
        if case .strings(let strings) = storage { strings } else { nil }
    }

    /// The elements in place as values of the memory layout `T`, which has to be that of `type`; nil where they are
    /// not stored that way, or not aligned for it.
    package func values<T: BitwiseCopyable & Sendable>(as layout: T.Type = T.self) -> FlatArray<T>? {
        guard MemoryLayout<T>.size * 8 == type.bits else { return nil }
        let range: ByteRange
        switch storage {
        case .bytes(let bytes): range = bytes
        case .floats(let numbers):
            guard let piece = numbers.contiguous else { return nil }
            range = piece
        default: return nil
        }
        #if _endian(big)
        guard MemoryLayout<T>.size == 1 else { return nil }
        #endif
        return FlatArray(range.file, offset: range.offset, count: count)
    }

    /// The packed bytes in place, for types narrower than a byte and any other; nil where elements are not packed.
    package var packedBytes: FlatArray<UInt8>? {
        guard case .bytes(let range) = storage else { return nil }
        return FlatArray(range.file, offset: range.offset, count: range.count)
    }
}

extension MILTensor.Storage {
    /// The elements of a tensor of `count` elements of `type`; fails where the list is another one or of other length.
    init(_ data: MILTensorData, _ type: MILDataType, count: Int) throws(WireFault) {
        let list: Int
        switch (data.kind, type) {
        case (.floats(let numbers), .float32), (.doubles(let numbers), .float64):
            self = .floats(numbers)
            list = numbers.count
        case (.ints(let numbers), .int32), (.ints(let numbers), .int16), (.ints(let numbers), .uint16),
            (.longInts(let numbers), .int64), (.longInts(let numbers), .uint64), (.bools(let numbers), .bool):
            self = .integers(numbers)
            list = numbers.count
        case (.strings(let strings), .string):
            self = .strings(strings)
            list = strings.count
        case (.bytes(let range), _) where type.bits > 0 && type != .bool:
            guard let needed = type.byteCount(count), needed == range.count else {
                throw .malformed("bytes", "\(range.count) bytes are not \(count) elements of \(type.name)")
            }
            self = .bytes(range)
            return
        default:
            throw .wrongType(nil, expected: "elements of \(type.name)", found: data.kind.name)
        }
        guard list == count else { throw .malformed(data.kind.name, "\(list) elements, and the type has \(count)") }
    }
}

extension MILTensorData.Kind {
    var name: String {
        switch self {
        case .floats: "floats"
        case .ints: "ints"
        case .bools: "bools"
        case .strings: "strings"
        case .longInts: "longInts"
        case .doubles: "doubles"
        case .bytes: "bytes"
        }
    }
}
