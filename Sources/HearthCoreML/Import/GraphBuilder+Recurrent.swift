internal import HearthCoreMLFormat

/// Recurrent layers: the product with the inputs for all steps at once, then the steps.
extension GraphBuilder {
    /// Weights and options of one direction.
    struct Recurrent {
        var rule: GraphRecurrence
        /// [G·H, I] and [G·H, H], gates in the order of the rule.
        var inputWeight: TensorID
        var stateWeight: TensorID
        /// [G·H]
        var bias: TensorID?
        /// [G·H], added to the product with the state.
        var stateBias: TensorID?
        /// [3·H]
        var peephole: TensorID?
    }

    /// - Parameters:
    ///   - x: [T, B, I]
    ///   - state: [B, H]
    ///   - cell: [B, H], for an LSTM.
    /// - Returns: the states [T, B, H], the last one, and an LSTM's last cell.
    mutating func recurrent(
        _ x: TensorID, _ layer: Recurrent, state: TensorID, cell: TensorID? = nil
    ) throws -> [TensorID] {
        let (input, first) = (shape(x), shape(state))
        guard input.count == 3, first.count == 2, first[0] == input[1] else {
            throw invalid("a sequence of shape \(input) with a state of shape \(first)")
        }
        let width = first[1]
        let rows = layer.rule.kind.gates * width
        guard shape(layer.inputWeight) == [rows, input[2]], shape(layer.stateWeight) == [rows, width] else {
            throw invalid(
                "weights of shapes \(shape(layer.inputWeight)) and \(shape(layer.stateWeight)) for \(input[2]) inputs "
                    + "and a state of \(width)")
        }
        for (name, id, count) in [
            ("bias", layer.bias, rows), ("bias", layer.stateBias, rows), ("peephole", layer.peephole, 3 * width),
        ] where id.map({ shape($0) != [count] }) == true {
            throw invalid("a \(name) of shape \(id.map { shape($0) } ?? []), where \(count) values are expected")
        }
        if let cell, shape(cell) != first {
            throw invalid("a cell of shape \(shape(cell)) with a state of shape \(first)")
        }
        let products = try linear(x, layer.inputWeight, layer.bias)
        var weight = layer.stateWeight
        var candidate: TensorID?
        var stateBias = layer.stateBias
        if layer.rule.hasSeparateCandidate {
            let parts = try split(weight, axis: 0, sizes: [2 * width, width])
            (weight, candidate) = (parts[0], parts[1])
            if let bias = stateBias {
                // What is added to both products alike.
                let sum = try binary(.add, products, bias)
                stateBias = nil
                return try steps(sum, layer, weight, candidate, stateBias, state, cell, width)
            }
        }
        return try steps(products, layer, weight, candidate, stateBias, state, cell, width)
    }

    private mutating func steps(
        _ products: TensorID, _ layer: Recurrent, _ weight: TensorID, _ candidate: TensorID?, _ bias: TensorID?,
        _ state: TensorID, _ cell: TensorID?, _ width: Int
    ) throws -> [TensorID] {
        let shape = shape(products)
        let last = [shape[1], width]
        let shapes = [[shape[0], shape[1], width], last] + (layer.rule.kind == .lstm ? [last] : [])
        return try emit(
            .recurrent(layer.rule), [products, weight, state, cell, layer.peephole, bias, candidate], shapes,
            shapes.map { _ in type(products) })
    }

    /// Rows of matrices, or elements of vectors, one constant after the other.
    mutating func joined(_ parts: [TensorID]) throws -> TensorID { try concat(parts, axis: 0) }
}
