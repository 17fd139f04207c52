import HearthSystem

/// An array in metadata: a range of the map whose every element has been validated.
package struct GGUFArray: Sendable {
    /// Type of the elements.
    package let elementType: GGUFValueType
    /// Number of elements.
    package let count: Int
    /// The elements, without the array's own type and count.
    let content: ByteRange

    init(elementType: GGUFValueType, count: Int, content: ByteRange) {
        self.elementType = elementType
        self.count = count
        self.content = content
    }

    /// Type, count and elements that the parser has validated.
    init(encoded range: ByteRange) {
        self.init(
            // The parser has refused every other type.
            elementType: GGUFValueType(rawValue: range.integer(UInt32.self)) ?? .uint8,
            count: Int(range.integer(UInt64.self, at: 4)),
            content: ByteRange(file: range.file, offset: range.offset + 12, count: range.count - 12))
    }

    var encoded: [UInt8] {
        elementType.rawValue.littleEndianBytes + UInt64(count).littleEndianBytes + content.array
    }

    /// The strings, if it is an array of strings.
    package var strings: GGUFStringArray? {
        elementType == .string ? GGUFStringArray(count: count, content: content) : nil
    }

    /// The first elements, `limit` at most, as values; an array of arrays gives arrays. For display: it copies.
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
    /// An array of `elementType` made of values of that type.
    private init(_ elementType: GGUFValueType, _ encoded: some Sequence<[UInt8]>, count: Int) {
        self.init(
            elementType: elementType, count: count, content: ByteRange(copying: Array(encoded.joined())))
    }

    /// An array of strings of any bytes.
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
    /// Bytes of the string or array that begins the range, which the parser has validated.
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
