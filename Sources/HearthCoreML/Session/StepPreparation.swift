internal import HearthCompute

/// Turns the steps of a plan into calls of kernels. A plan may come from a file: whether the tensors of a step fit each
/// other is looked at here, once.
struct StepPreparation {
    /// Path of the model, for errors.
    let file: String
    let plan: CoreMLPlan
    let arena: FloatRegion
    let weights: ModelWeights
    /// Tensors that are constants: they are never written.
    let constants: [Int: FloatRegion]

    /// Copies of the constants that steps take as tensors, which are few and small: positions, indices, masks. Tables that
    /// are looked up may be as large as all other weights, and stay where they are.
    static func constants(of plan: CoreMLPlan, _ weights: ModelWeights) throws -> [Int: FloatRegion] {
        var used: Set<Int> = Set(plan.outputs.map(\.tensor))
        for step in plan.steps {
            var inputs = step.inputs
            if case .gather = step.kernel { inputs = Array(inputs.dropFirst()) }
            used.formUnion(inputs.compactMap(\.self))
        }
        var regions: [Int: FloatRegion] = [:]
        for id in used where plan.tensors[id].isConstant {
            let tensor = plan.tensors[id]
            let region = try FloatRegion(count: MemoryPlan.aligned(max(tensor.storedCount, 1)))
            region.set(try weights.floats(PlanWeights(offset: tensor.offset, count: tensor.storedCount)).values)
            regions[id] = region
        }
        return regions
    }

    /// - Throws: `CoreMLError.invalid` with the step's place, where the kernels refuse it.
    func prepare(_ step: PlanStep) throws -> PreparedStep {
        do {
            let outputs = try step.outputs.map(region)
            var prepared = PreparedStep(work: try work(step), outputs: outputs)
            switch prepared.work {
            case .convolution(let convolution, _, _): prepared.scratch = convolution.scratchCount
            case .attention(let shape, _, _, _, _): prepared.scratch = shape.scratchCount
            case .matrices(let product, _, _): prepared.scratch = product.scratchCount
            case .recurrent(let step): prepared.scratch = step.scratchCount
            case .order(let order, _): prepared.scratch = order.scratchCount
            default: break
            }
            return prepared
        } catch let error as ComputeError {
            throw CoreMLError.invalid(
                .init(file: file, field: step.place), problem: "the step's tensors do not fit: \(error)")
        }
    }

    func tensor(_ id: Int?) throws -> PlanTensor {
        guard let id, plan.tensors.indices.contains(id) else {
            throw ComputeError.shapeMismatch(what: "operands", expected: 1, found: 0)
        }
        return plan.tensors[id]
    }

    func region(_ id: Int?) throws -> FloatRegion {
        let tensor = try tensor(id)
        if let id, tensor.isConstant, let region = constants[id] { return region }
        // Whole lines: kernels of the blocked layout read plain vectors to the end of their last block.
        let count = min(MemoryPlan.aligned(tensor.storedCount), arena.count - tensor.offset)
        return try arena.part(tensor.offset, count)
    }

    /// Exactly a plain tensor's elements.
    func exactRegion(_ id: Int) throws -> FloatRegion { try region(id).part(0, tensor(id).count) }

    private func picture(_ id: Int?) throws -> ImageShape { try ImageShape(tensor(id).shape) }

    func floats(_ weights: PlanWeights) throws -> FloatWeights {
        try self.weights.floats(weights)
    }

    func epilogue(_ epilogue: PlanEpilogue) throws -> Epilogue {
        let residual: Epilogue.Residual =
            !epilogue.addsResidual ? .none : epilogue.residualIsFirst ? .beforeFunction : .afterFunction
        return Epilogue(function: try function(epilogue.activation), residual: residual)
    }

    private func function(_ function: GraphFunction?) throws -> ElementFunction {
        guard let function else { return .identity }
        guard let kernel = function.kernel else {
            throw ComputeError.shapeMismatch(what: "kernels for a function", expected: 1, found: 0)
        }
        return kernel
    }

    /// - Throws: `ComputeError.shapeMismatch` unless both have as many elements.
    func expect(_ what: String, _ found: Int, _ expected: Int) throws {
        guard found == expected else { throw ComputeError.shapeMismatch(what: what, expected: expected, found: found) }
    }

