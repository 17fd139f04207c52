import HearthTestSupport

/// A protobuf message as a tree of fields, known to nothing but the wire format: what looks like a message inside is one.
final class MessageTree {
    enum Content {
        case varint(UInt64)
        case bytes([UInt8])
        case message([MessageTree])
    }

    var number: Int
    var content: Content

    init(_ number: Int, _ content: Content) {
        self.number = number
        self.content = content
    }

    var children: [MessageTree] {
        get { if case .message(let children) = content { children } else { [] } }
        set { content = .message(newValue) }
    }

    /// The fields of a message; nil where the bytes are none that these programs hold.
    static func parse(_ bytes: ArraySlice<UInt8>) -> [MessageTree]? {
        var rest = bytes
        var fields: [MessageTree] = []
        while !rest.isEmpty {
            guard let tag = varint(&rest), tag >> 3 > 0, tag >> 3 < 1 << 16 else { return nil }
            switch tag & 7 {
            case 0:
                guard let value = varint(&rest) else { return nil }
                fields.append(MessageTree(Int(tag >> 3), .varint(value)))
            case 2:
                guard let length = varint(&rest), length <= rest.count else { return nil }
                let inner = rest.prefix(Int(length))
                rest = rest.dropFirst(Int(length))
                let isText = inner.allSatisfy { (0x20...0x7e).contains($0) } && !inner.isEmpty
                if !isText, let children = parse(inner), encode(children) == Array(inner) {
                    fields.append(MessageTree(Int(tag >> 3), .message(children)))
                } else {
                    fields.append(MessageTree(Int(tag >> 3), .bytes(Array(inner))))
                }
            default: return nil
            }
        }
        return fields
    }

    static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
        }
        return nil
    }

    static func encode(_ fields: [MessageTree]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in
            switch field.content {
            case .varint(let value): encode(UInt64(field.number) << 3) + encode(value)
            case .bytes(let bytes): encode(UInt64(field.number) << 3 | 2) + encode(UInt64(bytes.count)) + bytes
            case .message(let children):
                MessageTree(field.number, .bytes(encode(children))).encoded
            }
        }
    }

    private var encoded: [UInt8] { Self.encode([self]) }

    static func encode(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func all(_ fields: [MessageTree]) -> [MessageTree] { fields.flatMap { [$0] + all($0.children) } }

    /// Fields that are reached by field numbers, one a level.
    static func at(_ path: [Int], in fields: [MessageTree]) -> [MessageTree] {
        guard let first = path.first else { return [] }
        let found = fields.filter { $0.number == first }
        return path.count == 1 ? found : found.flatMap { at(Array(path.dropFirst()), in: $0.children) }
    }
}

/// Spoils programs of one operation where it hurts: sizes, parameters, types, names.
enum ProgramMutator {
    private static let block = [502, 2, 2, 3, 2]

    static func mutant(of bytes: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
        guard let tree = MessageTree.parse(bytes[...]) else { return bytes }
        if random.below(4) > 0 { open(tree) }
        if random.below(2) == 0 { resize(tree, &random) }
        for _ in 0...random.below(3) {
            // What a program says most of is refused before anything is computed; parameters are what counts here.
            if random.below(8) > 0 { spoilParameter(tree, &random) } else { spoil(tree, &random) }
        }
        return MessageTree.encode(tree)
    }

    /// Other numbers or another text for a constant; lists of integers become longer or shorter too.
    private static func spoilParameter(_ tree: [MessageTree], _ random: inout SeededNumbers) {
        let constants = MessageTree.at(block + [3], in: tree).dropLast()
        guard let constant = constants.randomElement(using: &random) else { return spoil(tree, &random) }
        // attributes[val].immediateValue.tensor, and the two places that say its type.
        guard let value = MessageTree.at([5, 2], in: constant.children).last,
            let data = MessageTree.at([3, 1], in: value.children).first?.children.first
        else { return }
        let types = MessageTree.at([3, 2, 1], in: constant.children) + MessageTree.at([2, 1], in: value.children)
        guard data.number == 2, let list = data.children.first ?? emptyList(data), case .bytes(let bytes) = list.content
        else {
            for field in MessageTree.all(data.children) {
                if case .bytes(let bytes) = field.content { field.content = .bytes(spoiled(bytes, [field], &random)) }
            }
            return
        }
        var numbers = integers(bytes)
        let isList = types.allSatisfy { $0.children.contains { $0.number == 3 } }
        let count = isList && random.below(4) == 0 ? random.below(6) : numbers.count
        while numbers.count < count { numbers.append(UInt64(random.below(4))) }
        numbers = Array(numbers.prefix(count))
        if count > 0 {
            numbers[random.below(count)] = random.below(2) == 0 ? absurd(&random) : UInt64(random.below(8))
        }
        list.content = .bytes(numbers.flatMap(MessageTree.encode))
        guard isList else { return }
        for type in types {
            let size = MessageTree(1, .message(count > 0 ? [MessageTree(1, .varint(UInt64(count)))] : []))
            type.children = type.children.filter { $0.number < 3 } + [MessageTree(3, .message([size]))]
        }
    }

