internal import HearthCompute

/// Products of 8-bit codes, and what makes codes and reads them.
extension PlanBuilder {
    /// The sizes of a convolution or linear layer that can be computed with codes: sums have to fit 32 bits.
    static func byteShape(_ step: GraphStep, _ layer: WeightedStep, _ graph: CoreMLGraph) -> ByteConvolutionShape? {
        guard let x = step.inputs[0] else { return nil }
        let input = graph.tensors[x].shape
        switch step.operation {
        case .convolution(let geometry):
            guard geometry.kernel.count <= 2, (3...4).contains(input.count) else { return nil }
            let window = PlanWindow(
                kernel: geometry.kernel, strides: geometry.strides, dilations: geometry.dilations,
                before: geometry.before, after: geometry.after)
            let sides = window.before + window.after
            guard sides.allSatisfy({ (0...CodeShape.mostBorder).contains($0) }), let picture = try? window.picture()
            else { return nil }
            return try? ByteConvolutionShape(
                inputChannels: input[1], outputChannels: layer.outputs, window: picture, groups: geometry.groups)
        case .linear:
            guard let width = input.last else { return nil }
            return try? ByteConvolutionShape(
                inputChannels: width, outputChannels: layer.outputs, window: ImageWindow(kernel: 1))
        default: return nil
        }
    }

    /// Computes a convolution or a linear layer with the codes of its input; what it makes becomes codes at once, if it is used
    /// for nothing else.
    /// - Returns: false where its input has no codes that suit.
    mutating func lowerBytes(_ weights: ByteWeights, _ step: GraphStep, _ group: FusionGroup) throws -> Bool {
        guard let x = step.inputs[0], let operand = codes(of: x), let code = plan.tensors[operand].code,
            let layer = WeightedStep(step, graph), let packing = Self.byteShape(step, layer, graph)
        else { return false }
        let isMatrix = step.operation == .linear
        let window = packing.window
        let sides = [window.top, window.left, window.bottom, window.right]
        guard code.isChannelsLast == isMatrix, zip(sides, code.border).allSatisfy({ $0 <= $1 }) else { return false }
        let result = graph.steps[group.last].outputs[0]
        let channels = blocks(layer.outputs) * PlanLayout.block
        let target = self.weights(packing.packedCount) { _ in .bytes(layer.weight, packing) }
        func perChannel(_ values: [Float]) -> PlanWeights {
            let padded = values + [Float](repeating: 0, count: channels - values.count)
            return self.weights(channels) { _ in .values(padded) }
        }
        let scales = weights.scales.map { Float(Double($0) * Double(code.scale)) }
        let convolution = PlanByteConvolution(
            window: PlanWindow(window), groups: packing.groups, isDepthwise: packing.isDepthwise, weights: target,
            sums: perChannel(weights.sums), scales: perChannel(scales), bias: try bias(layer),
            epilogue: group.epilogue)
        let layout: PlanLayout = isMatrix ? .plain : .blocked
        let residual = try group.residual.map { try tensor($0, layout) }
        let made: Int
        if residual == nil, let rounded = rounded.rounded(result) {
            made = newCodes(rounded, isChannelsLast: isMatrix)
        } else {
            made = newTensor(result, layout)
        }
        let work = shape(result).reduce(1, *) * (packing.weightCount / max(layer.outputs, 1))
        add(step.place, .byteConvolution(convolution), [operand, residual], [made], work: work)
        return true
    }

    /// The most channels of a picture whose planes are rounded one by one.
    private static let mostPlanes = 4

    /// Makes the codes of a tensor, unless the product that made it did so.
    mutating func lowerRounding(_ result: CoreMLGraph.TensorID) throws {
        guard let tensor = rounded.tensors[result], codes(of: result) == nil else { return }
        if let sum = tensor.sum, try lowerSum(sum, tensor) { return }
        // Pictures stay pictures where their source is one already.
        let isPicture =
            (3...4).contains(shape(result).count)
            && (tensor.isPicture || !tensor.isMatrix && has(tensor.source, .blocked) && !has(tensor.source, .plain))
        // A picture of few channels becomes codes as it comes: blocks of 16 would be mostly empty.
        let isThin = has(tensor.source, .plain) && shape(result).count == 4 && shape(result)[1] <= Self.mostPlanes
        let operand = try self.tensor(tensor.source, isPicture && !isThin ? .blocked : .plain)
        let made = newCodes(tensor, isChannelsLast: !isPicture)
        add(graph.steps[tensor.steps[0]].place, .quantize, [operand], [made])
    }

    /// Adds codes; where one of the operands has none that suit, floats.
    /// - Returns: whether the codes of the sum are made.
    private mutating func lowerSum(_ sum: RoundedSum, _ tensor: RoundedTensor) throws -> Bool {
        if let x = codes(of: sum.x), let y = codes(of: sum.y), let left = plan.tensors[x].code,
            let right = plan.tensors[y].code, left.isChannelsLast == right.isChannelsLast,
            !(left.isChannelsLast && tensor.isPicture)
        {
            let made = newCodes(tensor, isChannelsLast: left.isChannelsLast)
            add(graph.steps[sum.steps[0]].place, .codeSum(sum.function), [x, y], [made])
            return true
        }
        for place in sum.steps { try lowerOther(graph.steps[place]) }
        return false
    }

    private mutating func newCodes(_ tensor: RoundedTensor, isChannelsLast: Bool) -> Int {
        let made = newTensor(tensor.result, .codes)
        plan.tensors[made].code = PlanCode(
            scale: tensor.scale, zero: tensor.zero, isChannelsLast: isChannelsLast,
            border: isChannelsLast ? [0, 0, 0, 0] : tensor.border)
        return made
    }
}

extension PlanWindow {
    fileprivate init(_ window: ImageWindow) {
        self.init(
            kernel: [window.kernelHeight, window.kernelWidth], strides: [window.strideY, window.strideX],
            dilations: [window.dilationY, window.dilationX], before: [window.top, window.left],
            after: [window.bottom, window.right])
    }
}
