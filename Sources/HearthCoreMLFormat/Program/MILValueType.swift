import HearthSystem

/// The type of a value in an ML Program: a tensor, or something made of types.
package struct MILValueType: Sendable, Equatable {
    /// What a type can be.
    package indirect enum Kind: Sendable, Equatable {
        /// A tensor or, at rank 0, a scalar.
        case tensor(MILTensorType)
        /// A list of values of one type, and its length.
        case list(MILCompositeType, length: MILDimension)
        /// Several values.
        case tuple(MILCompositeType)
        /// A dictionary: the types of keys and of values.
        case dictionary(MILCompositeType)
        /// State that outlives a prediction, around another type.
        case state(MILCompositeType)
    }

    /// What the type is.
    package var kind: Kind { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// A tensor type.
    package init(_ type: MILTensorType) { kind = .tensor(type) }

    /// A tensor type of known dimensions.
    package init(_ dataType: MILDataType, _ shape: [Int]) { self.init(MILTensorType(dataType, shape)) }

    /// The tensor type, if it is one.
    package var tensor: MILTensorType? { if case .tensor(let type) = kind { type } else { nil } }

    /// The tensor type that a state holds, if it is one.
    package var state: MILTensorType? {
        guard case .state(let type) = kind else { return nil }
        return type.members.first?.tensor
    }

    /// For people: `fp16[1, 3, 224, 224]`.
    package var description: String {
        switch kind {
        case .tensor(let type): type.description
        case .list(let type, _): "list of \(type.names)"
        case .tuple(let type): "(\(type.names))"
        case .dictionary(let type): "dictionary of \(type.names)"
        case .state(let type): "state of \(type.names)"
        }
    }
}

/// A tensor's element type and dimensions.
package struct MILTensorType: Sendable, Equatable {
    /// The type of elements.
    package var dataType: MILDataType { didSet { origin.touch() } }
    /// Number of dimensions; -1 where it is not known.
    package var rank: Int { didSet { origin.touch() } }
    /// The dimensions, slowest first.
    package var dimensions: [MILDimension] { didSet { origin.touch() } }
    /// Further facts about the type.
    package var attributes: [MILEntry<MILValue>] = [] { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// A type of known dimensions.
    package init(_ dataType: MILDataType, _ shape: [Int]) {
        self.dataType = dataType
        rank = shape.count
        dimensions = shape.map { MILDimension($0) }
    }

    /// The dimensions, if all of them are known.
    package var shape: [Int]? {
        guard rank == dimensions.count else { return nil }
        let sizes = dimensions.compactMap(\.size)
        return sizes.count == dimensions.count ? sizes : nil
    }

    /// Product of the dimensions; nil where one is unknown or the product does not fit.
    package var elementCount: Int? {
        var product = 1
        guard let shape else { return nil }
        if shape.contains(0) { return 0 }
        for size in shape {
            let (next, overflow) = product.multipliedReportingOverflow(by: size)
            guard !overflow, next <= CoreMLLimits.elements else { return nil }
            product = next
        }
        return product
    }

    /// For people: `fp16[1, 3, 224, 224]`.
    package var description: String {
        let sizes = dimensions.map { $0.size.map(String.init) ?? "?" }
        return dataType.name + (rank < 0 ? "[…]" : rank == 0 ? "" : "[\(sizes.joined(separator: ", "))]")
    }
}

/// One dimension of a tensor.
package struct MILDimension: Sendable, Equatable {
    /// The size; nil where it is known only when the model runs.
    package let size: Int?
    /// Whether it stands for any number of dimensions.
    package let isVariadic: Bool
    package var origin = WireOrigin()

    /// A dimension; nil for one that is not known.
    package init(_ size: Int?) {
        self.size = size
        isVariadic = false
    }

    package init(wire input: WireInput) throws(WireFault) {
        var size: Int?
        var isVariadic = false
        var isChosen = false
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1:
                isChosen = true
                let claimed = try Self.inner(field, "constant")
                guard let value = Int(exactly: claimed), value <= CoreMLLimits.elements else {
                    throw WireFault("constant") { .badDimension($0, value: claimed) }
                }
                size = value
            case 2:
                isChosen = true
                isVariadic = try Self.inner(field, "unknown") != 0
                size = nil
            default: origin.keep(field)
            }
        }
        guard isChosen else { throw .malformed(nil, "a dimension is neither known nor unknown") }
        self.size = size
        self.isVariadic = isVariadic
        origin.settle(input)
    }

    /// Field 1 of the message in `field`, an integer.
    private static func inner(_ field: WireField, _ name: StaticString) throws(WireFault) -> UInt64 {
        var reader = WireReader(try field.input.child(field.bytes(name)))
        var value: UInt64 = 0
        while let inner = try reader.next() {
            if inner.number == 1 { value = try inner.unsigned(name) }
        }
        return value
    }
}

