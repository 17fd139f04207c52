/// Recurrent layers by plain loops, sums in double precision.
extension ReferenceExecutor {
    func recurred(
        _ recurrence: GraphRecurrence, _ operands: Operands, _ shapes: [[Int]]
    ) throws -> [CoreMLTensor] {
        let (products, weights) = (operands[0], operands[1])
        let (steps, batch, width) = (shapes[0][0], shapes[0][1], shapes[0][2])
        var state = operands[2].values.map(Double.init)
        var cell = operands.optional(3)?.values.map(Double.init) ?? []
        var states = CoreMLTensor(shape: shapes[0])
        let gates = recurrence.kind.gates * width
        let cellRule = CellRule(recurrence, operands, width: width)
        for index in 0..<steps {
            try checkCancellation()
            let step = recurrence.isReversed ? steps - 1 - index : index
            for row in 0..<batch {
                let here = row * width..<(row + 1) * width
                let sums = (0..<recurrence.sharedGates * width).map { gate in
                    Self.dot(weights.values, gate * width, state[here])
                        + Double(operands.optional(5)?.values[gate] ?? 0)
                }
                let start = (step * batch + row) * gates
                let inputs = products.values[start..<start + gates].map(Double.init)
                var (own, memory) = (Array(state[here]), cell.isEmpty ? [] : Array(cell[here]))
                cellRule.apply(inputs, sums, &own, &memory)
                state.replaceSubrange(here, with: own)
                if !memory.isEmpty { cell.replaceSubrange(here, with: memory) }
            }
            let target = step * batch * width
            for place in state.indices { states.values[target + place] = Float(state[place]) }
        }
        var results = [states, CoreMLTensor(shape: shapes[1], values: state.map { Float($0) })]
        if recurrence.kind == .lstm { results.append(CoreMLTensor(shape: shapes[2], values: cell.map { Float($0) })) }
        return results
    }

    static func dot(_ weights: [Float], _ start: Int, _ vector: ArraySlice<Double>) -> Double {
        var sum = 0.0
        for (place, value) in vector.enumerated() { sum += Double(weights[start + place]) * value }
        return sum
    }

    /// One step of one row.
    private struct CellRule {
        let recurrence: GraphRecurrence
        let width: Int
        let peephole: [Double]?
        let candidate: [Float]?
        let (gate, inner, output): ((Double) -> Double, (Double) -> Double, (Double) -> Double)

        init(_ recurrence: GraphRecurrence, _ operands: Operands, width: Int) {
            self.recurrence = recurrence
            self.width = width
            peephole = operands.optional(4)?.values.map(Double.init)
            candidate = operands.optional(6)?.values
            gate = ReferenceExecutor.function(recurrence.gate)
            inner = ReferenceExecutor.function(recurrence.candidate)
            output = ReferenceExecutor.function(recurrence.output)
        }

        func apply(_ inputs: [Double], _ sums: [Double], _ state: inout [Double], _ cell: inout [Double]) {
            switch recurrence.kind {
            case .simple:
                for place in 0..<width { state[place] = inner(inputs[place] + sums[place]) }
            case .gru:
                let old = state
                let reset = (0..<width).map { gate(inputs[$0] + sums[$0]) }
                let product: [Double]
                if let candidate {
                    let kept = zip(old, reset).map(*)
                    product = (0..<width).map { ReferenceExecutor.dot(candidate, $0 * width, kept[...]) }
                } else {
                    product = (0..<width).map { reset[$0] * sums[2 * width + $0] }
                }
                for place in 0..<width {
                    let update = gate(inputs[width + place] + sums[width + place])
                    let new = inner(inputs[2 * width + place] + product[place])
                    state[place] = (1 - update) * new + update * old[place]
                }
            case .lstm:
                for place in 0..<width {
                    func sum(_ block: Int) -> Double { inputs[block * width + place] + sums[block * width + place] }
                    func seen(_ block: Int) -> Double { peephole.map { $0[block * width + place] * cell[place] } ?? 0 }
                    let (enters, stays) = (gate(sum(0) + seen(0)), gate(sum(1) + seen(1)))
                    var memory = stays * cell[place] + enters * inner(sum(3))
                    if let clip = recurrence.clip.map(Double.init) { memory = min(max(memory, -clip), clip) }
                    cell[place] = memory
                    state[place] = gate(sum(2) + seen(2)) * output(memory)
                }
            }
        }
    }
}
