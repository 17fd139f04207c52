/// Steps that put elements elsewhere, many of them more than once: padding, repeating, enlarging without interpolation.
extension PlanBuilder {
    /// A tensor in the layout that it is in, with its dimensions there; `axes` are those that change.
    private mutating func operand(
        _ x: CoreMLGraph.TensorID, axes: [Int]
    ) throws -> (tensor: Int, layout: PlanLayout, dimensions: [Int]) {
        let isBlocked =
            (3...4).contains(shape(x).count) && has(x, .blocked) && !has(x, .plain) && axes.allSatisfy { $0 > 1 }
        guard isBlocked else { return (try tensor(x, .plain), .plain, shape(x)) }
        return (try tensor(x, .blocked), .blocked, blocked(shape(x)))
    }

    /// A blocked tensor's dimensions in memory: axes from the third on stay where they are.
    private func blocked(_ shape: [Int]) -> [Int] {
        [shape[0], blocks(shape[1])] + shape.dropFirst(2) + [PlanLayout.block]
    }

    private mutating func addCopies(
        _ step: GraphStep, _ copies: [PlanCopy], _ inputs: [Int], _ result: CoreMLGraph.TensorID, _ layout: PlanLayout
    ) throws -> Bool {
        let merged = copies.map(StridedCopies.merged)
        guard merged.allSatisfy({ $0.size.count <= StridedCopies.largestRank }) else { return false }
        add(step.place, .copy(merged), inputs, [newTensor(result, layout)])
        return true
    }

    // MARK: - Padding

    /// One stretch of an axis of the result.
    private struct Stretch {
        var count: Int
        var place: Int
        /// Where it comes from; nil for the constant around.
        var source: (start: Int, step: Int)?
    }

    /// Stretches in front of, inside and behind the input along each axis, and a copy for each combination of them.
    mutating func lowerPadding(
        _ step: GraphStep, _ before: [Int], _ after: [Int], _ mode: GraphPadMode, _ x: Int, _ result: Int
    ) throws {
        let padded = before.indices.filter { before[$0] != 0 || after[$0] != 0 }
        guard padded.count <= 3, (before + after).allSatisfy({ $0 >= 0 }), !shape(x).contains(0) else {
            return try addReference(step)
        }
        let (source, layout, dimensions) = try operand(x, axes: padded)
        let extra = [Int](repeating: 0, count: dimensions.count - before.count)
        let (front, back) = (before + extra, after + extra)
        let sizes = dimensions.indices.map { dimensions[$0] + front[$0] + back[$0] }
        let (from, to) = (StridedCopies.strides(dimensions), StridedCopies.strides(sizes))
        var parts: [[Stretch]] = [[]]
        for axis in dimensions.indices {
            let stretches = Self.stretches(dimensions[axis], front[axis], back[axis], mode)
            guard let stretches else { return try addReference(step) }
            parts = parts.flatMap { part in stretches.map { part + [$0] } }
        }
        var inputs = [source]
        if case .constant(let value) = mode {
            inputs.append(constant("padding", [1], [value]))
        }
        let copies = parts.map { part in
            let isConstant = part.contains { $0.source == nil }
            return PlanCopy(
                operand: isConstant ? 1 : 0, result: 0, size: part.map(\.count),
                start: isConstant ? 0 : zip(part, from).reduce(0) { $0 + ($1.0.source?.start ?? 0) * $1.1 },
                strides: isConstant ? part.map { _ in 0 } : zip(part, from).map { ($0.source?.step ?? 0) * $1 },
                resultStart: zip(part, to).reduce(0) { $0 + $1.0.place * $1.1 }, resultStrides: to)
        }
        guard try addCopies(step, copies, inputs, result, layout) else { return try addReference(step) }
    }

    private static func stretches(_ size: Int, _ before: Int, _ after: Int, _ mode: GraphPadMode) -> [Stretch]? {
        let inside = Stretch(count: size, place: before, source: (0, 1))
        var outside: [Stretch] = []
        switch mode {
        case .constant:
            outside = [
                Stretch(count: before, place: 0, source: nil), Stretch(count: after, place: before + size, source: nil),
            ]
        case .reflect:
            // Longer ones are reflected more than once.
            guard max(before, after) < size else { return nil }
            outside = [
                Stretch(count: before, place: 0, source: (before, -1)),
                Stretch(count: after, place: before + size, source: (size - 2, -1)),
            ]
        case .replicate:
            outside = [
                Stretch(count: before, place: 0, source: (0, 0)),
                Stretch(count: after, place: before + size, source: (size - 1, 0)),
            ]
        }
        return ([inside] + outside).filter { $0.count > 0 }
    }

    // MARK: - Repeating

