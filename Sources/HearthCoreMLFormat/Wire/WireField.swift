package import HearthSystem

/// A field of a message in its encoded form.
package struct WireField {
    package enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case bytes(ByteRange)
        case group
        case fixed32(UInt32)

        var name: String {
            switch self {
            case .varint: "an integer"
            case .fixed64: "8 bytes"
            case .bytes: "bytes"
            case .group: "a group"
            case .fixed32: "4 bytes"
            }
        }
    }

    package let number: Int
    package let value: Value
    /// Tag and payload.
    package let whole: ByteRange
    /// What follows the tag.
    let payload: ByteRange
    let input: WireInput

    @inline(never)
    private func wrong(_ name: StaticString, _ index: Int?, _ expected: String) -> WireFault {
        .wrongType(Self.label(name, index), expected: expected, found: value.name)
    }

    private static func label(_ name: StaticString, _ index: Int?) -> String {
        index.map { "\(name)[\($0)]" } ?? "\(name)"
    }

    @inline(never)
    func unsigned(_ name: StaticString) throws(WireFault) -> UInt64 {
        guard case .varint(let number) = value else { throw wrong(name, nil, "an integer") }
        return number
    }

    /// An `int32`, `int64` or `enum`: negative numbers are written as 64 bits.
    @inline(never)
    func integer(_ name: StaticString) throws(WireFault) -> Int {
        Int(Int64(bitPattern: try unsigned(name)))
    }

    @inline(never)
    func bool(_ name: StaticString) throws(WireFault) -> Bool { try unsigned(name) != 0 }

    @inline(never)
    func float(_ name: StaticString) throws(WireFault) -> Float {
        guard case .fixed32(let bits) = value else { throw wrong(name, nil, "4 bytes") }
        return Float(bitPattern: bits)
    }

    @inline(never)
    func double(_ name: StaticString) throws(WireFault) -> Double {
        guard case .fixed64(let bits) = value else { throw wrong(name, nil, "8 bytes") }
        return Double(bitPattern: bits)
    }

    @inline(never)
    func bytes(_ name: StaticString, _ index: Int? = nil) throws(WireFault) -> ByteRange {
        guard case .bytes(let range) = value else { throw wrong(name, index, "bytes") }
        return range
    }

    @inline(never)
    func string(_ name: StaticString, _ index: Int? = nil) throws(WireFault) -> String {
        let range = try bytes(name, index)
        guard range.count <= CoreMLLimits.stringBytes else {
            throw .limit(Self.label(name, index), range.count, CoreMLLimits.stringBytes)
        }
        guard let text = range.validText else {
            throw WireFault(Self.label(name, index)) { .invalidUTF8($0) }
        }
        return text
    }

    /// The message in the field.
    func message<M: WireMessage>(
        _ name: StaticString, _ index: Int? = nil, as type: M.Type = M.self
    ) throws(WireFault) -> M {
        let range = try bytes(name, index)
        do throws(WireFault) {
            return try M(wire: input.child(range))
        } catch {
            throw error.inside(Self.label(name, index))
        }
    }

    /// The message in a field that may occur once; more than one would have to be merged, and no writer does that.
    func single<M: WireMessage>(_ name: StaticString, _ earlier: M?, as type: M.Type = M.self) throws(WireFault) -> M {
        guard earlier == nil else { throw .malformed("\(name)", "the field occurs twice") }
        return try message(name)
    }
}

/// A message that can be read, kept and written.
///
/// A message that nobody changed is written as the very bytes it was read from. One that was changed is written field
/// by field, with its unknown fields after the known ones; the unchanged messages in it are copied.
package protocol WireMessage: Sendable {
    init(wire input: WireInput) throws(WireFault)
    var origin: WireOrigin { get }
    /// Writes the known fields.
    func encode(into writer: inout WireWriter)
}

/// Where a message came from, and what of it is not understood. Two messages are equal wherever they came from.
package struct WireOrigin: Sendable, Equatable {
    /// The message's original bytes, as long as it is unchanged.
    private(set) var source: ByteRange?
    /// Fields that this build does not know, tags included.
    private(set) var unknown: [ByteRange] = []

    /// The message is what `input` says.
    mutating func settle(_ input: WireInput) { source = input.range }

    /// The message was changed.
    package mutating func touch() { source = nil }

    /// Keeps a field that is not known.
    mutating func keep(_ field: WireField) {
        if let last = unknown.last, last.offset + last.count == field.whole.offset {
            unknown[unknown.count - 1] = ByteRange(
                file: last.file, offset: last.offset, count: last.count + field.whole.count)
        } else {
            unknown.append(field.whole)
        }
    }

    /// Reads a message of which one field says what it is; of several the last one counts.
    /// - Parameters:
    ///   - missing: the fault of a message without one.
    ///   - read: makes of a field what it is; nil for one that is not known, which is kept.
    static func choice<Kind>(
        _ input: WireInput, missing: @autoclosure () -> WireFault,
        _ read: (WireField) throws(WireFault) -> Kind?
    ) throws(WireFault) -> (kind: Kind, origin: WireOrigin) {
        var found: Kind?
        var origin = WireOrigin()
        var reader = WireReader(input)
        while let field = try reader.next() {
            if let kind = try read(field) { found = kind } else { origin.keep(field) }
        }
        guard let found else { throw missing() }
        origin.settle(input)
        return (found, origin)
    }

    package static func == (left: WireOrigin, right: WireOrigin) -> Bool {
        if left.unknown.isEmpty, right.unknown.isEmpty { return true }
        return left.unknown.flatMap(\.array) == right.unknown.flatMap(\.array)
    }
}
