import HearthSystem

/// A constant in an ML Program: of a type, and written down on the spot or in a weight file.
package struct MILValue: Sendable, Equatable {
    /// Where the content is.
    package enum Content: Sendable, Equatable {
        /// In the program.
        case immediate(MILImmediate)
        /// In a weight file.
        case blob(MILBlobReference)
    }

    /// What people wrote about it.
    package var documentation = "" { didSet { origin.touch() } }
    /// What it is.
    package var type: MILValueType { didSet { origin.touch() } }
    /// What it holds.
    package var content: Content { didSet { origin.touch() } }
    package var origin = WireOrigin()

    package init(type: MILValueType, content: Content) {
        self.type = type
        self.content = content
    }

    /// A scalar text.
    package init(string: String) {
        self.init(
            type: MILValueType(.string, []),
            content: .immediate(MILImmediate(.tensor(MILTensorData(strings: [string])))))
    }

    /// The text of a scalar text.
    package var string: String? {
        guard case .immediate(let value) = content, case .tensor(let data) = value.kind,
            case .strings(let strings) = data.kind, strings.count == 1
        else { return nil }
        return strings[0]
    }
}

/// A place in a weight file.
package struct MILBlobReference: Sendable, Equatable {
    /// The file, `@model_path/` standing for the folder of the model.
    package var fileName: String { didSet { origin.touch() } }
    /// Where the record of the data begins, in bytes from the start of the file.
    package var offset: UInt64 { didSet { origin.touch() } }
    package var origin = WireOrigin()

    package init(fileName: String, offset: UInt64) {
        self.fileName = fileName
        self.offset = offset
    }
}

/// A value that is stored in the program itself.
package struct MILImmediate: Sendable, Equatable {
    /// What it can be.
    package indirect enum Kind: Sendable, Equatable {
        /// A tensor's elements.
        case tensor(MILTensorData)
        /// Several values.
        case tuple([MILValue])
        /// Values of one type.
        case list([MILValue])
        /// Keys and values, a key before its value.
        case dictionary([MILValue])
    }

    /// What it is.
    package var kind: Kind { didSet { origin.touch() } }
    package var origin = WireOrigin()

    package init(_ kind: Kind) { self.kind = kind }
}

/// The elements of a tensor that is stored in the program.
package struct MILTensorData: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case floats(WireNumbers)
        case ints(WireNumbers)
        case bools(WireNumbers)
        case strings([String])
        case longInts(WireNumbers)
        case doubles(WireNumbers)
        case bytes(ByteRange)
    }

    let kind: Kind
    package var origin = WireOrigin()

    private init(_ kind: Kind) { self.kind = kind }

    /// 32-bit floats.
    package init(floats: [Float]) { self.init(.floats(WireNumbers(.fixed32, floats.map { UInt64($0.bitPattern) }))) }
    /// Integers of up to 32 bits.
    package init(ints: [Int32]) { self.init(.ints(WireNumbers(.varint, ints.map { UInt64(bitPattern: Int64($0)) }))) }
    /// Truth values.
    package init(bools: [Bool]) { self.init(.bools(WireNumbers(.varint, bools.map { $0 ? 1 : 0 }))) }
    /// Texts.
    package init(strings: [String]) { self.init(.strings(strings)) }
    /// Integers of 64 bits.
    package init(longInts: [Int64]) {
        self.init(.longInts(WireNumbers(.varint, longInts.map { UInt64(bitPattern: $0) })))
    }
    /// Elements of any other type as they are in memory: little-endian, narrow ones packed from the lowest bit.
    package init(bytes: [UInt8]) { self.init(.bytes(ByteRange(copying: bytes))) }
}

