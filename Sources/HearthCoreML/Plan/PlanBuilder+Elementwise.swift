internal import HearthCompute

/// Everything that is no product.
extension PlanBuilder {
    mutating func lowerOther(_ step: GraphStep) throws {
        guard let x = step.inputs.first ?? nil, let result = step.outputs.first else { return try addReference(step) }
        switch step.operation {
        case .reshape:
            let source = try tensor(x, .plain)
            _ = newView(of: source, result, .plain)
        case .pool(let pool) where pool.kind != .l2 && pool.kernel.count <= 2:
            let window = PlanWindow(
                kernel: pool.kernel, strides: pool.strides, dilations: pool.kernel.map { _ in 1 }, before: pool.before,
                after: pool.after)
            add(
                step.place,
                .pool(window, isAverage: pool.kind == .average, countsPadding: pool.countsPadding),
                [try tensor(x, .blocked)], [newTensor(result, .blocked)])
        case .reduce(let reduction, let axes): try lowerReduce(step, reduction, axes, x, result)
        case .softmax(let axis):
            let lengths = lengths(shape(x), axis...axis)
            add(
                step.place, .softmax(outer: lengths.outer, count: lengths.count, stride: lengths.stride),
                [try tensor(x, .plain)], [newTensor(result, .plain)])
        case .layerNorm(let axes, let epsilon): try lowerLayerNorm(step, axes, epsilon, x, result)
        case .instanceNorm(let epsilon): try lowerInstanceNorm(step, epsilon, x, result)
        case .unary(let function) where function.hasKernel:
            let layout = layout(of: [x])
            add(step.place, .unary(function), [try tensor(x, layout)], [newTensor(result, layout)])
        case .cast(let cast):
            let layout = layout(of: [x])
            add(step.place, .cast(cast), [try tensor(x, layout)], [newTensor(result, layout)])
        case .batchNorm: try lowerAffine(step, x, result)
        case .recurrent(let rule): try lowerRecurrent(step, rule)
        case .binary(let function): try lowerBinary(step, function, result)
        case .concat, .split: try lowerJoin(step)
        case .transpose, .slice: try lowerCopy(step)
        case .pad(let before, let after, let mode): try lowerPadding(step, before, after, mode, x, result)
        case .tile: try lowerTile(step, x, result)
        case .resize(let resize): try lowerResize(step, resize, x, result)
        case .prelu: try lowerSlopes(step, x, result)
        case .gather(let axis): try lowerPlain(step, .gather(axis: axis))
        case .select: try lowerPlain(step, .select)
        case .cumulativeSum(let axis, let exclusive, let reverse):
            try lowerPlain(step, .cumulativeSum(axis: axis, exclusive: exclusive, reverse: reverse))
        case .topK(let axis, let ascending): try lowerPlain(step, .topK(axis: axis, ascending: ascending))
        default: try addReference(step)
        }
    }

    /// Blocked where any of them is there that way and all can be.
    private func layout(of tensors: [CoreMLGraph.TensorID]) -> PlanLayout {
        let canBlock = tensors.allSatisfy { (3...4).contains(shape($0).count) }
        return canBlock && tensors.contains(where: { has($0, .blocked) && !has($0, .plain) }) ? .blocked : .plain
    }

    /// A shape around axes that follow each other.
    private func lengths(_ shape: [Int], _ axes: ClosedRange<Int>) -> (outer: Int, count: Int, stride: Int) {
        (
            shape[..<axes.lowerBound].reduce(1, *), shape[axes].reduce(1, *),
            shape[(axes.upperBound + 1)...].reduce(1, *)
        )
    }

