internal import HearthCompute

/// A recurrent layer that is ready to run: the products with the inputs are there for all steps, and each step multiplies
/// the state and applies the gates.
struct RecurrentStep: Sendable {
    let plan: PlanRecurrence
    let product: MatrixProduct
    let weights: ProductWeights
    let candidate: (product: MatrixProduct, weights: ProductWeights)?
    let peephole: [Float]?
    let gate: ElementFunction
    let inner: ElementFunction
    let output: ElementFunction
    let products: FloatRegion
    let state: FloatRegion
    let cell: FloatRegion?

    /// Values of a row of products.
    private var gates: Int { plan.rule.kind.gates * plan.width }
    private var stateCount: Int { plan.batch * plan.width }
    private var sumCount: Int { plan.batch * plan.rule.sharedGates * plan.width }

    /// Sums of the gates, the state, the cell, and what is between them.
    var scratchCount: Int {
        [sumCount, stateCount, stateCount, stateCount].map(MemoryPlan.aligned).reduce(0, +)
    }

    /// - Parameter outputs: all states, the last one, and an LSTM's last cell.
    /// - Throws: `ComputeError.shapeMismatch` where regions are too short. Returns early where `compute` is cancelled.
    func run(_ compute: Compute, scratch: FloatRegion, into outputs: [FloatRegion]) throws {
        var place = 0
        func part(_ count: Int) throws -> FloatRegion {
            defer { place += MemoryPlan.aligned(count) }
            return try scratch.part(place, count)
        }
        let (sums, state) = (try part(sumCount), try part(stateCount))
        let (cell, between) = (try part(stateCount), try part(stateCount))
        guard outputs.count >= (self.cell == nil ? 2 : 3) else {
            throw ComputeError.shapeMismatch(what: "results of a recurrent layer", expected: 3, found: outputs.count)
        }
        // All sizes before anything is written.
        _ = try (products.part(0, plan.steps * plan.batch * gates), outputs[0].part(0, plan.steps * stateCount))
        for output in outputs.dropFirst() { _ = try output.part(0, stateCount) }
        try Self.copy(self.state.part(0, stateCount), to: state)
        if let first = self.cell { try Self.copy(first.part(0, stateCount), to: cell) }
        for index in 0..<plan.steps {
            let step = plan.rule.isReversed ? plan.steps - 1 - index : index
            let inputs = try products.part(step * plan.batch * gates, plan.batch * gates)
            try multiply(compute, inputs, state, into: sums)
            if compute.isCancelled {
                // A plan is checked by a run on cancelled threads, which must see the operands of every product.
                if let candidate {
                    try compute.multiply(
                        candidate.product, state.part(0, plan.width), weights: candidate.weights,
                        into: sums.part(0, plan.width))
                }
                return
            }
            for row in 0..<plan.batch {
                let rowState = try state.part(row * plan.width, plan.width)
                let rowBetween = try between.part(row * plan.width, plan.width)
                let rowSums = try sums.part(
                    row * plan.rule.sharedGates * plan.width, plan.rule.sharedGates * plan.width)
                let rowInputs = try inputs.part(row * gates, gates)
                switch plan.rule.kind {
                case .simple: try compute.apply(inner, rowSums, count: plan.width, into: rowState)
                case .lstm:
                    try lstm(compute, rowSums, rowState, try cell.part(row * plan.width, plan.width), rowBetween)
                case .gru: try gru(compute, rowInputs, rowSums, rowState, rowBetween)
                }
            }
            try Self.copy(state, to: outputs[0].part(step * stateCount, stateCount))
        }
        try Self.copy(state, to: outputs[1].part(0, stateCount))
        if self.cell != nil { try Self.copy(cell, to: outputs[2].part(0, stateCount)) }
    }

    /// Products with the state; where all gates are computed at once, those with the inputs are added.
    private func multiply(
        _ compute: Compute, _ inputs: FloatRegion, _ state: FloatRegion, into sums: FloatRegion
    ) throws {
        let addsInputs = product.epilogue.residual != .none
        try compute.multiply(product, state, weights: weights, residual: addsInputs ? inputs : nil, into: sums)
    }

    private static func copy(_ source: FloatRegion, to target: FloatRegion) throws {
        source.withValues { from in
            target.withMutableValues { to in for index in from.indices { to[index] = from[index] } }
        }
    }

    private func lstm(
        _ compute: Compute, _ sums: FloatRegion, _ state: FloatRegion, _ cell: FloatRegion, _ between: FloatRegion
    ) throws {
        let width = plan.width
        if let peephole { Self.addScaled(cell, peephole, 0..<2 * width, to: sums) }
        try compute.apply(gate, sums, count: 2 * width, into: sums)
        let candidate = try sums.part(3 * width, width)
        try compute.apply(inner, candidate, count: width, into: candidate)
        let clip = plan.rule.clip
        sums.withValues { sums in
            cell.withMutableValues { cell in
                for place in 0..<width {
                    let memory = sums[width + place] * cell[place] + sums[place] * sums[3 * width + place]
                    cell[place] = clip.map { min(max(memory, -$0), $0) } ?? memory
                }
            }
        }
        if let peephole { Self.addScaled(cell, peephole, 2 * width..<3 * width, to: sums) }
        let last = try sums.part(2 * width, width)
        try compute.apply(gate, last, count: width, into: last)
        try compute.apply(output, cell, count: width, into: between)
        Self.multiply(last, between, into: state)
    }

