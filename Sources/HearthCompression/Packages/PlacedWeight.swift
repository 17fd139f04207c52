internal import HearthFormats

/// A compressed weight that has its place in a package: what an operation becomes.
struct PlacedWeight {
    private let kind: ConstantExpression.Kind
    private let parameters: [(name: String, value: MILValue)]

    /// Puts the parameters into the package that is being written.
    init(_ weight: EncodedWeight, in writer: CoreMLPackageWriter) throws {
        kind = weight.kind
        parameters = try weight.parameters.map { ($0.name, try Self.place($0, in: writer)) }
    }

    /// Everything with a dimension goes to the weight file, as far as that has its type: some systems are said to fail
    /// on tensors of half precision in the program itself. `shape`, of 32-bit integers, stands in programs before
    /// version 9.
    private static func place(_ parameter: EncodedWeight.Parameter, in writer: CoreMLPackageWriter) throws -> MILValue {
        let type = MILValueType(parameter.type, parameter.shape)
        switch parameter.content {
        case .text(let text): return MILValue(string: text)
        case .bytes(let bytes):
            if !parameter.shape.isEmpty, parameter.type != .uint32, let stored = WeightDataType(parameter.type) {
                let count = parameter.shape.reduce(1, *)
                return MILValue(type: type, content: .blob(try writer.append(stored, count: count, bytes)))
            }
            return MILValue(type: type, content: .immediate(MILImmediate(.tensor(data(parameter.type, bytes)))))
        }
    }

    private static func data(_ type: MILDataType, _ bytes: [UInt8]) -> MILTensorData {
        let words = stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
        }
        switch type {
        case .float32: return MILTensorData(floats: words.map { Float(bitPattern: $0) })
        case .int32: return MILTensorData(ints: words.map { Int32(bitPattern: $0) })
        default: return MILTensorData(bytes: bytes)
        }
    }

    /// A constant with another value, where this is one.
    func constant(replacing operation: MILOperation) -> MILOperation? {
        guard parameters.count == 1, parameters[0].name == "val" else { return nil }
        var copy = operation
        guard let index = copy.attributes.firstIndex(where: { $0.key == "val" }) else { return nil }
        copy.attributes[index].value = parameters[0].value
        return copy
    }

    /// The operation in place of `operation`, under the same names. Up to version 8 parameters are attributes, from 9 on
    /// inputs.
    func operation(replacing operation: MILOperation, version: Int) -> MILOperation {
        var copy = operation
        copy.type = kind.rawValue
        copy.inputs = []
        copy.attributes = operation.attributes.filter { $0.key == "name" }
        if version < 9 {
            copy.attributes += parameters.map { MILEntry($0.name, $0.value) }
        } else {
            copy.inputs = parameters.map { MILEntry($0.name, MILArgument([MILBinding(.value($0.value))])) }
        }
        return copy
    }
}
