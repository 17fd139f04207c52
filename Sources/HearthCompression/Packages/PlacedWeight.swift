internal import HearthCoreMLFormat

/// A compressed weight that has its place in a package: what an operation becomes.
struct PlacedWeight {
    /// What a parameter is bound to.
    private enum Bound {
        case value(MILValue)
        /// A result of the operation before.
        case part(Int)
    }

    private let kind: ConstantExpression.Kind
    private let parameters: [(name: String, value: Bound)]
    private let parts: (kind: ConstantExpression.Kind, parameters: [(name: String, value: Bound)], count: Int?)?

    /// The place of a tensor of this many elements.
    private typealias Storing = (WeightDataType, Int, [UInt8]) throws -> MILBlobReference

    /// Puts the parameters into the package that is being written.
    init(_ weight: EncodedWeight, in writer: CoreMLPackageWriter) throws {
        try self.init(weight) { try writer.append($0, count: $1, $2) }
    }

    private init(_ weight: EncodedWeight, storing: Storing) rethrows {
        kind = weight.kind
        parts = try weight.parts.map { parts in
            (parts.kind, try parts.parameters.map { ($0.name, try Self.place($0, storing)) }, parts.count)
        }
        parameters = try weight.parameters.map { ($0.name, try Self.place($0, storing)) }
    }

    /// Bytes that a weight would take in a package: its records in the file of weights, aligned, and its operations.
    static func storedBytes(_ weight: EncodedWeight, name: String, _ type: MILValueType, version: Int) -> Int {
        var bytes = 0
        let placed = PlacedWeight(weight) { _, _, content in
            bytes += CoreMLPackageWriter.recordBytes(content.count)
            // Offsets of about this size take as many bytes.
            return MILBlobReference(fileName: usualName, offset: 1 << 20)
        }
        var constant = MILOperation(type: "const")
        constant.outputs = [MILNamedType(name, type)]
        constant.attributes = [MILEntry("name", MILValue(string: name))]
        return placed.operations(replacing: constant, version: version, partNames: placed.partNames(of: name))
            .reduce(bytes) { $0 + $1.encodedByteCount }
    }

    private static let usualName = "@model_path/weights/weight.bin"

    /// Everything with a dimension goes to the weight file, as far as that has its type: some systems are said to fail
    /// on tensors of half precision in the program itself. `shape`, of 32-bit integers, stands in programs before
    /// version 9.
    private static func place(_ parameter: EncodedWeight.Parameter, _ storing: Storing) rethrows -> Bound {
        let type = MILValueType(parameter.type, parameter.shape)
        switch parameter.content {
        case .part(let number): return .part(number)
        case .text(let text): return .value(MILValue(string: text))
        case .bytes(let bytes):
            if !parameter.shape.isEmpty, parameter.type != .uint32, let stored = WeightDataType(parameter.type) {
                let count = parameter.shape.reduce(1, *)
                return .value(MILValue(type: type, content: .blob(try storing(stored, count, bytes))))
            }
            let content = MILValue.Content.immediate(MILImmediate(.tensor(data(parameter.type, bytes))))
            return .value(MILValue(type: type, content: content))
        }
    }

    private static func data(_ type: MILDataType, _ bytes: [UInt8]) -> MILTensorData {
        let words = stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            (0..<4).reduce(UInt32(0)) { (word: UInt32, place: Int) in
                word | UInt32(bytes[start + place]) << UInt32(8 * place)
            }
        }
        switch type {
        case .float32: return MILTensorData(floats: words.map { Float(bitPattern: $0) })
        case .int32: return MILTensorData(ints: words.map { Int32(bitPattern: $0) })
        default: return MILTensorData(bytes: bytes)
        }
    }

    /// A constant with another value, where this is one.
    func constant(replacing operation: MILOperation) -> MILOperation? {
        guard parameters.count == 1, parameters[0].name == "val", case .value(let value) = parameters[0].value else {
            return nil
        }
        var copy = operation
        guard let index = copy.attributes.firstIndex(where: { $0.key == "val" }) else { return nil }
        copy.attributes[index].value = value
        return copy
    }

    /// Names for the results of the operation that goes before the weight of this name; none where there is no such operation.
    func partNames(of name: String) -> [String] {
        guard let parts else { return [] }
        return parts.count == nil ? [name + "_palettized"] : [name + "_mask", name + "_nonzero"]
    }

    /// The operations in place of `operation`; the last one has its names. Up to version 8 parameters are attributes, from
    /// 9 on inputs.
    /// - Parameter partNames: of the results of the operation before the last one, if there is one.
    func operations(
        replacing operation: MILOperation, version: Int, partNames: [String]
    ) -> [MILOperation] {
        var last = operation
        last.type = kind.rawValue
        last.inputs = []
        last.attributes = operation.attributes.filter { $0.key == "name" }
        bind(&last, parameters, version, partNames)
        guard let parts, let type = operation.outputs.last?.type.tensor else { return [last] }
        var first = MILOperation(type: parts.kind.rawValue)
        let whole = type.shape ?? []
        let results =
            parts.count.map { [MILValueType(.uint1, whole), MILValueType(type.dataType, [$0])] }
            ?? [MILValueType(type.dataType, whole)]
        first.outputs = zip(partNames, results).map { MILNamedType($0, $1) }
        first.attributes = [MILEntry("name", MILValue(string: partNames.last ?? ""))]
        bind(&first, parts.parameters, version, partNames)
        return [first, last]
    }

    private func bind(
        _ operation: inout MILOperation, _ parameters: [(name: String, value: Bound)], _ version: Int,
        _ names: [String]
    ) {
        for (name, bound) in parameters {
            switch bound {
            case .part(let number):
                operation.inputs.append(MILEntry(name, MILArgument([MILBinding(.name(names[number]))])))
            case .value(let value) where version < 9: operation.attributes.append(MILEntry(name, value))
            case .value(let value):
                operation.inputs.append(MILEntry(name, MILArgument([MILBinding(.value(value))])))
            }
        }
    }
}
