internal import HearthCompute

/// Convolutions, linear layers, products of matrices.
extension PlanBuilder {
    /// Chooses kernels and layouts for a group of steps.
    mutating func lower(_ group: FusionGroup) throws {
        let step = graph.steps[group.anchor]
        if let weights = rounded.products[group.anchor], try lowerBytes(weights, step, group) { return }
        switch step.operation {
        case .convolution(let geometry): try lowerConvolution(geometry, step, group)
        case .transposedConvolution(let geometry): try lowerTransposed(geometry, step, group)
        case .linear: try lowerLinear(step, group)
        case .matmul(let transposeX, let transposeY):
            try lowerMatmul(step, .matmul(transposeX: transposeX, transposeY: transposeY))
        case .attention(let scale): try lowerAttention(step, scale)
        default: try lowerOther(step)
        }
    }

    private mutating func lowerConvolution(
        _ geometry: GraphConvolution, _ step: GraphStep, _ group: FusionGroup
    ) throws {
        guard let x = step.inputs[0], let weight = step.inputs[1], let layer = WeightedStep(step, graph),
            geometry.kernel.count <= 2
        else { return try addReference(step) }
        let result = graph.steps[group.last].outputs[0]
        let (input, output) = (shape(x), shape(result))
        if isMatrix(geometry, input, output) {
            return try lowerLinear(step, group, inputs: input[1], rows: input[0])
        }
        let channels = input[1]
        let isDepthwise = geometry.groups == channels && layer.outputs == channels && channels > 1
        let isPlain = geometry.groups == 1 && channels < PlanLayout.block && !has(x, .blocked)
        var convolution = PlanConvolution(
            window: PlanWindow(
                kernel: geometry.kernel, strides: geometry.strides, dilations: geometry.dilations,
                before: geometry.before, after: geometry.after),
            groups: geometry.groups, isDepthwise: isDepthwise, isPlain: isPlain, epilogue: group.epilogue)
        var packing = try convolution.shape(of: input, outputChannels: layer.outputs)
        // A residual is laid out as the result.
        if packing.isFastestAsPlanes, group.residual.map({ has($0, .plain) || !has($0, .blocked) }) ?? true {
            convolution.makesPlain = true
            convolution.isPlain = has(x, .plain) || !has(x, .blocked)
            packing = try convolution.shape(of: input, outputChannels: layer.outputs)
        }
        let layout: PlanLayout = convolution.makesPlain ? .plain : .blocked
        let operand = try tensor(x, convolution.isPlain ? .plain : .blocked)
        convolution.weights = weights(packing.packedCount) { _ in .convolution(weight, packing) }
        convolution.bias = try bias(layer)
        let residual = try group.residual.map { try tensor($0, layout) }
        let made = newTensor(result, layout)
        add(step.place, .convolution(convolution), [operand, residual], [made], work: packing.products)
    }

    /// A convolution over one position is a product of a matrix and a vector.
    private func isMatrix(_ geometry: GraphConvolution, _ input: [Int], _ output: [Int]) -> Bool {
        geometry.groups == 1 && geometry.kernel.allSatisfy { $0 == 1 } && input.dropFirst(2).allSatisfy { $0 == 1 }
            && output.dropFirst(2).allSatisfy { $0 == 1 }
            && (geometry.before + geometry.after).allSatisfy { $0 == 0 }
    }

    private mutating func lowerLinear(
        _ step: GraphStep, _ group: FusionGroup, inputs: Int? = nil, rows: Int? = nil
    ) throws {
        guard let x = step.inputs[0], let weight = step.inputs[1], let layer = WeightedStep(step, graph) else {
            return try addReference(step)
        }
        let width = inputs ?? shape(x).last ?? 1
        let count = rows ?? max(shape(x).dropLast().reduce(1, *), 0)
        guard width > 0 else { return try addReference(step) }
        let outputs = layer.outputs
        let operand = try tensor(x, .plain)
        let packed = weights(MatrixProduct.packedCount(inner: width, columns: outputs)) { _ in
            .matrix(weight, inputs: width, outputs: outputs)
        }
        let linear = PlanLinear(
            rows: count, inputs: width, outputs: outputs, weights: packed, bias: try bias(layer),
            epilogue: group.epilogue)
        let residual = try group.residual.map { try tensor($0, .plain) }
        let made = newTensor(graph.steps[group.last].outputs[0], .plain)
        add(step.place, .linear(linear), [operand, residual], [made], work: count * width * outputs)
    }

