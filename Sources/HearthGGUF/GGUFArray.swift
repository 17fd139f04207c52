import HearthSystem

/// A metadata array: a range of the mapped file in which every element has been validated.
package struct GGUFArray: Sendable {
    /// Type of the elements.
    package let elementType: GGUFValueType
    /// Number of elements.
    package let count: Int
    /// The elements, without the array's type and count.
    let content: ByteRange

    init(elementType: GGUFValueType, count: Int, content: ByteRange) {
        self.elementType = elementType
        self.count = count
        self.content = content
    }

    /// Decodes an array's type and count, which the parser has validated.
    init(encoded range: ByteRange) {
        self.init(
            // The parser has rejected all other types.
            elementType: GGUFValueType(rawValue: range.integer(UInt32.self)) ?? .uint8,
            count: Int(range.integer(UInt64.self, at: 4)),
            content: ByteRange(file: range.file, offset: range.offset + 12, count: range.count - 12))
    }

    var encoded: [UInt8] {
        elementType.rawValue.littleEndianBytes + UInt64(count).littleEndianBytes + content.array
    }

    /// A view of the strings; nil if the elements are not strings.
    package var strings: GGUFStringArray? {
        elementType == .string ? GGUFStringArray(count: count, content: content) : nil
    }

    /// The first elements, at most `limit`, as values; elements of nested arrays are arrays. Copies, so it is meant for display.
    package func prefix(_ limit: Int) -> [GGUFValue] {
        var values: [GGUFValue] = []
        var offset = content.offset
        for _ in 0..<min(count, max(limit, 0)) {
            let rest = ByteRange(
                file: content.file, offset: offset, count: content.offset + content.count - offset)
            let size = elementType.fixedSize ?? rest.size(of: elementType)
            values.append(GGUFValue(elementType, ByteRange(file: content.file, offset: offset, count: size)))
            offset += size
        }
        return values
    }
}

extension GGUFArray {
    /// An array of `elementType` from encoded values.
    private init(_ elementType: GGUFValueType, _ encoded: some Sequence<[UInt8]>, count: Int) {
        self.init(
            elementType: elementType, count: count, content: ByteRange(copying: Array(encoded.joined())))
    }

    /// An array of strings that need not be UTF-8.
    package init(byteStrings: [[UInt8]]) {
        self.init(
            .string, byteStrings.lazy.map { UInt64($0.count).littleEndianBytes + $0 }, count: byteStrings.count)
    }

    /// An array of strings.
    package init(strings: [String]) { self.init(byteStrings: strings.map { Array($0.utf8) }) }

    /// An array of UINT8.
    package init(_ values: [UInt8]) { self.init(.uint8, CollectionOfOne(values), count: values.count) }
    /// An array of INT8.
    package init(_ values: [Int8]) { self.init(.int8, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of UINT16.
    package init(_ values: [UInt16]) { self.init(.uint16, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of INT16.
    package init(_ values: [Int16]) { self.init(.int16, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of UINT32.
    package init(_ values: [UInt32]) { self.init(.uint32, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of INT32.
    package init(_ values: [Int32]) { self.init(.int32, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of UINT64.
    package init(_ values: [UInt64]) { self.init(.uint64, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of INT64.
    package init(_ values: [Int64]) { self.init(.int64, values.lazy.map(\.littleEndianBytes), count: values.count) }
    /// An array of FLOAT32.
    package init(_ values: [Float]) {
        self.init(.float32, values.lazy.map(\.bitPattern.littleEndianBytes), count: values.count)
    }
    /// An array of FLOAT64.
    package init(_ values: [Double]) {
        self.init(.float64, values.lazy.map(\.bitPattern.littleEndianBytes), count: values.count)
    }
    /// An array of BOOL.
    package init(_ values: [Bool]) {
        self.init(.bool, CollectionOfOne(values.map { $0 ? 1 : 0 }), count: values.count)
    }
    /// An array of arrays.
    package init(_ arrays: [GGUFArray]) { self.init(.array, arrays.lazy.map(\.encoded), count: arrays.count) }
}

extension ByteRange {
    /// Size of the string or array at the start of the range, which the parser has validated.
    func size(of type: GGUFValueType) -> Int {
        if let size = type.fixedSize { return size }
        if type == .string { return 8 + Int(integer(UInt64.self)) }
        guard let element = GGUFValueType(rawValue: integer(UInt32.self)) else { return 12 }
        let items = Int(integer(UInt64.self, at: 4))
        if let size = element.fixedSize { return 12 + items * size }
        var total = 12
        for _ in 0..<items {
            total += ByteRange(file: file, offset: offset + total, count: count - total).size(of: element)
        }
        return total
    }
}