    private func work(_ step: PlanStep) throws -> PreparedStep.Work {
        func operand(_ place: Int) -> Int? { step.inputs.indices.contains(place) ? step.inputs[place] : nil }
        let result = step.outputs.first
        switch step.kernel {
        case .convolution(let plan): return try convolution(plan, step)
        case .linear(let plan): return try linear(plan, step)
        case .byteConvolution(let plan): return try byteConvolution(plan, step)
        case .quantize:
            let (shape, _) = try codes(result)
            try expect("elements of codes", try tensor(operand(0)).count, try tensor(result).count)
            return .quantize(shape, try region(operand(0)), try order(operand(0), beside: result))
        case .dequantize:
            let (shape, region) = try codes(operand(0))
            try expect("elements of codes", try tensor(operand(0)).count, try tensor(result).count)
            return .dequantize(shape, region, isBlocked: try isBlocked(result, beside: operand(0)))
        case .codeSum(let function):
            let (x, y) = (try codes(operand(0)), try codes(operand(1)))
            return .codeSum(
                .init(shape: x.shape, region: x.region), .init(shape: y.shape, region: y.region),
                try self.function(function), try codes(result).shape)
        case .pool(let window, let isAverage, let countsPadding):
            let (input, output) = (try picture(operand(0)), try picture(result))
            let pooling = try Pooling(
                input: input, window: window.picture(), outputHeight: output.height, outputWidth: output.width,
                average: isAverage, countsPadding: countsPadding)
            try expect("channels of a pooling", output.channels * output.batch, input.channels * input.batch)
            return .pool(pooling, try region(operand(0)))
        case .globalMean: return .average(try picture(operand(0)), try region(operand(0)))
        case .softmax(let outer, let count, let stride):
            return .softmax(try region(operand(0)), outer: outer, count: count, stride: stride)
        case .reduce(let reduction, let outer, let count, let stride):
            if let least = reduction.findsLeast {
                let axis = try AxisShape(outer: outer, count: count, stride: stride)
                return .extreme(axis, least: least, try region(operand(0)))
            }
            guard let kernel = reduction.kernel else {
                throw ComputeError.shapeMismatch(what: "kernels for a reduction", expected: 1, found: 0)
            }
            return .reduce(kernel, try region(operand(0)), outer: outer, count: count, stride: stride)
        case .layerNorm(let rows, let width, let epsilon, let gamma, let beta):
            return .layerNorm(
                try region(operand(0)), rows: rows, width: width, epsilon: epsilon, gain: try gamma.map(floats),
                shift: try beta.map(floats))
        case .attention(let scale): return try attention(scale, step)
        case .matmul(let transposeX, let transposeY): return try matrices(transposeX, transposeY, step)
        case .cumulativeSum(let axis, let exclusive, let reverse):
            return try runningSum(axis, isExclusive: exclusive, isReversed: reverse, step)
        case .topK(let axis, let ascending): return try order(axis, isAscending: ascending, step)
        case .unary(let function): return try each(self.function(function), step)
        case .cast(let cast): return try each(cast.kernel, step)
        case .binary(let function, let then): return try pair(function, then, step)
        case .channelScale(let function):
            let shape = try picture(operand(0))
            try expect("pictures", shape.batch, 1)
            return .scale(
                shape, try region(operand(0)), scale: FloatWeights(try region(operand(1))), shift: nil,
                try self.function(function))
        case .channelAffine(let scale, let shift, let function): return try affine(scale, shift, function, step)
        case .slopes: return try slopes(step)
        case .reorder:
            let shape = try picture(operand(0))
            try expect("elements of a reorder", try tensor(result).count, try tensor(operand(0)).count)
            let isPlain = try tensor(operand(0)).layout == .plain
            try expect("layouts of a reorder", try tensor(result).layout == .plain ? 1 : 0, isPlain ? 0 : 1)
            return isPlain ? .toBlocked(shape, try region(operand(0))) : .fromBlocked(shape, try region(operand(0)))
        case .channels(let parts):
            return .channels(
                try parts.map { part in
                    let target = step.outputs.indices.contains(part.result) ? step.outputs[part.result] : nil
                    return PreparedStep.ChannelCopy(
                        source: try picture(operand(part.operand)), input: try region(operand(part.operand)),
                        target: try picture(target), output: try region(target), part: part)
                })
        case .copy(let parts):
            return .copies(
                try parts.map { part in
                    let target = step.outputs.indices.contains(part.result) ? step.outputs[part.result] : nil
                    let copy = try StridedCopy(
                        sizes: part.size, inputStrides: part.strides, outputStrides: part.resultStrides,
                        inputOffset: part.start, outputOffset: part.resultStart)
                    return (copy, try region(operand(part.operand)), try region(target))
                })
        case .recurrent(let plan):
            return .recurrent(
                try recurrent(
                    plan, products: try region(operand(0)), state: try region(operand(1)),
                    cell: try operand(2).map { try region($0) }))
        case .resize(let resize): return try self.resize(resize, step)
        case .gather(let axis): return try gather(axis, step)
        case .select: return try select(step)
        case .reference(let operation):
            try check(operation, step)
            return .reference(
                operation,
                try step.inputs.map { id in
                    guard id != nil else { return nil }
                    let tensor = try tensor(id)
                    return (tensor.shape, try region(id).part(0, tensor.count))
                }, shapes: try step.outputs.map { try tensor($0).shape })
        }
    }