    mutating func bias(_ layer: WeightedStep) throws -> PlanWeights? {
        guard let bias = layer.bias, let values = try graph.values(of: bias) else { return nil }
        guard values.contains(where: { $0 != 0 }) else { return nil }
        return weights(blocks(values.count) * PlanLayout.block) { _ in .values(values) }
    }

    func blocks(_ count: Int) -> Int { (count + PlanLayout.block - 1) / PlanLayout.block }

    /// Leading dimensions that agree, or of which one matrix on the right serves all; others are repeated first, which is
    /// little beside their products.
    private mutating func lowerMatmul(_ step: GraphStep, _ kernel: PlanKernel) throws {
        guard let x = step.inputs[0], let y = step.inputs[1], let result = step.outputs.first,
            case .matmul(let transposeX, _) = kernel, shape(x).count >= 2, shape(y).count >= 2
        else { return try addReference(step) }
        let (left, right) = (shape(x), shape(y))
        let batch = Array(shape(result).dropLast(2))
        let inner = left[left.count - (transposeX ? 2 : 1)]
        let matrices = left.dropLast(2).reduce(1, *)
        let isShared = right.dropLast(2).allSatisfy { $0 == 1 } && matrices == batch.reduce(1, *)
        let agree = left.dropLast(2).elementsEqual(right.dropLast(2))
        let operands: [Int]
        if isShared || agree {
            operands = [try tensor(x, .plain), try tensor(y, .plain)]
        } else {
            let packed = MatrixProduct.packedCount(inner: inner, columns: shape(result).last ?? 1)
            guard let first = repetition(of: left, batch), let second = repetition(of: right, batch),
                GraphShape.count(batch + [packed]) != nil
            else { return try addReference(step) }
            operands = [try repeated(step, x, first, batch), try repeated(step, y, second, batch)]
        }
        add(step.place, kernel, operands, [newTensor(result, .plain)], work: shape(result).reduce(1, *) * inner)
    }

    /// Matrices as their leading dimensions broadcast; nil where they have too many, or would take more memory than any tensor
    /// of a model may: one row for each of many large matrices is less than these.
    private func repetition(of matrices: [Int], _ batch: [Int]) -> PlanCopy? {
        let size = batch + matrices.suffix(2)
        let own = [Int](repeating: 1, count: max(size.count - matrices.count, 0)) + matrices
        guard own.count == size.count, !size.contains(0), GraphShape.count(size) != nil else { return nil }
        let strides = zip(StridedCopies.strides(own), own).map { $1 == 1 ? 0 : $0 }
        let copy = StridedCopies.merged(
            PlanCopy(
                operand: 0, result: 0, size: size, start: 0, strides: strides, resultStart: 0,
                resultStrides: StridedCopies.strides(size)))
        return copy.size.count <= StridedCopies.largestRank ? copy : nil
    }

    private mutating func repeated(
        _ step: GraphStep, _ x: CoreMLGraph.TensorID, _ copy: PlanCopy, _ batch: [Int]
    ) throws -> Int {
        let source = try tensor(x, .plain)
        let size = batch + shape(x).suffix(2)
        guard size.reduce(1, *) != shape(x).reduce(1, *) else { return source }
        let made = newTensor(graph.tensors[x].name, size, .plain)
        add(step.place, .copy([copy]), [source], [made])
        return made
    }

    private mutating func lowerAttention(_ step: GraphStep, _ scale: Float) throws {
        let operands = step.inputs.compactMap(\.self)
        guard operands.count >= 3, let result = step.outputs.first else { return try addReference(step) }
        let (query, key, value) = (shape(operands[0]), shape(operands[1]), shape(operands[2]))
        let batch = query.dropLast(2)
        guard query.count >= 2, key.count >= 2, key.dropLast(2) == batch, value.dropLast(2) == batch,
            operands.count == 3
                || isMask(shape(operands[3]), batch + [query[query.count - 2], key[key.count - 2]])
        else { return try addReference(step) }
        let inputs = try operands.map { try tensor($0, .plain) }
        let pairs = query.dropLast(1).reduce(1, *) * key[key.count - 2]
        add(
            step.place, .attention(scale: scale), inputs, [newTensor(result, .plain)],
            work: pairs * ((query.last ?? 0) + (value.last ?? 0)))
    }

    /// Whether a mask has one value for each score, of one head or of all.
    private func isMask(_ mask: [Int], _ scores: [Int]) -> Bool {
        mask == scores || (mask.suffix(2) == scores.suffix(2) && mask.dropLast(2).allSatisfy { $0 == 1 })
    }
}
