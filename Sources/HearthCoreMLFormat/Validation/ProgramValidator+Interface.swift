/// The description of a model and the function that it describes must agree.
extension ProgramValidator {
    func validateInterface(_ function: MILFunction) throws(WireFault) {
        let description = model.description
        let inputs = description.effectiveInputs
        // States come in beside the inputs; the description has them in a list of their own.
        let tensors = function.inputs.filter { if case .state = $0.type.kind { false } else { true } }
        try requireSame(
            inputs.filter { $0.kind != .state }.map(\.name), tensors.map(\.name), "description.input")
        try requireSame(description.effectiveOutputs.map(\.name), function.body?.outputs ?? [], "description.output")
        let types = Dictionary(function.inputs.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        for feature in inputs {
            guard let type = types[feature.name] else { continue }
            try inside("description.input(\(feature.name))") { () throws(WireFault) in try validate(feature, type) }
        }
    }

    private func requireSame(_ described: [String], _ defined: [String], _ field: String) throws(WireFault) {
        if Set(described).count != described.count { throw .malformed(field, "a name occurs twice") }
        guard Set(described) == Set(defined), described.count == defined.count else {
            throw .malformed(
                field,
                "the description has \(described.sorted().prefix(CoreMLLimits.listed)), the program "
                    + "\(defined.sorted().prefix(CoreMLLimits.listed))")
        }
    }

    private func validate(_ feature: CoreMLFeature, _ type: MILValueType) throws(WireFault) {
        switch feature.kind {
        case .image(let image):
            guard let tensor = type.tensor, tensor.dataType == .float32 || tensor.dataType == .float16 else {
                throw .wrongType("imageType", expected: "a tensor of floats", found: type.description)
            }
            let expected = [1, image.colorSpace.channels, image.height, image.width]
            guard let shape = tensor.shape, !image.isFlexible else { return }
            guard shape == expected else {
                throw .malformed("imageType", "a picture of \(expected) is a tensor of \(shape)")
            }
        case .multiArray(let array):
            guard let tensor = type.tensor else {
                throw .wrongType("multiArrayType", expected: "a tensor", found: type.description)
            }
            guard let shape = tensor.shape, !array.isFlexible, !array.shape.isEmpty else { return }
            guard shape == array.shape else {
                throw .malformed("multiArrayType", "the description has \(array.shape), the program \(shape)")
            }
        case .state, .sequence, .dictionary, .int64, .double, .string: break
        }
    }
}
