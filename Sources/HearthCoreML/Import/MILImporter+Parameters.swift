internal import HearthCoreMLFormat

/// The parameters of the operation that is being lowered.
extension MILImporter {
    private func missing(_ name: String) -> CoreMLError { emitter.invalid("the parameter '\(name)' is missing") }

    mutating func value(_ binding: MILBinding, _ name: String) throws -> Value {
        switch binding.kind {
        case .value(let value): return try constant(value, "")
        case .name(let other):
            guard let value = values[other] else { throw emitter.invalid("'\(other)' is not known to '\(name)'") }
            return value
        }
    }

    /// What a parameter of one thing is bound to; nil where it was left out.
    private mutating func value(_ name: String) throws -> Value? {
        guard let argument = operation.inputs[name] else { return nil }
        guard argument.bindings.count == 1, let binding = argument.bindings.first else {
            throw emitter.invalid("the parameter '\(name)' has \(argument.bindings.count) values")
        }
        return try value(binding, name)
    }

    /// A tensor.
    mutating func tensor(_ name: String) throws -> GraphBuilder.TensorID {
        guard let tensor = try optionalTensor(name) else { throw missing(name) }
        return try nonempty(tensor, name)
    }

    private func nonempty(_ tensor: GraphBuilder.TensorID, _ name: String) throws -> GraphBuilder.TensorID {
        guard !emitter.shape(tensor).contains(0) else { throw emitter.invalid("'\(name)' has no elements") }
        return tensor
    }

    /// A tensor that may be left out.
    mutating func optionalTensor(_ name: String) throws -> GraphBuilder.TensorID? {
        guard let value = try value(name) else { return nil }
        guard case .tensor(let id) = value else { throw emitter.invalid("the parameter '\(name)' is not a tensor") }
        return id
    }

    /// Tensors of a parameter that is a list.
    mutating func tensors(_ name: String, mayBeEmpty: Bool = false) throws -> [GraphBuilder.TensorID] {
        guard let argument = operation.inputs[name] else { throw missing(name) }
        return try argument.bindings.map { binding in
            guard case .tensor(let id) = try value(binding, name) else {
                throw emitter.invalid("the parameter '\(name)' holds something that is not a tensor")
            }
            return mayBeEmpty ? id : try nonempty(id, name)
        }
    }

    /// Whether a parameter is there.
    func has(_ name: String) -> Bool { operation.inputs[name] != nil }

    /// Numbers that are known; nil where the parameter was left out.
    mutating func numbers(_ name: String) throws -> [Float]? {
        guard let id = try optionalTensor(name) else { return nil }
        return try known(id, name).floats()
    }

    private func known(_ id: GraphBuilder.TensorID, _ name: String) throws -> GraphConstant {
        guard let constant = emitter.graph.constants[id] else {
            throw emitter.unsupported("a parameter '\(name)' that is computed from the model's inputs")
        }
        let count = GraphShape.count(emitter.shape(id), limit: .max) ?? .max
        guard count <= GraphLimits.parameters else {
            throw CoreMLError.tooLarge(
                .init(file: package.path, field: emitter.place), what: "elements of the parameter '\(name)'",
                claimed: count, limit: GraphLimits.parameters)
        }
        return constant
    }

    /// Integers; nil where the parameter was left out.
    mutating func integers(_ name: String) throws -> [Int]? {
        guard let id = try optionalTensor(name) else { return nil }
        return try integers(of: id, name)
    }

    /// The elements of a constant as integers.
    func integers(of id: GraphBuilder.TensorID, _ name: String) throws -> [Int] {
        let constant = try known(id, name)
        if case .tensor(let tensor) = constant, let integers = tensor.integers() {
            // Far beyond anything that is not refused later, and far from where sums overflow.
            return integers.map { min(max($0, -GraphLimits.integer), GraphLimits.integer) }
        }
        return try constant.floats().map { value in
            guard value.isFinite, value == value.rounded() else {
                throw emitter.invalid("the parameter '\(name)' holds \(value), which is not an integer")
            }
            return Int(min(max(value, -Float(GraphLimits.integer)), Float(GraphLimits.integer)))
        }
    }

    /// One integer.
    mutating func integer(_ name: String) throws -> Int? {
        guard let list = try integers(name) else { return nil }
        guard list.count == 1 else { throw emitter.invalid("the parameter '\(name)' has \(list.count) values") }
        return list[0]
    }

    /// One number.
    mutating func number(_ name: String) throws -> Float? {
        guard let list = try numbers(name) else { return nil }
        guard list.count == 1 else { throw emitter.invalid("the parameter '\(name)' has \(list.count) values") }
        guard !list[0].isNaN else { throw emitter.invalid("the parameter '\(name)' is not a number") }
        return list[0]
    }

    /// One number that must be there.
    mutating func required(_ name: String) throws -> Float {
        guard let value = try number(name) else { throw missing(name) }
        return value
    }

    /// One integer that must be there.
    mutating func requiredInteger(_ name: String) throws -> Int {
        guard let value = try integer(name) else { throw missing(name) }
        return value
    }

    /// Integers that must be there.
    mutating func requiredIntegers(_ name: String) throws -> [Int] {
        guard let value = try integers(name) else { throw missing(name) }
        return value
    }

    /// One truth value; `other` where the parameter was left out.
    mutating func flag(_ name: String, or other: Bool) throws -> Bool { try number(name).map { $0 != 0 } ?? other }

    /// Truth values.
    mutating func flags(_ name: String, count: Int) throws -> [Bool] {
        guard let list = try numbers(name) else { return [Bool](repeating: false, count: count) }
        guard list.count == count else { throw emitter.invalid("\(list.count) values of '\(name)' for \(count) axes") }
        return list.map { $0 != 0 }
    }

    /// One text; nil where the parameter was left out.
    mutating func text(_ name: String) throws -> String? {
        guard let value = try value(name) else { return nil }
        guard case .texts(let texts) = value, texts.count == 1 else {
            throw emitter.invalid("the parameter '\(name)' is not a string")
        }
        return texts[0]
    }
}
