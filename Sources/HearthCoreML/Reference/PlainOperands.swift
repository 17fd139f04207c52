/// The shapes of an operation's operands and of its (first) result, and the rules between them. All sizes are positive, and
/// no shape has more than 2³⁰ elements.
struct PlainOperands {
    private let inputs: [[Int]?]
    let result: [Int]

    init(inputs: [[Int]?], result: [Int]) {
        self.inputs = inputs
        self.result = result
    }

    private func operand(_ index: Int) -> [Int]? { index < inputs.count ? inputs[index] : nil }

    /// The first three; a single number where there is none.
    var x: [Int] { operand(0) ?? [] }
    var y: [Int] { operand(1) ?? [] }
    var z: [Int] { operand(2) ?? [] }

    private func count(_ shape: [Int]) -> Int { shape.reduce(1, *) }

    // MARK: - Axes

    func has(_ axis: Int) -> Bool { x.indices.contains(axis) }

    private func has(_ axes: [Int]) -> Bool { axes.allSatisfy(has) && Set(axes).count == axes.count }

    /// Whether two shapes are the same but for one axis.
    func differ(_ left: [Int], _ right: [Int], at axis: Int) -> Bool {
        left.count == right.count && left.indices.allSatisfy { $0 == axis || left[$0] == right[$0] }
    }

    var keepShape: Bool { result == x }
    var hasSameCount: Bool { count(result) == count(x) }

    // MARK: - Windows

    /// Whether lists have a number for each dimension of a picture, in a range.
    private func isPicture(_ lists: [[Int]], _ range: ClosedRange<Int>) -> Bool {
        (3...5).contains(x.count) && x.count == result.count
            && lists.allSatisfy { $0.count == x.count - 2 && $0.allSatisfy(range.contains) }
    }

    private func isBias(_ shape: [Int]?, _ channels: Int) -> Bool { shape.map { count($0) == channels } ?? true }

    /// Far above any window, far below where sums of products overflow.
    private static let sizes = 1...1 << 20
    private static let pads = 0...1 << 26
    private static let steps = -(1 << 30)...1 << 30

    func areConvolved(_ geometry: GraphConvolution) -> Bool {
        guard isPicture([geometry.kernel, geometry.strides, geometry.dilations], Self.sizes),
            isPicture([geometry.before, geometry.after], Self.pads), geometry.groups > 0, x[1] % geometry.groups == 0,
            y.count == x.count, y[0] == result[1], y[0] % geometry.groups == 0, y[1] == x[1] / geometry.groups,
            Array(y[2...]) == geometry.kernel, result[0] == x[0], isBias(operand(2), result[1])
        else { return false }
        return geometry.kernel.indices.allSatisfy { axis in
            let reach = (geometry.kernel[axis] - 1) * geometry.dilations[axis] + 1
            let room = x[axis + 2] + geometry.before[axis] + geometry.after[axis] - reach
            return room >= 0 && result[axis + 2] == room / geometry.strides[axis] + 1
        }
    }

    func areSpread(_ geometry: GraphConvolution) -> Bool {
        guard isPicture([geometry.kernel, geometry.strides, geometry.dilations], Self.sizes),
            isPicture([geometry.before, geometry.after], Self.pads), geometry.groups > 0, x[1] % geometry.groups == 0,
            y.count == x.count, y[0] == x[1], geometry.groups <= result[1], result[1] == y[1] * geometry.groups,
            Array(y[2...]) == geometry.kernel, result[0] == x[0], isBias(operand(2), result[1])
        else { return false }
        // The input with zeros between its elements.
        let spread = zip(x[2...], geometry.strides).map { ($0 - 1) * $1 + 1 }
        return GraphShape.count(Array(x[..<2]) + spread, limit: GraphLimits.liveElements) != nil
    }

    func arePooled(_ geometry: GraphPooling) -> Bool {
        isPicture([geometry.kernel, geometry.strides], Self.sizes)
            && isPicture([geometry.before, geometry.after], Self.pads) && x[..<2] == result[..<2]
            && GraphShape.count(geometry.kernel, limit: GraphLimits.window) != nil
    }

    // MARK: - Products

    var areLinear: Bool {
        y.count == 2 && x.last == y[1] && result == Array(x.dropLast()) + [y[0]] && isBias(operand(2), y[0])
    }

    func areMultiplied(_ transposeX: Bool, _ transposeY: Bool) -> Bool {
        guard x.count >= 2, y.count >= 2, result.count >= 2 else { return false }
        func sides(_ shape: [Int], _ isTransposed: Bool) -> (rows: Int, columns: Int) {
            let (first, last) = (shape[shape.count - 2], shape[shape.count - 1])
            return isTransposed ? (last, first) : (first, last)
        }
        let (left, right) = (sides(x, transposeX), sides(y, transposeY))
        return left.columns == right.rows && Array(result.suffix(2)) == [left.rows, right.columns]
            && GraphShape.broadcast(Array(x.dropLast(2)), Array(y.dropLast(2))) == Array(result.dropLast(2))
    }

