internal import HearthCoreMLFormat

/// Branches, loops, lists and states of programs.
///
/// Graphs have no jumps: a loop whose condition is known in each round is written out unless it is a layer, a branch that
/// depends on the inputs is computed on both sides. A list is its elements, and a state is a tensor that comes in and goes
/// out.
extension MILImporter {
    /// Operations whose results are no tensors, or that hold blocks.
    package static let controlOperations: Set = [
        "cond", "while_loop", "make_list", "list_length", "list_write", "list_read", "list_gather", "list_scatter",
        "read_state", "write_state", "coreml_update_state",
    ]

    /// The elements of a list; nil for one that was not written yet.
    struct TensorList {
        var elements: [GraphBuilder.TensorID?]
        /// Of each element, where it is known.
        var shape: [Int]?
        var isGrowing: Bool
    }

    mutating func control(_ operation: MILOperation) throws {
        switch operation.type {
        case "cond": try branch(operation)
        case "while_loop": try loop(operation)
        case "make_list": try setOutput(operation, .list(try newList(operation)))
        case "list_length":
            try setOutput(operation, .tensor(emitter.constant([Float(list("ls").elements.count)], [], .int32)))
        case "list_write": try setOutput(operation, .list(try written()))
        case "list_read": try setOutput(operation, .tensor(try read()))
        case "list_gather": try setOutput(operation, .tensor(try gathered()))
        case "list_scatter": try setOutput(operation, .list(try scattered()))
        case "read_state": try setOutput(operation, .tensor(states[try state("input")].tensor))
        default: try updateState(operation)
        }
    }

    /// Gives the results of an operation their names.
    private mutating func setOutputs(_ operation: MILOperation, _ results: [Value]) throws {
        guard results.count >= operation.outputs.count else {
            throw emitter.invalid("\(operation.outputs.count) results, but there are \(results.count)")
        }
        for (output, value) in zip(operation.outputs, results) {
            if case .tensor(let id) = value { try bind(output, id) } else { values[output.name] = value }
        }
    }

    private mutating func setOutput(_ operation: MILOperation, _ value: Value) throws {
        try setOutputs(operation, [value])
    }

    // MARK: - Blocks

    /// Runs a block with values for its inputs.
    mutating func results(
        _ block: MILBlock, _ inputs: [Value], _ place: String
    ) throws -> [Value] {
        guard block.inputs.count == inputs.count else {
            throw emitter.invalid("\(inputs.count) values for a block with \(block.inputs.count) inputs")
        }
        for (input, value) in zip(block.inputs, inputs) { values[input.name] = value }
        depth += 1
        defer { depth -= 1 }
        try lower(block, place)
        emitter.place = place
        return try block.outputs.map { name in
            guard let value = values[name] else { throw emitter.invalid("'\(name)' is not known") }
            return value
        }
    }

    private mutating func branch(_ operation: MILOperation) throws {
        let condition = try tensor("pred")
        guard operation.blocks.count == 2 else { throw emitter.invalid("\(operation.blocks.count) branches") }
        let place = emitter.place
        if emitter.isConstant(condition) {
            let taken = try emitter.values(condition).values.first ?? 0 != 0
            try setOutputs(operation, try results(operation.blocks[taken ? 0 : 1], [], place))
            return
        }
        let before = states
        let first = try results(operation.blocks[0], [], place)
        let changed = states.map(\.tensor)
        states = before
        let second = try results(operation.blocks[1], [], place)
        guard first.count == second.count else { throw emitter.invalid("branches with unlike results") }
        for index in states.indices {
            states[index].tensor = try chosen(condition, changed[index], states[index].tensor)
        }
        let merged = try zip(first, second).map { pair -> Value in
            guard case (.tensor(let a), .tensor(let b)) = pair else {
                throw emitter.unsupported("a branch whose results are not tensors")
            }
            return .tensor(try chosen(condition, a, b))
        }
        try setOutputs(operation, merged)
    }

    private mutating func chosen(
        _ condition: GraphBuilder.TensorID, _ a: GraphBuilder.TensorID, _ b: GraphBuilder.TensorID
    ) throws -> GraphBuilder.TensorID {
        if a == b { return a }
        guard emitter.shape(a) == emitter.shape(b) else {
            throw emitter.unsupported("a branch that depends on the inputs, with results of different shapes")
        }
        return try emitter.emit(.select, [condition, a, b], emitter.shape(a), emitter.type(a))
    }

    private mutating func loop(_ operation: MILOperation) throws {
        guard operation.blocks.count == 2, let given = operation.inputs["loop_vars"] else {
            throw emitter.invalid("a loop without condition, body or values")
        }
        var current = try given.bindings.map { binding -> Value in
            switch binding.kind {
            case .value(let value): return try constant(value, "")
            case .name(let name):
                guard let value = values[name] else { throw emitter.invalid("'\(name)' is not known") }
                return value
            }
        }
        let place = emitter.place
        if let layer = try gruLoop(operation, current) { return try setOutputs(operation, layer) }
        // Rounds are bounded by the limits on steps and on work of constants.
        for _ in 0..<GraphLimits.steps {
            guard case .tensor(let condition)? = try results(operation.blocks[0], current, place).first else {
                throw emitter.invalid("the condition of a loop is not a tensor")
            }
            guard emitter.isConstant(condition) else {
                throw emitter.unsupported("a loop that ends by a condition on the model's inputs")
            }
            if try emitter.values(condition).values.first ?? 0 == 0 {
                try setOutputs(operation, current)
                return
            }
            current = try results(operation.blocks[1], current, place)
        }
        throw CoreMLError.tooLarge(
            .init(file: package.path, field: place), what: "rounds of a loop", claimed: GraphLimits.steps,
            limit: GraphLimits.steps)
    }