    /// sums[i] += cell[i mod width] · weights[i]
    private static func addScaled(
        _ cell: FloatRegion, _ weights: [Float], _ range: Range<Int>, to sums: FloatRegion
    ) {
        cell.withValues { cell in
            sums.withMutableValues { sums in
                for index in range { sums[index] += cell[index % cell.count] * weights[index] }
            }
        }
    }

    private static func multiply(_ x: FloatRegion, _ y: FloatRegion, into result: FloatRegion) {
        x.withValues { x in
            y.withValues { y in
                result.withMutableValues { for index in x.indices { $0[index] = x[index] * y[index] } }
            }
        }
    }

    private func gru(
        _ compute: Compute, _ inputs: FloatRegion, _ sums: FloatRegion, _ state: FloatRegion, _ between: FloatRegion
    ) throws {
        let width = plan.width
        inputs.withValues { inputs in
            sums.withMutableValues { sums in for index in 0..<2 * width { sums[index] += inputs[index] } }
        }
        try compute.apply(gate, sums, count: 2 * width, into: sums)
        if let candidate {
            Self.multiply(try sums.part(0, width), state, into: between)
            // The reset gate is not needed any more.
            try compute.multiply(candidate.product, between, weights: candidate.weights, into: sums.part(0, width))
            Self.add(inputs, 2 * width, sums, 0, into: between)
        } else {
            sums.withMutableValues { sums in
                for place in 0..<width { sums[2 * width + place] *= sums[place] }
            }
            Self.add(inputs, 2 * width, sums, 2 * width, into: between)
        }
        try compute.apply(inner, between, count: width, into: between)
        sums.withValues { sums in
            between.withValues { new in
                state.withMutableValues { state in
                    for place in 0..<width {
                        let update = sums[width + place]
                        state[place] = (1 - update) * new[place] + update * state[place]
                    }
                }
            }
        }
    }

    private static func add(_ x: FloatRegion, _ first: Int, _ y: FloatRegion, _ second: Int, into result: FloatRegion) {
        x.withValues { x in
            y.withValues { y in
                result.withMutableValues { result in
                    for index in 0..<result.count { result[index] = x[first + index] + y[second + index] }
                }
            }
        }
    }
}

extension StepPreparation {
    func recurrent(
        _ plan: PlanRecurrence, products: FloatRegion, state: FloatRegion, cell: FloatRegion?
    ) throws -> RecurrentStep {
        let sizes = [plan.steps, plan.batch, plan.width]
        guard sizes.allSatisfy({ (1...GraphLimits.elements).contains($0) }),
            GraphShape.count(sizes + [plan.rule.kind.gates]) != nil,
            (plan.rule.kind == .lstm) == (cell != nil), plan.rule.hasSeparateCandidate == (plan.candidate != nil),
            let gate = plan.rule.gate.kernel, let inner = plan.rule.candidate.kernel,
            let output = plan.rule.output.kernel
        else { throw ComputeError.shapeMismatch(what: "a recurrent layer", expected: 1, found: 0) }
        let addsInputs = plan.rule.sharedGates == plan.rule.kind.gates && plan.rule.kind != .gru
        let (weights, operand) = try operand(plan.weights, inputs: plan.width)
        let product = try MatrixProduct(
            rows: plan.batch, inner: plan.width, columns: plan.rule.sharedGates * plan.width,
            bias: try plan.bias.map { try self.weights.floats($0) },
            epilogue: Epilogue(function: .identity, residual: addsInputs ? .beforeFunction : .none), weights: weights)
        let candidate = try plan.candidate.map { wanted in
            let (weights, operand) = try self.operand(wanted, inputs: plan.width)
            // Row by row, each behind its own reset gate.
            let product = try MatrixProduct(rows: 1, inner: plan.width, columns: plan.width, weights: weights)
            return (product: product, weights: operand)
        }
        let peephole = try plan.peephole.map { try self.weights.floats($0).values }
        if let peephole, peephole.count < 3 * plan.width {
            throw ComputeError.shapeMismatch(what: "a peephole", expected: 3 * plan.width, found: peephole.count)
        }
        return RecurrentStep(
            plan: plan, product: product, weights: operand, candidate: candidate, peephole: peephole, gate: gate,
            inner: inner, output: output, products: products, state: state, cell: cell)
    }

    private func operand(_ wanted: PlanWeights, inputs: Int) throws -> (coded: CodedWeights?, ProductWeights) {
        let operand = try weights.operand(wanted, takesCoded: MatrixProduct.takesCoded(inner: inputs))
        if case .coded(let coded) = operand { return (coded, operand) }
        return (nil, operand)
    }
}
