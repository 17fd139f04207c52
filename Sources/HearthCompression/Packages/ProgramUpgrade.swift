internal import HearthCoreMLFormat

/// What a program of an older version needs to be one of a newer version.
///
/// The operations of a picture classifier mean the same in all versions from iOS 15 to iOS 26; what differs is the name of
/// the operation set, and how compressed weights are written down.
enum ProgramUpgrade {
    /// Operations whose parameters changed, by the version that changed them.
    private static let changed = ["crop_resize": 8, "non_maximum_suppression": 8]

    /// The first operation that prevents the upgrade.
    static func obstacle(in program: MILProgram, from: Int, to: Int) -> String? {
        func search(_ block: MILBlock) -> String? {
            for operation in block.operations {
                if let version = changed[operation.type], from < version, version <= to { return operation.type }
                if let found = operation.blocks.lazy.compactMap(search).first { return found }
            }
            return nil
        }
        return program.functions.lazy.flatMap(\.value.specializations).compactMap { search($0.value) }.first
    }

    /// The program under the name of a newer operation set.
    static func renamed(_ program: MILProgram, from old: String, to new: String) -> MILProgram {
        var copy = program
        for index in copy.functions.indices where copy.functions[index].value.opset == old {
            var function = copy.functions[index].value
            // A body for the newer set that was not used so far gives way.
            function.specializations.removeAll { $0.key == new }
            function.opset = new
            for place in function.specializations.indices where function.specializations[place].key == old {
                function.specializations[place].key = new
            }
            copy.functions[index].value = function
        }
        return copy
    }

    /// A compressed weight of version 7 or 8 in the form of version 9: the same codes, with shapes and types of their own.
    static func raised(_ expression: ConstantExpression) -> EncodedWeight? {
        func parameter(
            _ name: String, _ tensor: MILTensor, _ type: MILDataType? = nil, _ shape: [Int]? = nil
        ) -> EncodedWeight.Parameter {
            let bytes = tensor.packedBytes.map { Array($0) } ?? immediateBytes(tensor)
            return EncodedWeight.Parameter(
                name: name, type: type ?? tensor.type, shape: shape ?? tensor.shape, content: .bytes(bytes))
        }
        let parameters: [EncodedWeight.Parameter]
        var kind = expression.kind
        switch expression.kind {
        case .palette:
            let types: [Int: MILDataType] = [1: .uint1, 2: .uint2, 4: .uint4, 6: .uint6, 8: .uint8]
            guard let indices = expression.tensor("indices"), let lut = expression.tensor("lut"),
                let bits = expression.bits, let type = types[bits]
            else { return nil }
            parameters = [
                parameter("indices", indices, type, expression.shape),
                parameter("lut", lut, nil, expression.shape.map { _ in 1 } + [lut.count, 1]),
            ]
        case .affine:
            guard let data = expression.tensor("quantized_data"), let scale = expression.tensor("scale"),
                let zero = expression.tensor("zero_point"), let axis = expression.tensor("axis")?.integers()?.first
            else { return nil }
            kind = .blockwise
            let place = axis < 0 ? axis + expression.shape.count : axis
            var blocks = expression.shape.map { _ in 1 }
            let channels = max(scale.count, zero.count)
            if channels > 1 { blocks[place] = channels }
            parameters = [
                parameter("data", data),
                repeated(parameter("scale", scale, nil, blocks), scale.count, channels),
                repeated(parameter("offset", zero, nil, blocks), zero.count, channels),
            ]
        case .sparse:
            guard let values = expression.tensor("nonzero_data"), let mask = expression.tensor("mask") else {
                return nil
            }
            parameters = [
                parameter("nonzero_data", values), parameter("mask", mask, .uint1, expression.shape),
            ]
        case .cast:
            guard let source = expression.tensor("source_val"),
                case .text(let type)? = expression.parameters["output_dtype"]
            else { return nil }
            parameters = [
                parameter("source_val", source),
                EncodedWeight.Parameter(name: "output_dtype", type: .string, shape: [], content: .text(type)),
            ]
        case .blockwise, .sparsePalette, .sparseBlockwise: return nil
        }
        return EncodedWeight(
            kind: kind, parameters: parameters, bits: expression.bits ?? 0, groups: 1, quality: SignalRatio())
    }

    /// One value for all channels as one a channel.
    private static func repeated(
        _ parameter: EncodedWeight.Parameter, _ count: Int, _ channels: Int
    ) -> EncodedWeight.Parameter {
        guard count == 1, channels > 1, case .bytes(let bytes) = parameter.content else { return parameter }
        return EncodedWeight.Parameter(
            name: parameter.name, type: parameter.type, shape: parameter.shape,
            content: .bytes((0..<channels).flatMap { _ in bytes }))
    }

    /// The bytes of a tensor that is stored in the program as a list of numbers.
    private static func immediateBytes(_ tensor: MILTensor) -> [UInt8] {
        if tensor.type == .float32, let values = tensor.floats() { return EncodedWeight.bytes(values, .float32) }
        guard let values = tensor.integers() else { return [] }
        return values.flatMap { value in
            (0..<max(tensor.type.bits / 8, 1)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }
}