extension MILTensorData: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        (kind, origin) = try WireOrigin.choice(input, missing: .missing("tensor", "the list of elements")) {
            field throws(WireFault) in
            switch field.number {
            case 1: .floats(try Self.numbers(field, .fixed32, "floats"))
            case 2: .ints(try Self.numbers(field, .varint, "ints"))
            case 3: .bools(try Self.numbers(field, .varint, "bools"))
            case 4: .strings(try Self.strings(field))
            case 5: .longInts(try Self.numbers(field, .varint, "longInts"))
            case 6: .doubles(try Self.numbers(field, .fixed64, "doubles"))
            case 7: .bytes(try Self.bytes(field))
            default: nil
            }
        }
    }

    private static func numbers(
        _ field: WireField, _ encoding: WireNumbers.Encoding, _ name: StaticString
    ) throws(WireFault) -> WireNumbers {
        var numbers = WireNumbers(encoding)
        var reader = WireReader(try field.input.child(field.bytes(name)))
        while let inner = try reader.next() {
            if inner.number == 1 { try numbers.append(inner, name) }
        }
        return numbers
    }

    private static func strings(_ field: WireField) throws(WireFault) -> [String] {
        var strings: [String] = []
        var reader = WireReader(try field.input.child(field.bytes("strings")))
        while let inner = try reader.next() {
            guard inner.number == 1 else { continue }
            strings.append(try inner.string("strings", strings.count))
        }
        return strings
    }

    private static func bytes(_ field: WireField) throws(WireFault) -> ByteRange {
        let input = try field.input.child(field.bytes("bytes"))
        var bytes = ByteRange(file: input.range.file, offset: input.range.offset, count: 0)
        var reader = WireReader(input)
        while let inner = try reader.next() {
            if inner.number == 1 { bytes = try inner.bytes("bytes") }
        }
        return bytes
    }

    package func encode(into writer: inout WireWriter) {
        switch kind {
        case .floats(let numbers): writer.nested(1) { $0.numbers(1, numbers) }
        case .ints(let numbers): writer.nested(2) { $0.numbers(1, numbers) }
        case .bools(let numbers): writer.nested(3) { $0.numbers(1, numbers) }
        case .strings(let strings):
            writer.nested(4) { list in for string in strings { list.string(1, string, always: true) } }
        case .longInts(let numbers): writer.nested(5) { $0.numbers(1, numbers) }
        case .doubles(let numbers): writer.nested(6) { $0.numbers(1, numbers) }
        case .bytes(let range): writer.nested(7) { $0.bytes(1, range) }
        }
    }
}

extension MILBlobReference: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init(fileName: "", offset: 0)
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: fileName = try field.string("fileName")
            case 2: offset = try field.unsigned("offset")
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(1, fileName)
        writer.unsigned(2, offset)
    }
}

extension MILImmediate: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        (kind, origin) = try WireOrigin.choice(input, missing: .missing(nil, "the content of a value")) {
            field throws(WireFault) in
            switch field.number {
            case 1: .tensor(try field.message("tensor"))
            case 2: .tuple(try Self.values(field, "tuple"))
            case 3: .list(try Self.values(field, "list"))
            case 4: .dictionary(try Self.pairs(field))
            default: nil
            }
        }
    }

    private static func values(_ field: WireField, _ name: StaticString) throws(WireFault) -> [MILValue] {
        var values: [MILValue] = []
        var reader = WireReader(try field.input.child(field.bytes(name)))
        while let inner = try reader.next() {
            guard inner.number == 1 else { continue }
            values.append(try inner.message(name, values.count))
        }
        return values
    }

    private static func pairs(_ field: WireField) throws(WireFault) -> [MILValue] {
        var values: [MILValue] = []
        var reader = WireReader(try field.input.child(field.bytes("dictionary")))
        while let inner = try reader.next() {
            guard inner.number == 1 else { continue }
            var pair = WireReader(try inner.input.child(inner.bytes("dictionary")))
            var (key, value): (MILValue?, MILValue?)
            while let part = try pair.next() {
                switch part.number {
                case 1: key = try part.single("key", key)
                case 2: value = try part.single("value", value)
                default: break
                }
            }
            guard let key, let value else { throw .missing("dictionary", "the key or the value of an entry") }
            values += [key, value]
        }
        return values
    }

    package func encode(into writer: inout WireWriter) {
        switch kind {
        case .tensor(let data): writer.message(1, data)
        case .tuple(let values): writer.nested(2) { $0.messages(1, values) }
        case .list(let values): writer.nested(3) { $0.messages(1, values) }
        case .dictionary(let values):
            writer.nested(4) { list in
                for index in stride(from: 0, to: values.count - 1, by: 2) {
                    list.nested(1) { pair in
                        pair.message(1, values[index])
                        pair.message(2, values[index + 1])
                    }
                }
            }
        }
    }
}

extension MILValue: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        var documentation = ""
        var type: MILValueType?
        var content: Content?
        var kept = WireOrigin()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: documentation = try field.string("docString")
            case 2: type = try field.single("type", type)
            case 3: content = .immediate(try field.message("immediateValue"))
            case 5: content = .blob(try field.message("blobFileValue"))
            default: kept.keep(field)
            }
        }
        guard let type else { throw .missing("type", "the type of a value") }
        guard let content else { throw .missing("immediateValue", "the content of a value") }
        self.init(type: type, content: content)
        self.documentation = documentation
        origin = kept
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(1, documentation)
        writer.message(2, type)
        switch content {
        case .immediate(let value): writer.message(3, value)
        case .blob(let reference): writer.message(5, reference)
        }
    }
}
