internal import HearthCoreMLFormat

/// PyTorch's GRU, whose reset gate multiplies a product and not the state. coremltools writes it as a loop with a round for
/// each step; it is recognised by what the rounds compute, whatever their operations are called, and becomes one layer.
extension MILImporter {
    /// The operations of a block by their results; copies and casts are looked through.
    private struct Definitions {
        private var operations: [String: MILOperation] = [:]

        init(_ block: MILBlock) {
            for operation in block.operations {
                for output in operation.outputs { operations[output.name] = operation }
            }
        }

        /// Where a value comes from. Only casts that keep it a number of its kind are looked through: one from float16 to int32
        /// rounds.
        func source(_ name: String?, _ types: Set<MILDataType> = [.float16, .float32]) -> String? {
            var name = name
            // A block is in order, so that this ends; a spoiled one may be a ring.
            for _ in 0..<operations.count {
                guard let known = name, let copy = operations[known], copy.type == "identity" || copy.type == "cast",
                    let type = copy.outputs.first?.type.tensor?.dataType, types.contains(type)
                else { break }
                name = copy.inputs["x"]?.name
            }
            return name
        }

        /// What computes a result, if it is of that kind.
        func operation(_ name: String?, _ type: String) -> MILOperation? {
            guard let name = source(name), let operation = operations[name], operation.type == type else { return nil }
            return operation
        }

        /// The operands of a sum or a product, in both orders; none for anything else.
        func operands(_ name: String?, _ type: String) -> [(String, String)] {
            guard let operation = operation(name, type), let x = source(operation.inputs["x"]?.name),
                let y = source(operation.inputs["y"]?.name)
            else { return [] }
            return [(x, y), (y, x)]
        }
    }

    private static let indexTypes: Set<MILDataType> = [.int32, .int16, .uint16]

    /// What a loop computes, as names and operations of its body.
    private struct GRULoop {
        let sequence: String
        /// The products with the sequence and with the state: reset gate, update gate, candidate.
        let ofInput: [MILOperation]
        let ofState: [MILOperation]
    }

    /// The values behind a loop that is such a layer; nil for any other loop.
    mutating func gruLoop(_ loop: MILOperation, _ initial: [Value]) throws -> [Value]? {
        guard loop.blocks.count == 2, initial.count == 2, case .tensor(let counter) = initial[0],
            case .tensor(let list) = initial[1], try emitter.values(counter).values == [0],
            emitter.rank(list) == 3
        else { return nil }
        let (condition, body) = (loop.blocks[0], loop.blocks[1])
        guard condition.inputs.count == 2, condition.outputs.count == 1, body.inputs.count == 2, body.outputs.count == 2
        else { return nil }
        let outer = values
        depth += 1
        defer {
            depth -= 1
            operation = loop
            values = outer
        }
        // What has the name of a result of a round, in another loop, is not that result.
        for block in loop.blocks {
            for name in block.inputs.map(\.name) + block.operations.flatMap({ $0.outputs.map(\.name) }) {
                values[name] = nil
            }
        }
        try defineConstants(condition)
        try defineConstants(body)
        let size = emitter.shape(list)
        let steps = size[0] - 1
        let ends = Definitions(condition)
        // Casts of the counter to 16 bits keep it.
        guard steps > 0, steps < 1 << 15, let less = ends.operation(condition.outputs[0], "less"),
            ends.source(less.inputs["x"]?.name, Self.indexTypes) == condition.inputs[0].name,
            known(less, "y") == [Float(steps)],
            let found = recognised(body, adds: try startsWithZeros(list)),
            case .tensor(let x)? = values[found.sequence], emitter.rank(x) == 3, emitter.shape(x)[0] == steps,
            emitter.shape(x)[1] == size[1],
            let layer = try layer(found, inputs: emitter.shape(x)[2], width: size[2])
        else { return nil }
        // One round on trial: what does not fit in it, or is declared otherwise, is refused as in any other loop.
        let before = self
        _ = try results(body, initial, emitter.place)
        self = before
        let first = try emitter.slice(list, begin: [0, 0, 0], step: [1, 1, 1], sizes: [1, size[1], size[2]])
        let states = try emitter.recurrent(x, layer, state: try emitter.reshape(first, [size[1], size[2]]))
        let last = emitter.constant([Float(steps)], emitter.shape(counter), emitter.type(counter))
        return [.tensor(last), .tensor(try emitter.concat([first, states[0]], axis: 0))]
    }