extension MILDimension: WireMessage {
    package func encode(into writer: inout WireWriter) {
        if let size {
            writer.nested(1) { $0.unsigned(1, UInt64(size)) }
        } else {
            writer.nested(2) { $0.bool(1, isVariadic) }
        }
    }
}

/// A type that is made of other types, in their order.
package struct MILCompositeType: Sendable, Equatable {
    /// The types: one of a list or a state, two of a dictionary.
    package let members: [MILValueType]
    var origin = WireOrigin()

    var names: String { members.map(\.description).joined(separator: ", ") }
}

extension MILTensorType: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init(.float32, [])
        var type = 0
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: type = try field.integer("dataType")
            case 2: rank = try field.integer("rank")
            case 3: dimensions.append(try field.message("dimensions", dimensions.count))
            case 4: attributes.append(try field.message("attributes", attributes.count))
            default: origin.keep(field)
            }
        }
        guard let known = MILDataType(rawValue: type) else {
            let found = type
            throw WireFault("dataType") { .unsupported($0, what: "the tensor type \(found)") }
        }
        dataType = known
        guard rank == -1 || rank == dimensions.count else {
            throw .malformed("rank", "the rank is \(rank), and there are \(dimensions.count) dimensions")
        }
        guard dimensions.count <= CoreMLLimits.rank else {
            throw .limit("dimensions", dimensions.count, CoreMLLimits.rank)
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(1, dataType.rawValue)
        writer.integer(2, rank)
        writer.messages(3, dimensions)
        writer.messages(4, attributes)
    }
}

extension MILValueType: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        (kind, origin) = try WireOrigin.choice(input, missing: .missing("type", "the kind of a type")) {
            field throws(WireFault) in
            switch field.number {
            case 1: return .tensor(try field.message("tensorType"))
            case 2:
                let list: ListType = try field.message("listType")
                return .list(list.element, length: list.length)
            case 3: return .tuple(try Self.members(field, "tupleType", fields: [1], count: 0...Int.max))
            case 4: return .dictionary(try Self.members(field, "dictionaryType", fields: [1, 2], count: 2...2))
            case 5: return .state(try Self.members(field, "stateType", fields: [1], count: 1...1))
            default: return nil
            }
        }
    }

    private static func members(
        _ field: WireField, _ name: StaticString, fields: Set<Int>, count: ClosedRange<Int>
    ) throws(WireFault) -> MILCompositeType {
        let input = try field.input.child(field.bytes(name))
        let type = try inside("\(name)") { () throws(WireFault) in try MILCompositeType(input, fields) }
        guard count.contains(type.members.count) else {
            throw .malformed("\(name)", "a type has \(type.members.count) parts")
        }
        return type
    }

    package func encode(into writer: inout WireWriter) {
        switch kind {
        case .tensor(let type): writer.message(1, type)
        case .list(let type, let length):
            writer.nested(2) { list in
                type.write([1], into: &list)
                list.message(2, length)
            }
        case .tuple(let type): writer.nested(3) { type.write([1], into: &$0) }
        case .dictionary(let type): writer.nested(4) { type.write([1, 2], into: &$0) }
        case .state(let type): writer.nested(5) { type.write([1], into: &$0) }
        }
    }
}

extension MILCompositeType {
    /// The types in `fields` of a message, in their order.
    fileprivate init(_ input: WireInput, _ fields: Set<Int>) throws(WireFault) {
        var members: [MILValueType] = []
        var reader = WireReader(input)
        while let field = try reader.next() {
            if fields.contains(field.number) {
                members.append(try field.message("types", members.count))
            } else {
                origin.keep(field)
            }
        }
        self.members = members
    }

    /// Writes the types: each under its own number, or all under one.
    fileprivate func write(_ numbers: [Int], into writer: inout WireWriter) {
        for (index, member) in members.enumerated() {
            writer.message(numbers[min(index, numbers.count - 1)], member)
        }
        for range in origin.unknown { writer.copy(range) }
    }
}

/// A list's element type and length, as one message.
private struct ListType: WireMessage {
    let element: MILCompositeType
    let length: MILDimension
    var origin = WireOrigin()

    init(wire input: WireInput) throws(WireFault) {
        var type: MILValueType?
        var length: MILDimension?
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: type = try field.single("type", type)
            case 2: length = try field.single("length", length)
            default: origin.keep(field)
            }
        }
        guard let type else { throw .missing("type", "the type of a list's elements") }
        element = MILCompositeType(members: [type], origin: origin)
        self.length = length ?? MILDimension(nil)
    }

    func encode(into writer: inout WireWriter) {
        element.write([1], into: &writer)
        writer.message(2, length)
    }
}