    private static func emptyList(_ data: MessageTree) -> MessageTree? {
        let list = MessageTree(1, .bytes([]))
        data.children = [list]
        return list
    }

    private static func integers(_ bytes: [UInt8]) -> [UInt64] {
        var rest = bytes[...]
        var numbers: [UInt64] = []
        while !rest.isEmpty, numbers.count < 64 {
            guard let number = MessageTree.varint(&rest) else { break }
            numbers.append(number)
        }
        return numbers
    }

    /// What the operation makes is declared to be of any shape, so that what it computes is not refused for its shape.
    private static func open(_ tree: [MessageTree]) {
        guard let last = MessageTree.at(block + [3], in: tree).last else { return }
        for type in MessageTree.at([3, 2, 1], in: last.children) {
            type.children = type.children.filter { $0.number == 1 } + [MessageTree(2, .varint(.max))]
        }
    }

    /// Inputs of other shapes, which the description leaves open.
    private static func resize(_ tree: [MessageTree], _ random: inout SeededNumbers) {
        for array in MessageTree.at([2, 1, 3, 5], in: tree) {
            array.children = array.children.filter { $0.number != 1 }
        }
        for type in MessageTree.at([502, 2, 2, 1, 2, 1], in: tree) {
            var rank = type.children.count { $0.number == 3 }
            if random.below(4) == 0 { rank = random.below(7) }
            let sizes = (0..<rank).map { _ -> UInt64 in
                switch random.below(24) {
                case 0: 0
                case 1: [1 << 20, 1 << 26, 1 << 31, 1 << 40, 65_536][random.below(5)]
                default: UInt64(1 + random.below(7))
                }
            }
            type.children =
                type.children.filter { $0.number == 1 } + (rank > 0 ? [MessageTree(2, .varint(UInt64(rank)))] : [])
                + sizes.map { size in
                    MessageTree(
                        3, .message([MessageTree(1, .message(size > 0 ? [MessageTree(1, .varint(size))] : []))]))
                }
        }
    }

    /// Numbers that break sums, products and indices.
    private static func absurd(_ random: inout SeededNumbers) -> UInt64 {
        let values: [Int64] = [
            0, 1, 2, 3, 5, 7, -1, -2, -3, -7, 16, 255, 1 << 16, 1 << 20, 1 << 30, 1 << 31 - 1, -1 << 31, 1 << 40,
            1 << 62,
            .max, .min, .max / 2, 13, 4, 64,
        ]
        return UInt64(bitPattern: values[random.below(values.count)])
    }

    private static func spoil(_ tree: [MessageTree], _ random: inout SeededNumbers) {
        let fields = MessageTree.all(tree)
        let field = fields[random.below(fields.count)]
        switch field.content {
        case .varint: field.content = .varint(absurd(&random))
        case .bytes(let bytes): field.content = .bytes(spoiled(bytes, fields, &random))
        case .message(var children):
            switch random.below(8) {
            case 0: if !children.isEmpty { children.remove(at: random.below(children.count)) }
            case 1: if let child = children.randomElement(using: &random) { children.append(child) }
            case 2: children.shuffle(using: &random)
            default: spoil(children.isEmpty ? tree : children, &random)
            }
            field.children = children
        }
    }

    private static func spoiled(_ bytes: [UInt8], _ fields: [MessageTree], _ random: inout SeededNumbers) -> [UInt8] {
        switch random.below(6) {
        case 0:
            // Another text: a name, a mode, the type of an operation.
            let texts = fields.compactMap { if case .bytes(let other) = $0.content { other } else { nil } }
            return texts.randomElement(using: &random) ?? []
        case 1 where !bytes.isEmpty:
            var changed = bytes
            changed[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            return changed
        case 2 where bytes.count >= 4:
            // A float that is none, or beyond all measure.
            let floats: [Float] = [.nan, .infinity, -.infinity, 0, -1, 1e30, 1e-30, 3e9, .greatestFiniteMagnitude]
            let place = random.below(bytes.count / 4) * 4
            var changed = bytes
            withUnsafeBytes(of: floats[random.below(floats.count)].bitPattern.littleEndian) {
                changed.replaceSubrange(place..<place + 4, with: $0)
            }
            return changed
        default:
            // A list of integers with another one in it, one more or one less.
            var numbers = integers(bytes)
            guard !numbers.isEmpty else { return MessageTree.encode(absurd(&random)) }
            switch random.below(6) {
            case 0: numbers.removeLast()
            case 1: numbers.append(absurd(&random))
            default: numbers[random.below(numbers.count)] = absurd(&random)
            }
            return numbers.flatMap(MessageTree.encode)
        }
    }
}