    private mutating func defineConstants(_ block: MILBlock) throws {
        for inner in block.operations
        where inner.type == "const" || ConstantExpression.Kind(rawValue: inner.type) != nil {
            operation = inner
            try lower(inner)
        }
    }

    /// A parameter that is one constant in every round; nil for any other.
    private mutating func constant(_ operation: MILOperation, _ name: String) -> GraphBuilder.TensorID? {
        guard let bindings = operation.inputs[name]?.bindings, bindings.count == 1,
            case .tensor(let id)? = try? value(bindings[0], name), emitter.isConstant(id)
        else { return nil }
        return id
    }

    /// The numbers of such a parameter, or what it is where it is left out; nil for any other.
    private mutating func known(_ operation: MILOperation, _ name: String, or usual: [Float]? = nil) -> [Float]? {
        guard operation.inputs[name] != nil else { return usual }
        guard let id = constant(operation, name),
            GraphShape.count(emitter.shape(id), limit: GraphLimits.parameters) != nil
        else { return nil }
        return try? emitter.values(id).values
    }

    /// Whether all rows of a list but the first are zeros: what is added to them is what they are then.
    private func startsWithZeros(_ list: GraphBuilder.TensorID) throws -> Bool {
        func isZero(_ id: GraphBuilder.TensorID, from first: Int = 0) throws -> Bool {
            guard emitter.isConstant(id) else { return false }
            return try emitter.values(id).values.dropFirst(first).allSatisfy { $0 == 0 }
        }
        let row = emitter.shape(list).dropFirst().reduce(1, *)
        guard var step = emitter.graph.steps.last(where: { $0.outputs.contains(list) }) else {
            return try isZero(list, from: row)
        }
        if case .cast = step.operation, let other = step.inputs.first ?? nil,
            let before = emitter.graph.steps.last(where: { $0.outputs.contains(other) })
        {
            step = before
        }
        guard case .concat(axis: 0, interleaved: false) = step.operation, let first = step.inputs.first ?? nil,
            emitter.shape(first)[0] == 1
        else { return false }
        return try step.inputs.dropFirst().allSatisfy { try $0.map { try isZero($0) } ?? false }
    }