    private mutating func lowerReduce(
        _ step: GraphStep, _ reduction: GraphReduction, _ axes: [Int], _ x: Int, _ result: Int
    ) throws {
        let rank = shape(x).count
        // Places are counted in the order of the axes.
        let axes = reduction.findsLeast == nil ? axes.sorted() : axes
        if reduction == .mean, rank == 4, axes == [2, 3], has(x, .blocked) {
            let size = [shape(x)[0], shape(x)[1], 1, 1]
            let made = newTensor(graph.tensors[result].name, size, .blocked)
            add(step.place, .globalMean, [try tensor(x, .blocked)], [made])
            // [N, C] has the same elements in the same places as [N, C, 1, 1]; for one picture also as blocks of it.
            guard size[0] > 1 else {
                _ = newView(of: made, result, .plain)
                return
            }
            let plain = newTensor(graph.tensors[result].name, size, .plain)
            add(step.place, .reorder, [made], [plain])
            _ = newView(of: plain, result, .plain)
            return
        }
        // A norm is a sum between two functions; axes that are apart are reduced one after the other.
        let parts: (before: GraphFunction?, sum: GraphReduction, after: GraphFunction?)
        switch reduction {
        case .mean, .sum, .max, .min: parts = (nil, reduction, nil)
        case .argMax, .argMin:
            // A place counts through all axes: one kernel, or none.
            guard let first = axes.first, let last = axes.last, first <= last, axes == Array(first...last) else {
                return try addReference(step)
            }
            let lengths = lengths(shape(x), first...last)
            return add(
                step.place, .reduce(reduction, outer: lengths.outer, count: lengths.count, stride: lengths.stride),
                [try tensor(x, .plain)], [newTensor(result, .plain)])
        case .sumOfSquares: parts = (.square, .sum, nil)
        case .l2Norm: parts = (.square, .sum, .sqrt)
        default: return try addReference(step)
        }
        var size = shape(x)
        let long = axes.filter { size[$0] != 1 }
        let runs = adjacent(long.isEmpty ? Array(axes.prefix(1)) : long)
        guard !runs.isEmpty else { return try addReference(step) }
        let name = graph.tensors[result].name
        var made = try tensor(x, .plain)
        func after(_ kernel: PlanKernel, isLast: Bool) {
            let next = isLast ? newTensor(result, .plain) : newTensor(name, size, .plain)
            add(step.place, kernel, [made], [next])
            made = next
        }
        if let before = parts.before { after(.unary(before), isLast: false) }
        for (place, run) in runs.reversed().enumerated() {
            let lengths = lengths(size, run)
            for axis in run { size[axis] = 1 }
            after(
                .reduce(parts.sum, outer: lengths.outer, count: lengths.count, stride: lengths.stride),
                isLast: place == runs.count - 1 && parts.after == nil)
        }
        if let function = parts.after { after(.unary(function), isLast: true) }
    }

