package import HearthCoreMLFormat

/// Pairs of `quantize` and `dequantize` around the operations that devices compute with integers, as
/// `linear_quantize_activations` of coremltools inserts them: convolutions, dense layers, pooling, and sums of two activations.
///
/// Their inputs are quantized, and their results behind the activation function, if one follows at once; `clip` is one too, as it is
/// how ReLU6 often comes. A tensor has one pair,
/// however many operations use it; results of the program stay as they are.
package struct ActivationQuantization {
    private static let inputs: [String: [String]] = [
        "conv": ["x"], "linear": ["x"], "avg_pool": ["x"], "max_pool": ["x"], "add": ["x", "y"],
    ]
    private static let functions: Set<String> = [
        "leaky_relu", "tanh", "scaled_tanh", "sigmoid", "hard_sigmoid", "relu", "relu6", "clip",
    ]

    private let block: MILBlock
    private let function: MILFunction
    /// The types of all activations, by name.
    private var types: [String: MILTensorType] = [:]
    /// The operations that use a name, nested ones as the operation around them.
    private var users: [String: [Int]] = [:]
    /// Tensors that are quantized already, before and after it.
    private var done: Set<String> = []
    /// Tensors that are quantized for the operations that compute with integers.
    private var ahead: Set<String> = []
    /// Tensors that are quantized for all that use them.
    private var behind: Set<String> = []

    /// What can be quantized in a function; nil for one without a body.
    package init?(_ function: MILFunction) {
        guard let block = function.body else { return nil }
        (self.block, self.function) = (block, function)
        for input in function.inputs { types[input.name] = input.type.tensor }
        for (index, operation) in block.operations.enumerated() {
            for name in Self.names(operation) { users[name, default: []].append(index) }
            if operation.type == "quantize", let input = operation.inputs["input"]?.name { done.insert(input) }
            if operation.type == "dequantize" { done.formUnion(operation.outputs.map(\.name)) }
            guard operation.type != "const", !operation.type.hasPrefix("constexpr_") else { continue }
            for output in operation.outputs { types[output.name] = output.type.tensor }
        }
        for operation in block.operations {
            guard let read = activations(of: operation), let output = operation.outputs.first else { continue }
            ahead.formUnion(read)
            let last = followed(output.name)
            if isUsable(last), users[last]?.isEmpty == false { behind.insert(last) }
        }
    }

    /// The tensors whose ranges have to be known.
    package var names: Set<String> { ahead.union(behind) }

    /// Those of all programs of a package.
    package static func names(in package: CoreMLPackage) -> Set<String> {
        ModelPart.all(of: package).reduce(into: []) { names, part in
            let own = part.package.function.flatMap(ActivationQuantization.init)?.names ?? []
            names.formUnion(own.map { part.prefix + $0 })
        }
    }

    /// What an operation reads that is quantized for it; nil for other operations, and where a part of it cannot be.
    private func activations(of operation: MILOperation) -> [String]? {
        guard let parameters = Self.inputs[operation.type] else { return nil }
        let names = parameters.compactMap { operation.inputs[$0]?.name }
        return names.count == parameters.count && names.allSatisfy(isUsable) ? names : nil
    }

    /// Whether a tensor is an activation of floats that is not quantized already.
    private func isUsable(_ name: String) -> Bool {
        guard let type = types[name], type.rank != 0 else { return false }
        return (type.dataType == .float16 || type.dataType == .float32) && !done.contains(name)
    }

    /// The result of the activation function that follows a result and is all that uses it; otherwise the result itself.
    private func followed(_ name: String) -> String {
        guard let uses = users[name], uses.count == 1, !block.outputs.contains(name),
            case let next = block.operations[uses[0]], Self.functions.contains(next.type),
            let output = next.outputs.first
        else { return name }
        return output.name
    }

    /// All names that an operation uses, those in its blocks too.
    private static func names(_ operation: MILOperation) -> [String] {
        let own = operation.inputs.flatMap(\.value.bindings).compactMap { binding in
            if case .name(let name) = binding.kind { name } else { nil }
        }
        return own + operation.blocks.flatMap { block in block.operations.flatMap(names) + block.outputs }
    }

    /// The function with the pairs in it.
    /// - Parameters:
    ///   - ranges: of the tensors; those without one stay as they are.
    ///   - taken: gives names that nothing in the program has.
    func applied(_ ranges: [String: ActivationRange], _ taken: inout ProgramNames) -> MILFunction {
        var replaced: [String: String] = [:]
        var operations: [MILOperation] = []
        func insert(_ name: String) {
            guard names.contains(name), let range = ranges[name], let type = types[name] else { return }
            let pair = QuantizedPair(name, type, range, &taken)
            operations += pair.operations
            replaced[name] = pair.result
        }
        for input in function.inputs { insert(input.name) }
        for operation in block.operations {
            let quantized = activations(of: operation) ?? []
            operations.append(
                operation.renaming { name in
                    behind.contains(name) || quantized.contains(name) ? replaced[name] : nil
                })
            for output in operation.outputs { insert(output.name) }
        }
        var body = block
        body.operations = operations
        var copy = function
        copy.specializations[function.opset] = body
        return copy
    }
}

