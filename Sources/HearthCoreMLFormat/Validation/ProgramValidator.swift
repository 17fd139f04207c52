import HearthSystem

/// The rules that a program keeps besides being well-formed messages: names, types, versions, sizes of constants.
struct ProgramValidator {
    let model: CoreMLSpecification
    private let program: MILProgram
    private let files: WeightFiles

    init(_ model: CoreMLSpecification, _ program: MILProgram, _ files: WeightFiles) {
        self.model = model
        self.program = program
        self.files = files
    }

    func validate() throws(WireFault) {
        guard let opset = CoreMLSpecification.opsets[model.specificationVersion] else {
            let version = model.specificationVersion
            throw WireFault("specificationVersion") { .unsupported($0, what: "version \(version) for a program") }
        }
        guard program.version == 1 else {
            let version = program.version
            throw WireFault("mlProgram.version") { .unsupported($0, what: "version \(version) of programs") }
        }
        try requireUnique(program.functions.map(\.key), "mlProgram.functions")
        let name = model.description.defaultFunctionName
        let main = name.isEmpty ? "main" : name
        guard program.functions.contains(where: { $0.key == main }) else {
            throw .missing("mlProgram.functions", "the function '\(main)'")
        }
        for function in program.functions {
            try inside("mlProgram.functions[\(function.key)]") { () throws(WireFault) in
                try validate(function.value, opset)
            }
        }
        if let function = program.functions[main] { try validateInterface(function) }
    }

    private func validate(_ function: MILFunction, _ opset: String) throws(WireFault) {
        guard function.opset == opset else {
            throw .malformed(
                "opset",
                "'\(function.opset)' does not go with version \(model.specificationVersion), which has '\(opset)'")
        }
        try requireUnique(function.specializations.map(\.key), "block_specializations")
        guard function.body != nil else { throw .missing("block_specializations[\(opset)]", "the body") }
        var scope: Set<String> = []
        for (index, input) in function.inputs.enumerated() {
            try inside("inputs[\(index)]") { () throws(WireFault) in try define(input, in: &scope) }
        }
        for block in function.specializations {
            try inside("block_specializations[\(block.key)]") { () throws(WireFault) in
                guard block.value.inputs.isEmpty else {
                    throw .malformed("inputs", "the body of a function has inputs")
                }
                try validate(block.value, &scope)
            }
        }
    }

    /// Names of a block end with it; the names around it are seen in it and cannot be given again.
    ///
    /// One set for all blocks, because a copy for each would cost the product of names and blocks.
    private func validate(_ block: MILBlock, _ scope: inout Set<String>) throws(WireFault) {
        for (index, input) in block.inputs.enumerated() {
            try inside("inputs[\(index)]") { () throws(WireFault) in try define(input, in: &scope) }
        }
        for (index, operation) in block.operations.enumerated() {
            do throws(WireFault) {
                try validate(operation, &scope)
            } catch {
                throw error.inside("operations[\(index)](\(operation.label))")
            }
        }
        guard !block.outputs.isEmpty else { throw .missing("outputs", "every output") }
        for (index, output) in block.outputs.enumerated() where !scope.contains(output) {
            throw WireFault("outputs[\(index)]") { .undefinedName($0, name: output) }
        }
        for input in block.inputs { scope.remove(input.name) }
        for operation in block.operations {
            for output in operation.outputs { scope.remove(output.name) }
        }
    }

    private func validate(_ operation: MILOperation, _ scope: inout Set<String>) throws(WireFault) {
        guard !operation.type.isEmpty else { throw .missing("type", "what the operation does") }
        try requireUnique(operation.inputs.map(\.key), "inputs")
        try requireUnique(operation.attributes.map(\.key), "attributes")
        for input in operation.inputs {
            try inside("inputs[\(input.key)]") { () throws(WireFault) in try validate(input.value, scope) }
        }
        for attribute in operation.attributes {
            try inside("attributes[\(attribute.key)]") { () throws(WireFault) in try validate(attribute.value) }
        }
        if operation.type == "const" { try validateConstant(operation) }
        if operation.type.hasPrefix("constexpr_") {
            _ = try ConstantExpression(operation, version: model.specificationVersion, files: files)
        }
        for (index, block) in operation.blocks.enumerated() {
            try inside("blocks[\(index)]") { () throws(WireFault) in try validate(block, &scope) }
        }
        for (index, output) in operation.outputs.enumerated() {
            try inside("outputs[\(index)]") { () throws(WireFault) in try define(output, in: &scope) }
        }
    }

    private func validate(_ argument: MILArgument, _ scope: Set<String>) throws(WireFault) {
        guard !argument.bindings.isEmpty else { throw .missing(nil, "what the parameter is bound to") }
        for binding in argument.bindings {
            switch binding.kind {
            case .name(let name):
                guard scope.contains(name) else { throw WireFault { .undefinedName($0, name: name) } }
            case .value(let value): try validate(value)
            }
        }
    }

    /// Fails where the elements of a constant are not as many as its type says, or are not where it says.
    private func validate(_ value: MILValue) throws(WireFault) {
        try validate(value.type)
        switch (value.type.kind, value.content) {
        case (.tensor, _):
            _ = try files.tensor(value)
        case (_, .blob):
            throw .malformed("blobFileValue", "only tensors stand in weight files, not a \(value.type.description)")
        case (.list(_, let length), .immediate):
            if let size = length.size, size != value.members.count {
                throw .malformed("immediateValue", "\(value.members.count) values, and the type has \(size)")
            }
        default: break
        }
        for member in value.members { try validate(member) }
    }

    private func validate(_ type: MILValueType) throws(WireFault) {
        switch type.kind {
        case .tensor(let tensor):
            // Unknown dimensions have no product; known ones must have one.
            if tensor.shape != nil, tensor.elementCount == nil { throw WireFault("type") { .sizeOverflow($0) } }
        case .list(let type, _), .tuple(let type), .dictionary(let type), .state(let type):
            for member in type.members { try validate(member) }
        }
    }

    private func validateConstant(_ operation: MILOperation) throws(WireFault) {
        guard let value = operation.attributes["val"] else { throw .missing("attributes[val]", "the value") }
        guard operation.outputs.count == 1 else {
            throw .malformed("outputs", "a constant has \(operation.outputs.count) outputs")
        }
        guard value.type == operation.outputs[0].type else {
            throw .wrongType(
                "attributes[val]", expected: operation.outputs[0].type.description, found: value.type.description)
        }
    }

    private func define(_ value: MILNamedType, in scope: inout Set<String>) throws(WireFault) {
        guard Self.isIdentifier(value.name) else {
            throw .malformed("name", "'\(value.name)' is not an identifier")
        }
        let name = value.name
        guard scope.insert(name).inserted else { throw WireFault("name") { .duplicateName($0, name: name) } }
        try validate(value.type)
    }

    /// `[A-Za-z_][A-Za-z0-9_@]*`
    static func isIdentifier(_ name: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x5f
        }
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x40 }
    }

    private func requireUnique(_ keys: [String], _ field: String) throws(WireFault) {
        guard Set(keys).count != keys.count else { return }
        var seen: Set<String> = []
        for key in keys where !seen.insert(key).inserted {
            throw WireFault("\(field)[\(key)]") { .duplicateName($0, name: key) }
        }
    }
}
