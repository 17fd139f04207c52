internal import HearthCompute

/// A recurrent layer as its kernel needs it.
package struct PlanRecurrence: Sendable, Codable, Equatable {
    var rule: GraphRecurrence
    var steps: Int
    var batch: Int
    var width: Int
    /// Of the gates that are computed at once: `width` to `sharedGates` · `width` values.
    var weights: PlanWeights
    /// Of a candidate that stands apart: `width` to `width` values.
    var candidate: PlanWeights?
    /// Added to the products with the state.
    var bias: PlanWeights?
    /// Input, forget and output gate.
    var peephole: PlanWeights?
}

extension PlanBuilder {
    mutating func lowerRecurrent(_ step: GraphStep, _ rule: GraphRecurrence) throws {
        func operand(_ place: Int) -> Int? { place < step.inputs.count ? step.inputs[place] : nil }
        let functions = [rule.gate, rule.candidate, rule.output]
        guard let products = operand(0), let weight = operand(1), let state = operand(2),
            graph.constants[weight] != nil, functions.allSatisfy(\.hasKernel),
            operand(6).map({ graph.constants[$0] != nil }) ?? true, let sequence = step.outputs.first,
            let bias = try constant(operand(5)), let peephole = try constant(operand(4))
        else { return try addReference(step) }
        let sizes = shape(sequence)
        let (steps, batch, width) = (sizes[0], sizes[1], sizes[2])
        func matrix(_ id: Int, _ outputs: Int) -> PlanWeights {
            weights(MatrixProduct.packedCount(inner: width, columns: outputs)) { _ in
                .matrix(id, inputs: width, outputs: outputs)
            }
        }
        let recurrence = PlanRecurrence(
            rule: rule, steps: steps, batch: batch, width: width, weights: matrix(weight, rule.sharedGates * width),
            candidate: operand(6).map { matrix($0, width) },
            bias: bias.map { values in weights(MatrixProduct.padded(values.count)) { _ in .values(values) } },
            peephole: peephole.map { values in weights(values.count) { _ in .values(values) } })
        let inputs = [
            try tensor(products, .plain), try tensor(state, .plain), try operand(3).map { try tensor($0, .plain) },
        ]
        add(
            step.place, .recurrent(recurrence), inputs, step.outputs.map { newTensor($0, .plain) },
            work: steps * batch * rule.kind.gates * width * width)
    }

    /// The elements of a constant operand: nil inside for one that was left out, nil for one that is computed.
    private func constant(_ id: Int?) throws -> [Float]?? {
        guard let id else { return .some(nil) }
        guard let values = try graph.values(of: id) else { return nil }
        return values
    }
}