extension MILOperation {
    /// The operation with other names for what it uses, where there are such; in its blocks too.
    fileprivate func renaming(_ new: (String) -> String?) -> MILOperation {
        var copy = self
        for (place, input) in inputs.enumerated() {
            for (index, binding) in input.value.bindings.enumerated() {
                guard case .name(let name) = binding.kind, let other = new(name) else { continue }
                copy.inputs[place].value.bindings[index].kind = .name(other)
            }
        }
        for (place, block) in blocks.enumerated() {
            let operations = block.operations.map { $0.renaming(new) }
            if operations != block.operations { copy.blocks[place].operations = operations }
            for (index, name) in block.outputs.enumerated() {
                if let other = new(name) { copy.blocks[place].outputs[index] = other }
            }
        }
        return copy
    }
}

/// The operations that round a tensor to codes and back.
private struct QuantizedPair {
    /// The constants that they need, and the two of them.
    let operations: [MILOperation]
    /// The name of the tensor that was rounded.
    let result: String

    init(_ name: String, _ type: MILTensorType, _ range: ActivationRange, _ taken: inout ProgramNames) {
        let code = range.code(isHalf: type.dataType == .float16)
        var operations: [MILOperation] = []
        func constant(_ part: String, _ value: MILValue) -> MILEntry<MILArgument> {
            let free = taken.free("\(name)_\(part)")
            var operation = MILOperation(type: "const")
            operation.outputs = [MILNamedType(free, value.type)]
            operation.attributes = [MILEntry("name", MILValue(string: free)), MILEntry("val", value)]
            operations.append(operation)
            return MILEntry(part, MILArgument([MILBinding(.name(free))]))
        }
        func scalar(_ type: MILDataType, _ data: MILTensorData) -> MILValue {
            MILValue(type: MILValueType(type, []), content: .immediate(MILImmediate(.tensor(data))))
        }
        let scale =
            type.dataType == .float16
            ? MILTensorData(bytes: EncodedWeight.bytes([code.scale], .float16)) : MILTensorData(floats: [code.scale])
        let parameters = [
            constant("scale", scalar(type.dataType, scale)),
            constant("zero_point", scalar(.int8, MILTensorData(bytes: [UInt8(bitPattern: code.zeroPoint)]))),
        ]
        let target = constant("output_dtype", MILValue(string: "int8"))
        func step(_ kind: String, _ input: String, _ more: [MILEntry<MILArgument>], _ type: MILTensorType) -> String {
            let free = taken.free("\(name)_\(kind)d")
            var operation = MILOperation(type: kind)
            operation.inputs = [MILEntry("input", MILArgument([MILBinding(.name(input))]))] + more
            operation.outputs = [MILNamedType(free, MILValueType(type))]
            operation.attributes = [MILEntry("name", MILValue(string: free))]
            operations.append(operation)
            return free
        }
        var codes = type
        codes.dataType = .int8
        let quantized = step("quantize", name, parameters + [target], codes)
        result = step("dequantize", quantized, parameters, type)
        self.operations = operations
    }
}
