import HearthCoreMLFormat
import HearthSystem

/// A message as a tree of fields, known to nothing but the wire format: what looks like a message inside is one.
///
/// Mutants are made of trees, so that the lengths around a change are right and the change itself is what is met.
final class WireTree {
    enum Content {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes([UInt8])
        case message([WireTree])
    }

    var number: Int
    var content: Content

    init(_ number: Int, _ content: Content) {
        self.number = number
        self.content = content
    }

    /// The fields of a message; nil where the bytes are none.
    static func parse(_ bytes: [UInt8], depth: Int = 0) -> [WireTree]? {
        var reader = WireReader(WireInput(MappedFile(copying: bytes)))
        var fields: [WireTree] = []
        do throws(WireFault) {
            while let field = try reader.next() {
                switch field.value {
                case .varint(let number): fields.append(WireTree(field.number, .varint(number)))
                case .fixed64(let bits): fields.append(WireTree(field.number, .fixed64(bits)))
                case .fixed32(let bits): fields.append(WireTree(field.number, .fixed32(bits)))
                case .group: return nil
                case .bytes(let range):
                    let inner = range.array
                    // Texts often look like messages; printable ones are taken for what they are.
                    let isText = inner.allSatisfy { (0x20...0x7e).contains($0) } && !inner.isEmpty
                    if !isText, depth < 40, let children = parse(inner, depth: depth + 1), encode(children) == inner {
                        fields.append(WireTree(field.number, .message(children)))
                    } else {
                        fields.append(WireTree(field.number, .bytes(inner)))
                    }
                }
            }
        } catch {
            return nil
        }
        return fields
    }

    static func encode(_ fields: [WireTree]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields { field.append(to: &bytes) }
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        func tag(_ type: UInt64) { bytes.append(varint: UInt64(number) << 3 | type) }
        switch content {
        case .varint(let value):
            tag(0)
            bytes.append(varint: value)
        case .fixed64(let bits):
            tag(1)
            bytes += bits.littleEndianBytes
        case .fixed32(let bits):
            tag(5)
            bytes += bits.littleEndianBytes
        case .bytes(let inner):
            tag(2)
            bytes.append(varint: UInt64(inner.count))
            bytes += inner
        case .message(let children):
            let inner = Self.encode(children)
            tag(2)
            bytes.append(varint: UInt64(inner.count))
            bytes += inner
        }
    }

    /// A copy that shares nothing.
    static func copy(_ fields: [WireTree]) -> [WireTree] {
        fields.map { field in
            if case .message(let children) = field.content { return WireTree(field.number, .message(copy(children))) }
            return WireTree(field.number, field.content)
        }
    }

    /// Every field at every depth.
    static func all(_ fields: [WireTree]) -> [WireTree] {
        fields.flatMap { field -> [WireTree] in
            if case .message(let children) = field.content { return [field] + all(children) }
            return [field]
        }
    }
}