    /// Each axis is repeated as a whole: two dimensions of a copy, of which the outer one stays in place in the input.
    mutating func lowerTile(_ step: GraphStep, _ x: Int, _ result: Int) throws {
        let (input, output) = (shape(x), shape(result))
        guard input.count == output.count, !input.contains(0), !output.contains(0) else {
            return try addReference(step)
        }
        var (source, size) = (try tensor(x, .plain), input)
        repeat {
            // What has too many dimensions for one copy is repeated along the last axes first.
            let axis = size.indices.first { axis in
                let copy = Self.repetition(of: size, to: Array(size[..<axis] + output[axis...]))
                return copy.size.count <= StridedCopies.largestRank
            }
            let next = Array(size[..<(axis ?? 0)] + output[(axis ?? 0)...])
            let isLast = next == output
            let made =
                isLast ? newTensor(result, .plain) : newTensor(graph.tensors[result].name, next, .plain)
            add(step.place, .copy([Self.repetition(of: size, to: next)]), [source], [made])
            (source, size) = (made, next)
        } while size != output
    }

    private static func repetition(of input: [Int], to output: [Int]) -> PlanCopy {
        let (from, to) = (StridedCopies.strides(input), StridedCopies.strides(output))
        var copy = PlanCopy(operand: 0, result: 0, size: [], start: 0, strides: [], resultStart: 0, resultStrides: [])
        for axis in input.indices {
            copy.size += [output[axis] / input[axis], input[axis]]
            copy.strides += [0, from[axis]]
            copy.resultStrides += [input[axis] * to[axis], to[axis]]
        }
        return StridedCopies.merged(copy)
    }

    /// Nearest elements by whole factors are copies: each element is repeated in a rectangle.
    mutating func lowerResize(_ step: GraphStep, _ resize: GraphResize, _ x: Int, _ result: Int) throws {
        let rank = shape(x).count
        guard rank >= 2, resize.spacing.count == 2, resize.offset.count == 2,
            !(shape(x) + shape(result)).contains(0)
        else { return try addReference(step) }
        let (source, layout, dimensions) = try operand(x, axes: [rank - 2, rank - 1])
        guard resize.kind == .nearest, let factors = factors(resize, x, result) else {
            return add(step.place, .resize(resize), [source], [newTensor(result, layout)])
        }
        var sizes = dimensions
        sizes[rank - 2] *= factors[0]
        sizes[rank - 1] *= factors[1]
        let (from, to) = (StridedCopies.strides(dimensions), StridedCopies.strides(sizes))
        var copy = PlanCopy(operand: 0, result: 0, size: [], start: 0, strides: [], resultStart: 0, resultStrides: [])
        for axis in dimensions.indices {
            let factor = axis == rank - 2 ? factors[0] : axis == rank - 1 ? factors[1] : 1
            copy.size += [dimensions[axis], factor]
            copy.strides += [from[axis], 0]
            copy.resultStrides += [factor * to[axis], to[axis]]
        }
        guard try addCopies(step, [copy], [source], result, layout) else { return try addReference(step) }
    }

    /// Whole numbers by which rows and columns are repeated; nil where the places of the step are other ones.
    private func factors(_ resize: GraphResize, _ x: Int, _ result: Int) -> [Int]? {
        let (input, output) = (Array(shape(x).suffix(2)), Array(shape(result).suffix(2)))
        var factors: [Int] = []
        for axis in 0..<2 {
            guard output[axis] % input[axis] == 0 else { return nil }
            let factor = output[axis] / input[axis]
            for element in 0..<output[axis] {
                let place = resize.offset[axis] + Double(element) * resize.spacing[axis]
                guard min(max(place, 0), Double(input[axis] - 1)).rounded(.down) == Double(element / factor) else {
                    return nil
                }
            }
            factors.append(factor)
        }
        return factors
    }

    // MARK: - Choosing, ordering

    /// Steps whose kernels take all that the graph has, plain: rows of a table by their number, as of words, elements by a
    /// condition, as where a mask hides some, or in their order.
    mutating func lowerPlain(_ step: GraphStep, _ kernel: PlanKernel) throws {
        let inputs = step.inputs.compactMap(\.self)
        guard !(inputs + step.outputs).contains(where: { shape($0).contains(0) }) else {
            return try addReference(step)
        }
        let operands = try inputs.map { try tensor($0, .plain) }
        add(step.place, kernel, operands, step.outputs.map { newTensor($0, .plain) })
    }

    // MARK: - Slopes

    /// One slope a channel; a constant, since it is read to the end of its last block.
    mutating func lowerSlopes(_ step: GraphStep, _ x: Int, _ result: Int) throws {
        guard step.inputs.count == 2, let slopes = step.inputs[1], graph.constants[slopes] != nil else {
            return try addReference(step)
        }
        let isBlocked = (3...4).contains(shape(x).count) && has(x, .blocked) && !has(x, .plain)
        let layout: PlanLayout = isBlocked ? .blocked : .plain
        add(
            step.place, .slopes, [try tensor(x, layout), try tensor(slopes, .plain)], [newTensor(result, layout)])
    }
}
