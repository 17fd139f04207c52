package import HearthSystem

/// Typed access: returns nil if the key is missing, and throws an error with file and key if the value has another type or is
/// out of range.
///
/// Scalars are converted where converters differ (integer widths; an integer stored as an integral float, as in old Gemma 3n
/// files). Arrays must have the right kind of elements, because reading them with a wrong element size would exceed the buffer:
/// integers must be stored as integers or Booleans, numbers as floats.
extension GGUFMetadata {
    /// An integer.
    package func integer(_ key: String) throws(FileError) -> Int? {
        guard let entry = entry(key) else { return nil }
        let value: Int? =
            switch GGUFValue(entry.type, entry.range) {
            case .uint8(let value): Int(value)
            case .int8(let value): Int(value)
            case .uint16(let value): Int(value)
            case .int16(let value): Int(value)
            case .uint32(let value): Int(value)
            case .int32(let value): Int(value)
            case .uint64(let value): Int(exactly: value)
            case .int64(let value): Int(value)
            case .float32(let value): Int(exactly: value)
            case .float64(let value): Int(exactly: value)
            case .bool, .string, .array: throw wrongType(key, "an integer", entry)
            }
        guard let value else { throw outOfRange(key, entry) }
        return value
    }

    /// A number, finite or infinite; NaN is out of range.
    package func number(_ key: String) throws(FileError) -> Double? {
        guard let entry = entry(key) else { return nil }
        let value: Double =
            switch GGUFValue(entry.type, entry.range) {
            case .uint8(let value): Double(value)
            case .int8(let value): Double(value)
            case .uint16(let value): Double(value)
            case .int16(let value): Double(value)
            case .uint32(let value): Double(value)
            case .int32(let value): Double(value)
            case .uint64(let value): Double(value)
            case .int64(let value): Double(value)
            case .float32(let value): Double(value)
            case .float64(let value): value
            case .bool, .string, .array: throw wrongType(key, "a number", entry)
            }
        guard !value.isNaN else { throw outOfRange(key, entry) }
        return value
    }

    /// A string, with invalid UTF-8 replaced by U+FFFD (`bytes(_:)` returns the original bytes).
    package func string(_ key: String) throws(FileError) -> String? {
        guard let entry = entry(key) else { return nil }
        guard entry.type == .string else { throw wrongType(key, "a string", entry) }
        return entry.range.stringContent.repairedText
    }

    /// A Boolean.
    package func bool(_ key: String) throws(FileError) -> Bool? {
        guard let entry = entry(key) else { return nil }
        guard entry.type == .bool else { throw wrongType(key, "a truth value", entry) }
        return entry.range.integer(UInt8.self) != 0
    }

    /// An array of any kind.
    package func array(_ key: String) throws(FileError) -> GGUFArray? {
        guard let entry = entry(key) else { return nil }
        guard entry.type == .array else { throw wrongType(key, "an array", entry) }
        return GGUFArray(encoded: entry.range)
    }

    /// An array of strings, as a view of the mapped file.
    package func strings(_ key: String) throws(FileError) -> GGUFStringArray? {
        guard let array = try array(key) else { return nil }
        guard let strings = array.strings else { throw wrongElement(key, "an array of strings", array) }
        return strings
    }

    /// An array of integers of any width, or of Booleans as 0 and 1.
    package func integers(_ key: String) throws(FileError) -> [Int]? {
        guard let array = try copiedArray(key) else { return nil }
        switch array.elementType {
        case .uint8, .bool: return array.map(UInt8.self) { Int($0) }
        case .int8: return array.map(Int8.self) { Int($0) }
        case .uint16: return array.map(UInt16.self) { Int($0) }
        case .int16: return array.map(Int16.self) { Int($0) }
        case .uint32: return array.map(UInt32.self) { Int($0) }
        case .int32: return array.map(Int32.self) { Int($0) }
        case .int64: return array.map(Int64.self) { Int($0) }
        case .uint64:
            let values = array.map(UInt64.self) { $0 }
            if let large = values.first(where: { $0 > UInt64(Int.max) }) {
                throw .outOfRange(location(key), value: "\(large)")
            }
            return values.map { Int($0) }
        case .float32, .float64, .string, .array:
            throw wrongElement(key, "an array of integers", array)
        }
    }

    /// An array of floats of either width. NaN and infinities are kept (Gemma 3n stores −∞).
    package func numbers(_ key: String) throws(FileError) -> [Double]? {
        guard let array = try copiedArray(key) else { return nil }
        switch array.elementType {
        case .float32: return array.map(UInt32.self) { Double(Float(bitPattern: $0)) }
        case .float64: return array.map(UInt64.self) { Double(bitPattern: $0) }
        default: throw wrongElement(key, "an array of floats", array)
        }
    }

    /// An array of FLOAT32.
    package func floats(_ key: String) throws(FileError) -> [Float]? {
        guard let array = try copiedArray(key) else { return nil }
        guard array.elementType == .float32 else { throw wrongElement(key, "an array of FLOAT32", array) }
        return array.map(UInt32.self) { Float(bitPattern: $0) }
    }

    /// An array small enough to be copied to the heap.
    private func copiedArray(_ key: String) throws(FileError) -> GGUFArray? {
        guard let array = try array(key) else { return nil }
        guard array.count <= GGUFLimits.copiedArrayItems else {
            throw .limitExceeded(
                location(key), claimed: UInt64(array.count), limit: GGUFLimits.copiedArrayItems)
        }
        return array
    }

    private func location(_ key: String) -> FileError.Location { .init(file: path, field: key) }

    private func wrongType(_ key: String, _ expected: String, _ entry: Entry) -> FileError {
        .wrongType(location(key), expected: expected, found: entry.type.name)
    }

    private func wrongElement(_ key: String, _ expected: String, _ array: GGUFArray) -> FileError {
        .wrongType(location(key), expected: expected, found: "an array of \(array.elementType.name)")
    }

    private func outOfRange(_ key: String, _ entry: Entry) -> FileError {
        let value =
            switch GGUFValue(entry.type, entry.range) {
            case .uint64(let value): "\(value)"
            case .float32(let value): "\(value)"
            case .float64(let value): "\(value)"
            default: entry.type.name
            }
        return .outOfRange(location(key), value: value)
    }
}

extension GGUFArray {
    /// The elements read as `type`, which must have the size of `elementType`.
    fileprivate func map<T: FixedWidthInteger, R>(_ type: T.Type, _ transform: (T) -> R) -> [R] {
        let size = MemoryLayout<T>.size
        return content.withBytes { bytes in
            // Stay within the content even if the caller passes a wrong size.
            (0..<min(count, bytes.count / size)).map {
                transform(T(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: T.self)))
            }
        }
    }
}