    private mutating func recognised(_ body: MILBlock, adds: Bool) -> GRULoop? {
        let defined = Definitions(body)
        let (counter, list) = (body.inputs[0].name, body.inputs[1].name)
        /// Where an index comes from. From iOS 17 on, `select(i >= 0, i, i + size)` lets it count from the end, which one that is
        /// never negative does not.
        func index(_ name: String?) -> String? {
            guard let choice = defined.operation(defined.source(name, Self.indexTypes), "select"),
                let test = defined.operation(choice.inputs["cond"]?.name, "greater_equal"), known(test, "y") == [0],
                let index = defined.source(choice.inputs["a"]?.name, Self.indexTypes),
                defined.source(test.inputs["x"]?.name, Self.indexTypes) == index
            else { return defined.source(name, Self.indexTypes) }
            return index
        }
        // The counter goes on by one, and the state becomes the row behind it.
        guard let next = defined.operation(index(body.outputs[0]), "add"),
            [("x", "y"), ("y", "x")].contains(where: {
                index(next.inputs[$0.0]?.name) == counter && known(next, $0.1) == [1]
            }),
            let scatter = defined.operation(body.outputs[1], "scatter"),
            defined.source(scatter.inputs["data"]?.name) == list,
            index(scatter.inputs["indices"]?.name) == next.outputs.first?.name, known(scatter, "axis", or: [0]) == [0],
            let mode = mode(of: scatter), mode == "update" || mode == "add" && adds,
            let row = defined.operation(scatter.inputs["updates"]?.name, "expand_dims"), known(row, "axes") == [0]
        else { return nil }
        /// What a row of a tensor is gathered from in this round.
        func gathered(_ name: String) -> String? {
            guard let squeeze = defined.operation(name, "squeeze"), known(squeeze, "axes", or: [0]) == [0],
                let gather = defined.operation(squeeze.inputs["x"]?.name, "gather"),
                known(gather, "axis", or: [0]) == [0],
                known(gather, "batch_dims", or: [0]) == [0], index(gather.inputs["indices"]?.name) == counter
            else { return nil }
            return defined.source(gather.inputs["x"]?.name)
        }
        var sequence: String?
        func product(_ name: String, ofState: Bool) -> MILOperation? {
            guard let linear = defined.operation(name, "linear"), let x = linear.inputs["x"]?.name,
                let source = gathered(x)
            else { return nil }
            guard !ofState else { return source == list ? linear : nil }
            guard source != list, sequence == nil || sequence == source else { return nil }
            sequence = source
            return linear
        }
        typealias Products = (input: MILOperation, state: MILOperation)
        func gate(_ name: String) -> Products? {
            guard let gate = defined.operation(name, "sigmoid") else { return nil }
            for (x, y) in defined.operands(gate.inputs["x"]?.name, "add") {
                if let input = product(x, ofState: false), let state = product(y, ofState: true) {
                    return (input, state)
                }
            }
            return nil
        }
        func candidate(_ name: String) -> (reset: Products, candidate: Products)? {
            guard let function = defined.operation(name, "tanh") else { return nil }
            for (x, y) in defined.operands(function.inputs["x"]?.name, "add") {
                for (r, sum) in defined.operands(y, "mul") {
                    if let input = product(x, ofState: false), let state = product(sum, ofState: true),
                        let reset = gate(r)
                    {
                        return (reset, (input, state))
                    }
                }
            }
            return nil
        }
        // (1 − z) · n + z · h
        for (new, old) in defined.operands(row.inputs["x"]?.name, "add") {
            for (rest, n) in defined.operands(new, "mul") {
                for (z, h) in defined.operands(old, "mul") {
                    guard let difference = defined.operation(rest, "sub"), known(difference, "x") == [1],
                        defined.source(difference.inputs["y"]?.name) == z, gathered(h) == list,
                        let update = gate(z), let (reset, candidate) = candidate(n), let sequence
                    else { continue }
                    let all = [reset, update, candidate]
                    return GRULoop(sequence: sequence, ofInput: all.map(\.input), ofState: all.map(\.state))
                }
            }
        }
        return nil
    }

    private mutating func mode(of scatter: MILOperation) -> String? {
        operation = scatter
        return try? text("mode") ?? "add"
    }

    /// The weights of the products, put together; nil where they are not constants of the right sizes.
    private mutating func layer(_ loop: GRULoop, inputs: Int, width: Int) throws -> GraphBuilder.Recurrent? {
        func joined(_ products: [MILOperation], _ name: String, _ shape: [Int]) throws -> GraphBuilder.TensorID? {
            let parts = try products.map { product -> GraphBuilder.TensorID? in
                if name == "bias", product.inputs[name] == nil { return try emitter.filled(0, shape, .float32) }
                return constant(product, name).flatMap { emitter.shape($0) == shape ? $0 : nil }
            }
            let known = parts.compactMap(\.self)
            return known.count == parts.count ? try emitter.joined(known) : nil
        }
        guard let inputWeight = try joined(loop.ofInput, "weight", [width, inputs]),
            let stateWeight = try joined(loop.ofState, "weight", [width, width]),
            let bias = try joined(loop.ofInput, "bias", [width]),
            let stateBias = try joined(loop.ofState, "bias", [width])
        else { return nil }
        return GraphBuilder.Recurrent(
            rule: GraphRecurrence(kind: .gru, resetsAfter: true), inputWeight: inputWeight, stateWeight: stateWeight,
            bias: bias, stateBias: stateBias)
    }
}