    private func each(_ function: ElementFunction, _ step: PlanStep) throws -> PreparedStep.Work {
        let (x, count) = (step.inputs.first ?? nil, try tensor(step.outputs.first).storedCount)
        try expect("elements", try tensor(x).storedCount, count)
        return .function(function, try region(x), count: count)
    }

    private func convolution(_ plan: PlanConvolution, _ step: PlanStep) throws -> PreparedStep.Work {
        let input = try tensor(step.inputs.first ?? nil).shape
        let output = try picture(step.outputs.first)
        let shape = try plan.shape(of: input, outputChannels: output.channels)
        guard try shape.output == (shape.input == ImageShape(input) ? output : output.turned()) else {
            throw ComputeError.shapeMismatch(
                what: "positions of a convolution", expected: shape.output.positions, found: output.positions)
        }
        let convolution = try Convolution(
            shape, weights: try weights.operand(plan.weights, takesCoded: shape.takesCoded),
            bias: try plan.bias.map(floats), epilogue: epilogue(plan.epilogue))
        return .convolution(
            convolution, try region(step.inputs.first ?? nil), residual: try residual(plan.epilogue, step))
    }

    func residual(_ epilogue: PlanEpilogue, _ step: PlanStep) throws -> FloatRegion? {
        guard epilogue.addsResidual, step.inputs.count > 1 else { return nil }
        return try region(step.inputs[1])
    }

    private func linear(_ plan: PlanLinear, _ step: PlanStep) throws -> PreparedStep.Work {
        let x = step.inputs.first ?? nil
        guard (1...GraphLimits.integer).contains(plan.inputs) else {
            throw ComputeError.shapeMismatch(what: "inputs of a linear step", expected: 1, found: plan.inputs)
        }
        let operand = try weights.operand(
            plan.weights, takesCoded: MatrixProduct.takesCoded(inner: plan.inputs))
        var coded: CodedWeights?
        if case .coded(let weights) = operand { coded = weights }
        let product = try MatrixProduct(
            rows: plan.rows, inner: plan.inputs, columns: plan.outputs, bias: try plan.bias.map(floats),
            epilogue: epilogue(plan.epilogue), weights: coded)
        return .product(product, try region(x), weights: operand, residual: try residual(plan.epilogue, step))
    }

    private func matrices(_ transposeX: Bool, _ transposeY: Bool, _ step: PlanStep) throws -> PreparedStep.Work {
        guard step.inputs.count == 2 else {
            throw ComputeError.shapeMismatch(what: "operands", expected: 2, found: step.inputs.count)
        }
        let (x, y, out) = (try tensor(step.inputs[0]), try tensor(step.inputs[1]), try tensor(step.outputs.first))
        guard x.shape.count >= 2, y.shape.count >= 2, out.shape.count >= 2 else {
            throw ComputeError.shapeMismatch(what: "dimensions of a matrix", expected: 2, found: x.shape.count)
        }
        let (rows, columns) = (out.shape[out.shape.count - 2], out.shape[out.shape.count - 1])
        let inner = x.shape[x.shape.count - (transposeX ? 2 : 1)]
        try expect("inner size", y.shape[y.shape.count - (transposeY ? 1 : 2)], inner)
        let batch = x.shape.dropLast(2).reduce(1, *)
        let sharesRight = y.shape.dropLast(2).reduce(1, *) == 1
        try expect("matrices", out.shape.dropLast(2).reduce(1, *), batch)
        try expect("right matrices", sharesRight ? batch : y.shape.dropLast(2).reduce(1, *), batch)
        let product = try MatrixProduct(
            rows: rows, inner: inner, columns: columns, inputStride: transposeX ? (1, rows) : nil)
        let batched = try BatchedProduct(
            batch: batch, product: product,
            strides: (rows * inner, sharesRight ? 0 : inner * columns, rows * columns), isTransposed: transposeY)
        return .matrices(batched, try region(step.inputs[0]), try region(step.inputs[1]))
    }