    // MARK: - Lists

    private mutating func list(_ name: String) throws -> TensorList {
        guard let other = operation.inputs[name]?.name, case .list(let list)? = values[other] else {
            throw emitter.invalid("the parameter '\(name)' is not a list")
        }
        return list
    }

    private mutating func newList(_ operation: MILOperation) throws -> TensorList {
        let count = try integer("init_length") ?? 1
        guard (0...GraphLimits.foldedElements).contains(count) else { throw emitter.invalid("a list of \(count)") }
        var shape: [Int]?
        if let sizes = operation.inputs["elem_shape"] {
            // A size that is a text is open.
            shape = []
            for binding in sizes.bindings {
                let value: Value? =
                    switch binding.kind {
                    case .value(let value): try constant(value, "")
                    case .name(let name): values[name]
                    }
                guard case .tensor(let id)? = value else {
                    shape = nil
                    break
                }
                shape?.append(contentsOf: try integers(of: id, "elem_shape"))
            }
        }
        return TensorList(
            elements: .init(repeating: nil, count: count), shape: shape,
            isGrowing: try flag("dynamic_length", or: true))
    }

    /// An index that is known, counted from the beginning.
    private mutating func index(_ name: String, _ list: TensorList) throws -> Int {
        guard let id = try optionalTensor(name) else { throw emitter.invalid("the parameter '\(name)' is missing") }
        return try indices(of: id, name, list).first ?? 0
    }

    private func indices(of id: GraphBuilder.TensorID, _ name: String, _ list: TensorList) throws -> [Int] {
        let most = list.isGrowing ? GraphLimits.foldedElements : list.elements.count
        return try integers(of: id, name).map { index in
            let place = index < 0 ? index + list.elements.count : index
            guard (0..<most).contains(place) else {
                throw emitter.invalid("element \(index) of a list of \(list.elements.count)")
            }
            return place
        }
    }

    private func set(_ list: inout TensorList, _ place: Int, _ value: GraphBuilder.TensorID) throws {
        let known = list.shape ?? emitter.shape(value)
        guard known == emitter.shape(value) else {
            throw emitter.invalid("an element of shape \(emitter.shape(value)) in a list of \(known)")
        }
        list.shape = known
        if place >= list.elements.count {
            list.elements += [GraphBuilder.TensorID?](repeating: nil, count: place + 1 - list.elements.count)
        }
        list.elements[place] = value
    }

    private mutating func written() throws -> TensorList {
        var list = try list("ls")
        let (place, value) = (try index("index", list), try tensor("value"))
        try set(&list, place, value)
        return list
    }

    /// An element; zeros for one that was not written.
    private mutating func element(_ list: TensorList, _ place: Int) throws -> GraphBuilder.TensorID {
        guard list.elements.indices.contains(place) else {
            throw emitter.invalid("element \(place) of a list of \(list.elements.count)")
        }
        if let id = list.elements[place] { return id }
        guard let shape = list.shape else { throw emitter.invalid("an element of a list that was not written") }
        return try emitter.filled(0, shape, .float32)
    }

    private mutating func stacked(_ list: TensorList, _ places: [Int]) throws -> GraphBuilder.TensorID {
        guard !places.isEmpty else { throw emitter.unsupported("no elements of a list") }
        let layers = try places.map { place in
            let id = try element(list, place)
            return try emitter.reshape(id, [1] + emitter.shape(id))
        }
        return try emitter.concat(layers, axis: 0)
    }

    private mutating func read() throws -> GraphBuilder.TensorID {
        let list = try list("ls")
        let place = try tensor("index")
        if emitter.isConstant(place) { return try element(list, try index("index", list)) }
        let all = try stacked(list, Array(list.elements.indices))
        let one = try emitter.gathered(all, try emitter.reshape(place, []), axis: 0)
        return one
    }

    private mutating func gathered() throws -> GraphBuilder.TensorID {
        let list = try list("ls")
        let places = try tensor("indices")
        guard emitter.isConstant(places) else {
            return try emitter.gathered(try stacked(list, Array(list.elements.indices)), places, axis: 0)
        }
        return try stacked(list, try indices(of: places, "indices", list))
    }

    private mutating func scattered() throws -> TensorList {
        var list = try list("ls")
        let value = try tensor("value")
        let id = try tensor("indices")
        let places = try indices(of: id, "indices", list)
        let shape = emitter.shape(value)
        guard shape.first == places.count else {
            throw emitter.invalid("\(shape) values for \(places.count) elements of a list")
        }
        let parts = try emitter.split(value, axis: 0, sizes: [Int](repeating: 1, count: places.count))
        for (place, part) in zip(places, parts) {
            let element = try emitter.reshape(part, Array(shape.dropFirst()))
            try set(&list, place, element)
        }
        return list
    }

    // MARK: - States

    /// The place of the state that a parameter names.
    private func state(_ parameter: String) throws -> Int {
        guard let name = operation.inputs[parameter]?.name, case .state(let state)? = values[name],
            let place = states.firstIndex(where: { $0.name == state })
        else { throw emitter.invalid("the parameter '\(parameter)' is not a state") }
        return place
    }

    private mutating func updateState(_ operation: MILOperation) throws {
        let place = try state(operation.inputs["state"] == nil ? "input" : "state")
        let value = try tensor(operation.inputs["value"] == nil ? "data" : "value")
        guard emitter.shape(value) == emitter.shape(states[place].tensor) else {
            throw emitter.invalid(
                "a value of shape \(emitter.shape(value)) for a state of \(emitter.shape(states[place].tensor))")
        }
        states[place].tensor = value
        if !operation.outputs.isEmpty { try setOutput(operation, .tensor(value)) }
    }
}