    var areAttended: Bool {
        let rank = x.count
        guard rank >= 2, y.count == rank, z.count == rank, result.count == rank, x[rank - 1] == y[rank - 1],
            y[rank - 2] == z[rank - 2], result[rank - 2] == x[rank - 2], result[rank - 1] == z[rank - 1],
            let batch = GraphShape.broadcast(Array(x.dropLast(2)), Array(y.dropLast(2))),
            batch == Array(result.dropLast(2)),
            GraphShape.broadcast(batch, Array(z.dropLast(2))) == batch
        else { return false }
        let scores = batch + [x[rank - 2], y[rank - 2]]
        return GraphShape.count(scores) != nil
            && (operand(3).map { GraphShape.broadcast($0, scores) == scores } ?? true)
    }

    // MARK: - Normalisation

    /// Whether the operands that are there have a number a channel.
    func arePerChannel(_ places: ClosedRange<Int>) -> Bool { places.allSatisfy { isBias(operand($0), x[1]) } }

    func areNormalized(_ axes: [Int]) -> Bool {
        guard has(axes), keepShape else { return false }
        let width = axes.reduce(1) { $0 * x[$1] }
        return isBias(operand(1), width) && isBias(operand(2), width)
    }

    func areReduced(_ axes: [Int]) -> Bool {
        has(axes) && count(result) == count(x) / axes.reduce(1) { $0 * x[$1] }
    }

    // MARK: - Elements that move

    func areTransposed(_ permutation: [Int]) -> Bool {
        permutation.count == x.count && has(permutation) && result == permutation.map { x[$0] }
    }

    func areJoined(_ axis: Int, _ interleaved: Bool) -> Bool {
        guard inputs.allSatisfy({ $0 != nil }), has(axis), result.count == x.count else { return false }
        let parts = inputs.compactMap(\.self)
        return parts.allSatisfy { $0.count == x.count && differ($0, result, at: axis) }
            && parts.reduce(0) { $0 + $1[axis] } == result[axis] && (!interleaved || parts.allSatisfy { $0 == x })
    }

    func areSplit(_ axis: Int, _ results: [[Int]]) -> Bool {
        has(axis) && results.allSatisfy { differ($0, x, at: axis) }
            && results.reduce(0) { $0 + $1[axis] } == x[axis]
    }

    func areSliced(_ begin: [Int], _ step: [Int]) -> Bool {
        guard begin.count == x.count, step.count == x.count, result.count == x.count else { return false }
        return x.indices.allSatisfy { axis in
            guard (0..<x[axis]).contains(begin[axis]), Self.steps.contains(step[axis]) else { return false }
            return (0..<x[axis]).contains(begin[axis] + (result[axis] - 1) * step[axis])
        }
    }

    func arePadded(_ before: [Int], _ after: [Int], _ mode: GraphPadMode) -> Bool {
        guard before.count == x.count, after.count == x.count, result.count == x.count else { return false }
        return x.indices.allSatisfy { axis in
            let range = mode == .reflect ? 0...x[axis] - 1 : Self.pads
            return range.contains(before[axis]) && range.contains(after[axis])
                && result[axis] == x[axis] + before[axis] + after[axis]
        }
    }

    func areGathered(_ axis: Int) -> Bool {
        result == Array(x[..<axis]) + y + Array(x[(axis + 1)...])
    }

    var areTiled: Bool { x.count == result.count && zip(result, x).allSatisfy { $0 % $1 == 0 } }

    var arePicked: Bool {
        guard let depth = y.last, depth <= x.count else { return false }
        return result == Array(y.dropLast()) + Array(x[depth...])
    }

    func areResized(_ resize: GraphResize) -> Bool {
        x.count >= 2 && x.count == result.count && x.dropLast(2) == result.dropLast(2) && resize.spacing.count == 2
            && resize.offset.count == 2 && (resize.spacing + resize.offset).allSatisfy { abs($0) <= 0x1p40 }
    }

    func areRecurrent(_ recurrence: GraphRecurrence, _ results: [[Int]]) -> Bool {
        guard x.count == 3, let width = z.last, z == [x[1], width], x[2] == recurrence.kind.gates * width,
            y == [recurrence.sharedGates * width, width], results[0] == [x[0], x[1], width],
            results.dropFirst().allSatisfy({ $0 == z })
        else { return false }
        let isCell = recurrence.kind != .lstm || operand(3) == z
        let candidate = operand(6)
        return isCell && (operand(4).map { $0 == [3 * width] } ?? true)
            && (operand(5).map { $0 == [y[0]] } ?? true)
            && (recurrence.hasSeparateCandidate ? candidate == [width, width] : candidate == nil)
    }

    var areSampled: Bool {
        x.count == 4 && y.count == 4 && y[3] == 2 && x[0] == y[0] && result == [x[0], x[1], y[1], y[2]]
    }

    func areUpdated(_ step: [Int]) -> Bool {
        guard keepShape, y.count == x.count, step.count == x.count, z == [x.count] else { return false }
        return x.indices.allSatisfy { axis in
            guard Self.steps.contains(step[axis]), step[axis] != 0 else { return false }
            return (y[axis] - 1) * abs(step[axis]) < x[axis]
        }
    }

    func areSuppressed(_ results: [[Int]]) -> Bool {
        guard x.count == 3, y.count == 3, x[2] == 4, x[..<2] == y[..<2], results[0].count == 3 else { return false }
        let (batch, kept) = (x[0], results[0][1])
        return results == [[batch, kept, 4], [batch, kept, y[2]], [batch, kept], [batch]]
    }
}
