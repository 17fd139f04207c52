internal import HearthCoreMLFormat

/// Recurrent layers of programs.
extension MILImporter {
    static let recurrentLowerings: [String: Lowering] = [
        "lstm": { try $0.lstm() },
        "gru": { try $0.gru() },
        "rnn": { try $0.simpleRecurrent() },
    ]

    /// A function by the name that recurrent layers have for it, with Core ML's usual parameters.
    private mutating func activation(_ name: String, or usual: String) throws -> GraphFunction {
        switch try text(name) ?? usual {
        case "sigmoid": return .sigmoid
        case "tanh": return .tanh
        case "relu": return .relu
        case "linear": return .linear(alpha: 1, beta: 0)
        case "hard_sigmoid", "sigmoid_hard": return .hardSigmoid(alpha: 0.2, beta: 0.5)
        case "scaled_tanh": return .scaledTanh(alpha: 1.7159, beta: 2 / 3)
        case let other: throw emitter.invalid("the \(name) '\(other)' does not exist")
        }
    }

    private mutating func direction() throws -> String {
        let direction = try text("direction") ?? "forward"
        guard ["forward", "reverse", "bidirectional"].contains(direction) else {
            throw emitter.invalid("the direction '\(direction)' does not exist")
        }
        return direction
    }

    /// All states, or the last one as a sequence of one.
    private mutating func sequence(_ results: [GraphBuilder.TensorID]) throws -> GraphBuilder.TensorID {
        if try flag("output_sequence", or: false) { return results[0] }
        return try emitter.reshape(results[1], [1] + emitter.shape(results[1]))
    }

    private mutating func layer(
        _ rule: GraphRecurrence, _ suffix: String, bias: String
    ) throws -> GraphBuilder.Recurrent {
        GraphBuilder.Recurrent(
            rule: rule, inputWeight: try tensor("weight_ih" + suffix), stateWeight: try tensor("weight_hh" + suffix),
            bias: try optionalTensor(bias + suffix))
    }

    private mutating func lstm() throws -> [GraphBuilder.TensorID] {
        let (x, state, cell) = (try tensor("x"), try tensor("initial_h"), try tensor("initial_c"))
        let direction = try direction()
        var rule = GraphRecurrence(kind: .lstm, isReversed: direction == "reverse")
        rule.gate = try activation("recurrent_activation", or: "sigmoid")
        rule.candidate = try activation("cell_activation", or: "tanh")
        rule.output = try activation("activation", or: "tanh")
        rule.clip = try number("clip")
        var ahead = try layer(rule, "", bias: "bias")
        ahead.peephole = try optionalTensor("peephole")
        guard direction == "bidirectional" else {
            let results = try emitter.recurrent(x, ahead, state: state, cell: cell)
            return [try sequence(results), results[1], results[2]]
        }
        rule.isReversed = true
        var back = try layer(rule, "_back", bias: "bias")
        back.peephole = try optionalTensor("peephole_back")
        let width = (emitter.shape(state).last ?? 0) / 2
        let states = try emitter.split(state, axis: -1, sizes: [width, width])
        let cells = try emitter.split(cell, axis: -1, sizes: [width, width])
        let first = try emitter.recurrent(x, ahead, state: states[0], cell: cells[0])
        let second = try emitter.recurrent(x, back, state: states[1], cell: cells[1])
        let results = try zip(first, second).map { try emitter.concat([$0, $1], axis: -1) }
        return [try sequence(results), results[1], results[2]]
    }

    /// Rows in the order reset, candidate, update, as the format has them, to reset, update, candidate.
    private mutating func reordered(_ weight: GraphBuilder.TensorID?) throws -> GraphBuilder.TensorID? {
        guard let weight else { return nil }
        let rows = emitter.shape(weight).first ?? 0
        guard rows > 0, rows % 3 == 0 else { throw emitter.invalid("\(rows) rows of three gates") }
        let parts = try emitter.split(weight, axis: 0, sizes: [rows / 3, rows / 3, rows / 3])
        return try emitter.joined([parts[0], parts[2], parts[1]])
    }

    private mutating func gru() throws -> [GraphBuilder.TensorID] {
        let (x, state) = (try tensor("x"), try tensor("initial_h"))
        let direction = try direction()
        guard direction != "bidirectional" else { throw emitter.invalid("a gru has one direction") }
        var rule = GraphRecurrence(kind: .gru, isReversed: direction == "reverse")
        rule.gate = try activation("recurrent_activation", or: "sigmoid")
        rule.candidate = try activation("activation", or: "tanh")
        rule.resetsAfter = try flag("reset_after", or: false)
        var layer = try layer(rule, "", bias: "bias")
        layer.inputWeight = try reordered(layer.inputWeight) ?? layer.inputWeight
        layer.stateWeight = try reordered(layer.stateWeight) ?? layer.stateWeight
        let bias = try reordered(layer.bias)
        if let inputBias = try reordered(try optionalTensor("input_bias")) {
            (layer.bias, layer.stateBias) = (inputBias, bias)
        } else {
            layer.bias = bias
        }
        let results = try emitter.recurrent(x, layer, state: state)
        return [try sequence(results), results[1]]
    }

    private mutating func simpleRecurrent() throws -> [GraphBuilder.TensorID] {
        let (x, state) = (try tensor("x"), try tensor("initial_h"))
        let direction = try direction()
        guard direction != "bidirectional" else { throw emitter.invalid("an rnn has one direction") }
        var rule = GraphRecurrence(kind: .simple, isReversed: direction == "reverse")
        rule.candidate = try activation("activation", or: "tanh")
        let results = try emitter.recurrent(x, try layer(rule, "", bias: "bias"), state: state)
        return [try sequence(results), results[1]]
    }
}