    private func attention(_ scale: Float, _ step: PlanStep) throws -> PreparedStep.Work {
        guard step.inputs.count >= 3 else {
            throw ComputeError.shapeMismatch(what: "operands", expected: 3, found: step.inputs.count)
        }
        let shapes = try step.inputs.prefix(3).map { try tensor($0).shape }
        guard shapes.allSatisfy({ $0.count >= 2 }) else {
            throw ComputeError.shapeMismatch(what: "dimensions of an attention", expected: 2, found: 1)
        }
        let sizes = shapes.map { Array($0.suffix(2)) }
        var shape = try AttentionShape(
            heads: shapes[0].dropLast(2).reduce(1, *), queries: sizes[0][0], keys: sizes[1][0], width: sizes[0][1],
            valueWidth: sizes[2][1], scale: scale)
        try expect("width of keys", sizes[1][1], sizes[0][1])
        try expect("values", sizes[2][0], sizes[1][0])
        var mask: FloatRegion?
        if step.inputs.count > 3, let operand = step.inputs[3] {
            mask = try region(operand)
            // Shared by all heads, or one for each (GraphBuilder.attention).
            if try tensor(operand).shape.dropLast(2).contains(where: { $0 != 1 }) {
                shape.maskStride = shape.queries * shape.keys
            }
        }
        return .attention(
            shape, q: try region(step.inputs[0]), k: try region(step.inputs[1]), v: try region(step.inputs[2]),
            mask: mask)
    }

    /// A number a channel beside each position.
    private func slopes(_ step: PlanStep) throws -> PreparedStep.Work {
        guard step.inputs.count == 2 else {
            throw ComputeError.shapeMismatch(what: "operands of slopes", expected: 2, found: step.inputs.count)
        }
        let (x, slopes, out) = (try tensor(step.inputs[0]), try tensor(step.inputs[1]), try tensor(step.outputs.first))
        guard x.shape.count >= 2 else {
            throw ComputeError.shapeMismatch(what: "dimensions of slopes", expected: 2, found: x.shape.count)
        }
        try expect("slopes", slopes.count, x.shape[1])
        let positions = x.shape.dropFirst(2).reduce(1, *)
        let operation: PairOperation
        if x.layout == .blocked {
            let blocks = x.storedCount / max(x.shape[0] * positions * PlanLayout.block, 1)
            operation = try PairOperation(
                .prelu, sizes: [x.shape[0], blocks, positions, PlanLayout.block],
                xStrides: [blocks * positions * PlanLayout.block, positions * PlanLayout.block, PlanLayout.block, 1],
                yStrides: [0, PlanLayout.block, 0, 1])
        } else {
            operation = try PairOperation(
                .prelu, sizes: [x.shape[0], x.shape[1], positions], xStrides: [x.shape[1] * positions, positions, 1],
                yStrides: [0, 1, 0])
        }
        try expect("layouts of slopes", out.layout == x.layout ? 1 : 0, 1)
        try expect("elements of slopes", out.count, x.count)
        return .pair(operation, try region(step.inputs[0]), try region(step.inputs[1]))
    }

    private func pair(_ function: GraphBinary, _ then: GraphFunction?, _ step: PlanStep) throws -> PreparedStep.Work {
        guard let kernel = function.kernel, step.inputs.count == 2 else {
            throw ComputeError.shapeMismatch(what: "operands of a pair", expected: 2, found: step.inputs.count)
        }
        let (x, y, out) = (try tensor(step.inputs[0]), try tensor(step.inputs[1]), try tensor(step.outputs.first))
        let operation: PairOperation
        if x.layout == .blocked {
            try expect("elements", y.storedCount, x.storedCount)
            operation = try PairOperation(
                kernel, then: self.function(then), broadcasting: [x.storedCount], with: [y.storedCount])
        } else {
            operation = try PairOperation(kernel, then: self.function(then), broadcasting: x.shape, with: y.shape)
        }
        try expect("elements of a result", operation.count, x.layout == .blocked ? out.storedCount : out.count)
        return .pair(operation, try region(step.inputs[0]), try region(step.inputs[1]))
    }

    private func affine(
        _ scale: PlanWeights, _ shift: PlanWeights, _ then: GraphFunction?, _ step: PlanStep
    ) throws -> PreparedStep.Work {
        let x = step.inputs.first ?? nil
        let tensor = try tensor(x)
        let then = try function(then)
        if tensor.layout == .blocked {
            return .scale(try picture(x), try region(x), scale: try floats(scale), shift: try floats(shift), then)
        }
        guard tensor.shape.count >= 2, then == .identity else {
            throw ComputeError.shapeMismatch(what: "dimensions of a scale", expected: 2, found: tensor.shape.count)
        }
        let (channels, size) = (tensor.shape[1], tensor.shape.dropFirst(2).reduce(1, *))
        let (scales, shifts) = (try floats(scale).values, try floats(shift).values)
        try expect("channel scales", min(scales.count, shifts.count, channels), channels)
        let (input, output) = (try region(x), try region(step.outputs.first))
        return .planes(
            try (0..<tensor.shape[0] * channels).map { plane in
                (
                    .linear(scale: scales[plane % channels], offset: shifts[plane % channels]),
                    try input.part(plane * size, size), try output.part(plane * size, size)
                )
            })
    }
}
