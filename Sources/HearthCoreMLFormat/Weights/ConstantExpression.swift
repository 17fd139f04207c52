import HearthSystem

/// A compressed weight: an operation `constexpr_…` in the place of a constant.
///
/// Up to version 8 of the format its parameters are attributes, from version 9 on inputs; here they are one list.
package struct ConstantExpression: Sendable {
    /// What a parameter is bound to.
    package enum Parameter: Sendable {
        /// A constant.
        case tensor(MILTensor)
        /// The result of another compressed weight, by name.
        case output(String)
        /// A text, such as the type that `constexpr_cast` makes.
        case text(String)
    }

    /// What the operations do.
    package enum Kind: String, CaseIterable, Sendable {
        /// A palette, and for each element an index into it.
        case palette = "constexpr_lut_to_dense"
        /// scale · (q − zero point), per tensor or per channel.
        case affine = "constexpr_affine_dequantize"
        /// scale · (q − offset), per block.
        case blockwise = "constexpr_blockwise_shift_scale"
        /// Elements that are not zero, and a mask of where they are.
        case sparse = "constexpr_sparse_to_dense"
        /// Another floating-point type.
        case cast = "constexpr_cast"
        /// A palette for a sparse weight.
        case sparsePalette = "constexpr_lut_to_sparse"
        /// Blocks for a sparse weight.
        case sparseBlockwise = "constexpr_sparse_blockwise_shift_scale"
    }

    /// What it does.
    package let kind: Kind
    /// The parameters, by name.
    package let parameters: [String: Parameter]
    /// The type of the (last) result.
    package let type: MILDataType
    /// The dimensions of the (last) result.
    package let shape: [Int]
    /// Elements of the result.
    package let count: Int

    /// A parameter that is a constant.
    package func tensor(_ name: String) -> MILTensor? {
        if case .tensor(let tensor)? = parameters[name] { tensor } else { nil }
    }

    /// Whether the results are parts of another compressed weight, a mask and a list of elements, and no weight.
    package var isPart: Bool { kind == .sparsePalette || kind == .sparseBlockwise }

    /// Which elements are there, one bit each, where it is a constant.
    var mask: MILTensor? { kind.maskName.flatMap { tensor($0) } }

    /// Bits of a stored element: of an index, of a code; 1 for a mask.
    package var bits: Int? {
        switch kind {
        case .palette, .sparsePalette:
            guard let lut = tensor("lut") else { return tensor("indices").map(\.type.bits) }
            let entries = lut.shape.count == 1 ? lut.count : lut.shape.dropLast().last ?? 0
            return entries > 0 ? entries.trailingZeroBitCount : nil
        case .affine: return tensor("quantized_data").map(\.type.bits)
        case .blockwise: return tensor("data").map(\.type.bits)
        case .sparse, .sparseBlockwise: return tensor("nonzero_data").map(\.type.bits)
        case .cast: return tensor("source_val").map(\.type.bits)
        }
    }

    /// Bytes of all parameters where they lie.
    package var byteCount: Int {
        parameters.values.reduce(0) { sum, parameter in
            if case .tensor(let tensor) = parameter { sum + tensor.byteCount } else { sum }
        }
    }

    /// Reads and checks an operation; nil for one that is no compressed weight.
    init?(_ operation: MILOperation, version: Int, files: WeightFiles) throws(WireFault) {
        guard operation.type.hasPrefix("constexpr_") else { return nil }
        guard let kind = Kind(rawValue: operation.type) else {
            let type = operation.type
            throw WireFault { .unsupported($0, what: "the operation \(type)") }
        }
        guard version >= kind.firstVersion, version <= kind.lastVersion else {
            throw .malformed(nil, "\(kind.rawValue) does not exist in version \(version) of the format")
        }
        guard let type = operation.outputs.last?.type.tensor, let shape = type.shape, let count = type.elementCount
        else { throw .malformed("outputs", "a compressed weight has no size") }
        let parameters =
            version < 9
            ? try Self.attributes(operation, files) : try Self.inputs(operation, files)
        self.kind = kind
        self.parameters = parameters
        self.type = type.dataType
        self.shape = shape
        self.count = count
        try check(version: version)
    }

    private static func attributes(
        _ operation: MILOperation, _ files: WeightFiles
    ) throws(WireFault) -> [String: Parameter] {
        guard operation.inputs.isEmpty else {
            throw .malformed("inputs", "before version 9 the parameters of a compressed weight are attributes")
        }
        var parameters: [String: Parameter] = [:]
        for entry in operation.attributes where entry.key != "name" {
            parameters[entry.key] = try inside("attributes[\(entry.key)]") { () throws(WireFault) in
                try parameter(entry.value, files)
            }
        }
        return parameters
    }

    private static func inputs(
        _ operation: MILOperation, _ files: WeightFiles
    ) throws(WireFault) -> [String: Parameter] {
        if let attribute = operation.attributes.first(where: { $0.key != "name" }) {
            throw .malformed(
                "attributes[\(attribute.key)]", "from version 9 on the parameters of a compressed weight are inputs")
        }
        var parameters: [String: Parameter] = [:]
        for entry in operation.inputs {
            if let value = entry.value.value {
                parameters[entry.key] = try inside("inputs[\(entry.key)]") { () throws(WireFault) in
                    try parameter(value, files)
                }
            } else if let name = entry.value.name {
                parameters[entry.key] = .output(name)
            } else {
                throw .malformed("inputs[\(entry.key)]", "a parameter is a list")
            }
        }
        return parameters
    }

    private static func parameter(_ value: MILValue, _ files: WeightFiles) throws(WireFault) -> Parameter {
        if let text = value.string { return .text(text) }
        return .tensor(try files.tensor(value))
    }
}

extension ConstantExpression.Kind {
    fileprivate var firstVersion: Int {
        switch self {
        case .palette, .affine, .sparse, .cast: 7
        case .blockwise, .sparsePalette, .sparseBlockwise: 9
        }
    }

    /// The parameter that says which elements are there.
    var maskName: String? {
        switch self {
        case .sparse: "mask"
        case .sparsePalette: "indices_mask"
        case .sparseBlockwise: "data_mask"
        default: nil
        }
    }

    fileprivate var lastVersion: Int { self == .affine ? 8 : .max }

    /// Parameters that must be there, and those that may.
    func parameterNames(version: Int) -> (required: [String], optional: [String]) {
        switch (self, version < 9) {
        case (.palette, true): (["indices", "lut", "shape"], [])
        case (.palette, false): (["indices", "lut"], ["vector_axis"])
        case (.affine, _): (["quantized_data", "scale", "zero_point", "axis"], [])
        case (.blockwise, _): (["data", "scale"], ["offset"])
        case (.sparse, true): (["nonzero_data", "mask", "shape"], [])
        case (.sparse, false): (["nonzero_data", "mask"], [])
        case (.cast, _): (["source_val", "output_dtype"], [])
        case (.sparsePalette, _): (["indices_mask", "indices_nonzero_data", "lut"], ["vector_axis"])
        case (.sparseBlockwise, _): (["data_mask", "nonzero_data", "scale"], ["offset"])
        }
    }
}