    /// Sorted axes as ranges of those that follow each other.
    private func adjacent(_ axes: [Int]) -> [ClosedRange<Int>] {
        axes.reduce(into: []) { runs, axis in
            if let last = runs.last, axis == last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...axis
            } else {
                runs.append(axis...axis)
            }
        }
    }

    private mutating func lowerLayerNorm(
        _ step: GraphStep, _ axes: [Int], _ epsilon: Float, _ x: Int, _ result: Int
    ) throws {
        guard !axes.isEmpty else { return try addReference(step) }
        // Rows are what the kernel takes: other axes become the last ones, and go back behind it.
        let size = shape(x)
        let order = size.indices.filter { !axes.contains($0) } + axes
        let moved = order.map { size[$0] }
        let isMoved = order != Array(size.indices)
        let there = StridedCopies.of(.transpose(permutation: order), inputs: [size], outputs: [moved])
        let back = StridedCopies.of(
            .transpose(permutation: size.indices.map { order.firstIndex(of: $0) ?? $0 }), inputs: [moved],
            outputs: [size])
        let width = axes.reduce(1) { $0 * size[$1] }
        func gain(_ place: Int) throws -> PlanWeights?? {
            guard step.inputs.count > place, let id = step.inputs[place] else { return .some(nil) }
            guard let values = try graph.values(of: id), values.count == width else { return nil }
            return weights(values.count) { _ in .values(values) }
        }
        guard let there, let back, let gamma = try gain(1), let beta = try gain(2) else {
            return try addReference(step)
        }
        let name = graph.tensors[result].name
        var rows = try tensor(x, .plain)
        if isMoved {
            let source = rows
            rows = newTensor(name, moved, .plain)
            add(step.place, .copy(there), [source], [rows])
        }
        let normalized = isMoved ? newTensor(name, moved, .plain) : newTensor(result, .plain)
        let outer = order.dropLast(axes.count).reduce(1) { $0 * size[$1] }
        add(
            step.place, .layerNorm(rows: outer, width: width, epsilon: epsilon, gamma: gamma, beta: beta), [rows],
            [normalized])
        if isMoved { add(step.place, .copy(back), [normalized], [newTensor(result, .plain)]) }
    }

    /// Each plane is normalised as a row, then has its channel's gain and shift.
    private mutating func lowerInstanceNorm(_ step: GraphStep, _ epsilon: Float, _ x: Int, _ result: Int) throws {
        let size = shape(x)
        func numbers(_ place: Int, or none: Float) throws -> [Float]? {
            guard step.inputs.count > place, let id = step.inputs[place] else {
                return [Float](repeating: none, count: size[1])
            }
            return try graph.values(of: id)
        }
        guard size.count > 2, !size.contains(0), let gains = try numbers(1, or: 1), let shifts = try numbers(2, or: 0),
            gains.count == size[1], shifts.count == size[1]
        else { return try addReference(step) }
        let isScaled = gains.contains { $0 != 1 } || shifts.contains { $0 != 0 }
        let rows = isScaled ? newTensor(graph.tensors[result].name, size, .plain) : newTensor(result, .plain)
        add(
            step.place,
            .layerNorm(
                rows: size[0] * size[1], width: size[2...].reduce(1, *), epsilon: epsilon, gamma: nil, beta: nil),
            [try tensor(x, .plain)], [rows])
        guard isScaled else { return }
        let scale = weights(gains.count) { _ in .values(gains) }
        let shift = weights(shifts.count) { _ in .values(shifts) }
        add(step.place, .channelAffine(scale: scale, shift: shift, nil), [rows], [newTensor(result, .plain)])
    }

    private mutating func lowerAffine(_ step: GraphStep, _ x: Int, _ result: Int) throws {
        guard let (source, affine) = try ChannelAffine.of(step, axis: 1, in: graph), source == x else {
            return try addReference(step)
        }
        let layout = layout(of: [x])
        if layout == .plain, let shape = rowConstants(shape(x)) {
            let name = graph.tensors[result].name
            let (scale, shift) = (constant(name, shape, affine.scale), constant(name, shape, affine.shift))
            let product = newTensor(name, self.shape(x), .plain)
            add(step.place, .binary(.multiply, nil), [try tensor(x, .plain), scale], [product])
            add(step.place, .binary(.add, nil), [product, shift], [newTensor(result, .plain)])
            return
        }
        let count = blocks(affine.scale.count) * PlanLayout.block
        let scale = weights(count) { _ in .values(affine.scale) }
        let shift = weights(count) { _ in .values(affine.shift) }
        add(
            step.place, .channelAffine(scale: scale, shift: shift, nil), [try tensor(x, layout)],
            [newTensor(result, layout)])
    }

    /// The shape of a number for each channel of planes so small that a call for each plane is most of the time; nil for
    /// larger ones.
    private func rowConstants(_ shape: [Int]) -> [Int]? {
        guard (2...StridedCopies.largestRank).contains(shape.count), (1..<64).contains(shape.dropFirst(2).reduce(1, *))
        else { return nil }
        return [1, shape[1]] + shape.dropFirst(2).map { _ in 1 }
    }

    /// A tensor among the weights.
    mutating func constant(_ name: String, _ shape: [Int], _ values: [Float]) -> Int {
        let tensor = newTensor(name, shape, .plain)
        plan.tensors[tensor].isConstant = true
        plan.tensors[tensor].offset = weights(values.count) { _ in .values(values) }.offset
        return tensor
    }

    private mutating func lowerBinary(_ step: GraphStep, _ function: GraphBinary, _ result: Int) throws {
        guard step.inputs.count == 2, let x = step.inputs[0], let y = step.inputs[1], let kernel = function.kernel
        else { return try addReference(step) }
        let isBlocked = [x, y].contains { has($0, .blocked) && !has($0, .plain) }
        if isBlocked, shape(x) == shape(y), (3...4).contains(shape(x).count) {
            add(
                step.place, .binary(function, nil), [try tensor(x, .blocked), try tensor(y, .blocked)],
                [newTensor(result, .blocked)])
            return
        }
        // Squeeze and excite: the picture is one operand, a number a channel the other.
        for (picture, numbers) in [(x, y), (y, x)]
        where function == .multiply && shape(picture).count == 4 && shape(picture)[0] == 1
            && shape(numbers) == [1, shape(picture)[1], 1, 1] && has(picture, .blocked)
        {
            add(
                step.place, .channelScale(nil), [try tensor(picture, .blocked), try tensor(numbers, .plain)],
                [newTensor(result, .blocked)])
            return
        }
        if isBlocked, graph.constants[x] != nil || graph.constants[y] != nil,
            try ChannelAffine.of(step, axis: 1, in: graph) != nil
        {
            return try lowerAffine(step, graph.constants[x] == nil ? x : y, result)
        }
        guard (try? PairOperation(kernel, broadcasting: shape(x), with: shape(y))) != nil else {
            return try addReference(step)
        }
        add(
            step.place, .binary(function, nil), [try tensor(x, .plain), try tensor(y, .plain)],
            [newTensor(result, .plain)])
    }

    // MARK: - Moving elements

    private mutating func lowerJoin(_ step: GraphStep) throws {
        let axis: Int
        var isInterleaved = false
        switch step.operation {
        case .concat(let along, let interleaved): (axis, isInterleaved) = (along, interleaved)
        case .split(let along): axis = along
        default: return try addReference(step)
        }
        let inputs = step.inputs.compactMap(\.self)
        // Where a join has most channels in blocks only, the few others join them there.
        let blockedChannels = inputs.reduce(0) { $0 + (has($1, .blocked) && !has($1, .plain) ? shape($1)[1] : 0) }
        let areBlocked =
            inputs.allSatisfy { (3...4).contains(shape($0).count) && !shape($0).contains(0) }
            && (inputs.allSatisfy { has($0, .blocked) }
                || 2 * blockedChannels > inputs.reduce(0) { $0 + shape($1)[1] })
        guard areBlocked, axis == 1, inputs.allSatisfy({ shape($0)[0] == 1 }) else { return try lowerCopy(step) }
        if case .split = step.operation {
            try cut(step, inputs[0])
        } else {
            try join(step, inputs, isInterleaved)
        }
    }

    /// Parts that begin with a block of channels are in their parent.
    private mutating func cut(_ step: GraphStep, _ x: Int) throws {
        let source = try tensor(x, .blocked)
        let positions = shape(x).dropFirst(2).reduce(1, *)
        var first = 0
        var parts: [PlanChannels] = []
        var made: [Int] = []
        for output in step.outputs {
            if first % PlanLayout.block == 0 {
                _ = newView(of: source, delta: first * positions, output, .blocked)
            } else {
                parts.append(
                    PlanChannels(
                        operand: 0, result: made.count, first: first, resultFirst: 0, resultStep: 1,
                        count: shape(output)[1]))
                made.append(newTensor(output, .blocked))
            }
            first += shape(output)[1]
        }
        if !made.isEmpty { add(step.place, .channels(parts), [source], made) }
    }

    /// Parts that fill whole blocks are written directly to their final place, if it is free.
    private mutating func join(_ step: GraphStep, _ inputs: [Int], _ isInterleaved: Bool) throws {
        let sources = try inputs.map { try tensor($0, .blocked) }
        let made = newTensor(step.outputs[0], .blocked)
        let positions = shape(step.outputs[0]).dropFirst(2).reduce(1, *)
        var first = 0
        var parts: [PlanChannels] = []
        var operands: [Int] = []
        for (place, (input, source)) in zip(inputs, sources).enumerated() {
            let channels = shape(input)[1]
            let isAligned =
                !isInterleaved && first % PlanLayout.block == 0
                && (channels % PlanLayout.block == 0 || place == inputs.count - 1)
            if isAligned, isOwned(source), !sources[..<place].contains(source) {
                views[source] = View(root: made, delta: first * positions)
            } else {
                parts.append(
                    PlanChannels(
                        operand: operands.count, result: 0, first: 0,
                        resultFirst: isInterleaved ? place : first, resultStep: isInterleaved ? inputs.count : 1,
                        count: channels))
                operands.append(source)
            }
            first += channels
        }
        if !parts.isEmpty { add(step.place, .channels(parts), operands, [made]) }
    }

    /// Whether a tensor is made by a step, in memory that is its own to be placed.
    private func isOwned(_ tensor: Int) -> Bool {
        !plan.tensors[tensor].isConstant && views[tensor] == nil && !plan.inputs.contains { $0.tensor == tensor }
    }

    private mutating func lowerCopy(_ step: GraphStep) throws {
        let inputs = step.inputs.compactMap(\.self)
        guard
            let copies = StridedCopies.of(
                step.operation, inputs: inputs.map(shape), outputs: step.outputs.map(shape))
        else { return try addReference(step) }
        let operands = try inputs.map { try tensor($0, .plain) }
        add(step.place, .copy(copies), operands, step.outputs.map { newTensor($0, .plain) })
    }
}
