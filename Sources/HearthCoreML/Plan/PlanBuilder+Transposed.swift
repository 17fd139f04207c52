internal import HearthCompute

/// Transposed convolutions: convolutions, and copies of their results to every stride-th place.
extension PlanBuilder {
    mutating func lowerTransposed(_ geometry: GraphConvolution, _ step: GraphStep, _ group: FusionGroup) throws {
        guard let x = step.inputs[0], let layer = WeightedStep(step, graph),
            let phases = TransposedPhases(geometry, input: shape(x), output: shape(step.outputs[0]))
        else { return try addReference(step) }
        let input = shape(x)
        // Results of few channels are written as plain tensors: each of their blocks would be mostly empty.
        let isPlain = layer.outputs <= PlanLayout.block / 2
        let isFirst = geometry.groups == 1 && input[1] < PlanLayout.block && !has(x, .blocked)
        let operand = try tensor(x, isFirst ? .plain : .blocked)
        let room = isPlain || !phases.isOne ? layer.outputs : blocks(layer.outputs) * PlanLayout.block
        let parts = phases.isOne ? [phases.pairs] : phases.pairs.map { [$0] }
        var copies: [PlanCopy] = []
        var made: [Int] = []
        let result = graph.steps[group.last].outputs[0]
        let output = shape(result)
        for part in parts {
            let (row, column) = part[0]
            let channels = part.count * room
            var convolution = PlanConvolution(
                window: PlanWindow(
                    kernel: [row.taps, column.taps], strides: [1, 1], dilations: [1, 1],
                    before: [row.before, column.before], after: [row.after, column.after]),
                groups: geometry.groups,
                isDepthwise: geometry.groups == input[1] && layer.outputs == input[1] && input[1] > 1,
                isPlain: isFirst, epilogue: group.epilogue)
            let packing = try ConvolutionShape(
                input: ImageShape(input), outputChannels: channels, window: convolution.window.picture(),
                groups: geometry.groups, inputIsPlain: isFirst)
            let filters = phases.filters(part, inputs: input[1], outputs: layer.outputs, room: room)
            convolution.weights = weights(packing.packedCount) { _ in .transposed(layer.weight, filters, packing) }
            convolution.bias = try bias(layer, phases: part.count, room: room)
            let shape = [input[0], channels, row.count, column.count]
            let tensor = newTensor(graph.tensors[result].name, shape, .blocked)
            add(step.place, .convolution(convolution), [operand, nil], [tensor], work: packing.products)
            for (index, pair) in part.enumerated() where pair.row.used > 0 && pair.column.used > 0 {
                copies += Self.copies(
                    pair, of: shape, first: index * room, channels: layer.outputs, operand: made.count,
                    strides: phases.strides, into: output, isPlain: isPlain)
            }
            made.append(tensor)
        }
        add(step.place, .copy(copies), made, [newTensor(result, isPlain ? .plain : .blocked)])
    }

    private mutating func bias(_ layer: WeightedStep, phases: Int, room: Int) throws -> PlanWeights? {
        guard let bias = layer.bias, let values = try graph.values(of: bias), values.contains(where: { $0 != 0 })
        else { return nil }
        let padded = values + [Float](repeating: 0, count: max(room - values.count, 0))
        let all = [[Float]](repeating: padded, count: phases).flatMap(\.self)
        return weights(blocks(all.count) * PlanLayout.block) { _ in .values(all) }
    }

    /// One phase's results, from a blocked tensor whose channels from `first` on are the phase's.
    private static func copies(
        _ pair: (row: TransposedPhases.Line, column: TransposedPhases.Line), of shape: [Int], first: Int, channels: Int,
        operand: Int, strides: [Int], into output: [Int], isPlain: Bool
    ) -> [PlanCopy] {
        let block = PlanLayout.block
        let (height, width) = (shape[2], shape[3])
        let plane = height * width * block
        let picture = (shape[1] + block - 1) / block * plane
        let start = (pair.row.start * width + pair.column.start) * block
        let rows = output.count == 4 ? output[2] : 1
        let columns = output[output.count - 1]
        let place = pair.row.place * columns + pair.column.place
        guard isPlain else {
            let outputBlocks = (channels + block - 1) / block
            let copy = PlanCopy(
                operand: operand, result: 0,
                size: [shape[0], outputBlocks, pair.row.used, pair.column.used, block],
                start: first / block * plane + start, strides: [picture, plane, width * block, block, 1],
                resultStart: place * block,
                resultStrides: [
                    outputBlocks * rows * columns * block, rows * columns * block, strides[0] * columns * block,
                    strides[1] * block, 1,
                ])
            return [StridedCopies.merged(copy)]
        }
        // A run of channels in each block.
        var copies: [PlanCopy] = []
        var channel = 0
        while channel < channels {
            let (index, lane) = (first + channel).quotientAndRemainder(dividingBy: block)
            let count = min(block - lane, channels - channel)
            let copy = PlanCopy(
                operand: operand, result: 0, size: [shape[0], count, pair.row.used, pair.column.used],
                start: index * plane + lane + start, strides: [picture, 1, width * block, block],
                resultStart: channel * rows * columns + place,
                resultStrides: [channels * rows * columns, rows * columns, strides[0] * columns, strides[1]])
            copies.append(StridedCopies.merged(copy))
            channel += count
        }
        return copies
    }
}
