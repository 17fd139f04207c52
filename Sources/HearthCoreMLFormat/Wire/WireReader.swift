package import HearthSystem

/// The bytes of one message, and what reading it may still cost.
package struct WireInput {
    let range: ByteRange
    /// Messages around it.
    let depth: Int
    let budget: WireBudget

    /// A message that is a whole file.
    package init(_ file: MappedFile) {
        self.init(range: ByteRange(file), depth: 0, budget: WireBudget())
    }

    /// A message that the program has written.
    init(written range: ByteRange) {
        self.init(range: range, depth: 0, budget: WireBudget())
    }

    fileprivate init(range: ByteRange, depth: Int, budget: WireBudget) {
        self.range = range
        self.depth = depth
        self.budget = budget
    }

    /// A message inside this one, which is checked against both limits.
    func child(_ range: ByteRange) throws(WireFault) -> WireInput {
        guard depth < CoreMLLimits.depth else {
            throw WireFault { .nestingTooDeep($0, limit: CoreMLLimits.depth) }
        }
        guard budget.messages < CoreMLLimits.messages else {
            throw .limit(nil, budget.messages + 1, CoreMLLimits.messages)
        }
        budget.messages += 1
        return WireInput(range: range, depth: depth + 1, budget: budget)
    }
}

/// How many messages a file has had so far: a message of two bytes becomes a value of some hundred.
final class WireBudget {
    var messages = 0
}

/// Walks the fields of a message in the wire format of protocol buffers.
///
/// Every length is compared with the bytes that are left before it is used; groups, which the format still allows in
/// unknown fields, are stepped over without recursion.
///
/// Format: <https://protobuf.dev/programming-guides/encoding/>.
package struct WireReader {
    private let input: WireInput
    private let name: (Int) -> String?
    private var position: Int
    private let end: Int

    /// - Parameter name: what a field is called, for errors.
    package init(_ input: WireInput, name: @escaping (Int) -> String? = { _ in nil }) {
        self.input = input
        self.name = name
        position = input.range.offset
        end = input.range.offset + input.range.count
    }

    /// The next field; nil at the end of the message.
    ///
    /// Not inlined, as the values of fields are not: each of some hundred messages would have a copy.
    @inline(never)
    package mutating func next() throws(WireFault) -> WireField? {
        guard position < end else { return nil }
        let start = position
        let (number, type) = try tag()
        let payload = position
        let value: WireField.Value
        switch type {
        case 0:
            value = .varint(try varint(number))
        case 1:
            value = .fixed64(UInt64(littleEndian: try fixed(number)))
        case 2:
            let count = try length(number)
            value = .bytes(ByteRange(file: input.range.file, offset: position, count: count))
            position += count
        case 3:
            try skipGroup(number)
            value = .group
        case 5:
            value = .fixed32(UInt32(littleEndian: try fixed(number)))
        default:
            throw .malformed(label(number), "wire type \(type) does not exist here")
        }
        return WireField(
            number: number, value: value, whole: range(start), payload: range(payload), input: input)
    }

    private func range(_ start: Int) -> ByteRange {
        ByteRange(file: input.range.file, offset: start, count: position - start)
    }

    private mutating func tag() throws(WireFault) -> (number: Int, type: Int) {
        let tag = try varint(nil)
        guard tag <= UInt64(UInt32.max), tag >> 3 != 0 else {
            throw .malformed("tag", "the field number \(tag >> 3) does not exist")
        }
        return (Int(tag >> 3), Int(tag & 7))
    }

    private mutating func varint(_ number: Int?) throws(WireFault) -> UInt64 {
        guard let value = WireVarint.read(input.range.file, &position, end) else {
            throw truncated(number, needed: 1)
        }
        guard value.isValid else {
            throw .malformed(number.map(label) ?? "tag", "a variable-length integer exceeds 64 bits")
        }
        return value.number
    }

    private mutating func fixed<T: FixedWidthInteger>(_ number: Int) throws(WireFault) -> T {
        let size = MemoryLayout<T>.size
        guard end - position >= size else { throw truncated(number, needed: size) }
        defer { position += size }
        return (input.range.file.base + position).loadUnaligned(as: T.self)
    }

    private mutating func length(_ number: Int) throws(WireFault) -> Int {
        let claimed = try varint(number)
        let available = end - position
        guard claimed <= UInt64(available) else {
            throw WireFault(label(number)) { .beyondFile($0, claimed: claimed, available: available) }
        }
        return Int(claimed)
    }

    /// Steps over a group whose start was read, and the groups inside it.
    private mutating func skipGroup(_ number: Int) throws(WireFault) {
        var open = [number]
        while let innermost = open.last {
            guard position < end else { throw truncated(number, needed: 1) }
            let (inner, type) = try tag()
            switch type {
            case 0: _ = try varint(inner)
            case 1: let _: UInt64 = try fixed(inner)
            case 2:
                let count = try length(inner)
                position += count
            case 3:
                guard open.count + input.depth < CoreMLLimits.depth else {
                    throw WireFault(label(number)) { .nestingTooDeep($0, limit: CoreMLLimits.depth) }
                }
                open.append(inner)
            case 4:
                guard inner == innermost else {
                    throw .malformed(label(number), "a group ends as field \(inner), not \(innermost)")
                }
                open.removeLast()
            case 5: let _: UInt32 = try fixed(inner)
            default: throw .malformed(label(number), "wire type \(type) does not exist")
            }
        }
    }

    private func truncated(_ number: Int?, needed: Int) -> WireFault {
        let available = end - position
        return WireFault(number.map(label) ?? "tag") { .truncated($0, needed: needed, available: available) }
    }

    private func label(_ number: Int) -> String { name(number) ?? "field \(number)" }
}

/// Integers of one to ten bytes, seven bits each, lowest first.
enum WireVarint {
    /// The integer at `position`, which moves behind it; nil where the bytes end inside it.
    ///
    /// It is not valid where it has more than 64 bits.
    static func read(_ file: MappedFile, _ position: inout Int, _ end: Int) -> (number: UInt64, isValid: Bool)? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while position < end {
            let byte = file.base.load(fromByteOffset: position, as: UInt8.self)
            position += 1
            if shift == 63, byte > 1 { return (0, false) }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return (number, true) }
            shift += 7
        }
        return nil
    }
}
