/// Whether an operation's operands and results fit each other. Graphs are made of shapes that do; a compiled plan comes from
/// a file, and plain loops index by what it says.
extension GraphOperation {
    /// The error; nil if plain loops can compute it.
    /// - Parameters:
    ///   - inputs: the shapes of the operands; nil for one that was left out.
    ///   - results: the shapes of the results.
    func problem(_ inputs: [[Int]?], _ results: [[Int]]) -> String? {
        let shapes = inputs.compactMap(\.self)
        guard (shapes + results).allSatisfy({ $0.allSatisfy { $0 > 0 } && GraphShape.count($0, limit: 1 << 30) != nil })
        else { return "a tensor has an impossible shape" }
        guard results.count == resultCount ?? max(results.count, 1) else { return "\(results.count) results" }
        guard inputs.count >= operandCount, inputs.prefix(operandCount).allSatisfy({ $0 != nil }) else {
            return "\(shapes.count) operands"
        }
        let operands = PlainOperands(inputs: inputs, result: results[0])
        guard fits(operands, results) else { return "operands of \(shapes) do not make \(results)" }
        guard work(inputs, results) <= GraphLimits.work else { return "the work is absurd" }
        return nil
    }

    /// How many results it makes; nil for any number.
    private var resultCount: Int? {
        switch self {
        case .split: nil
        case .topK: 2
        case .nonMaximumSuppression: 4
        case .recurrent(let recurrence): recurrence.kind == .lstm ? 3 : 2
        default: 1
        }
    }

    /// How many operands have to be there.
    private var operandCount: Int {
        switch self {
        case .random(let random): random.isCategorical ? 1 : 0
        case .recurrent(let recurrence): recurrence.kind == .lstm ? 4 : 3
        case .attention, .batchNorm, .select, .scatter, .sliceUpdate: 3
        case .convolution, .transposedConvolution, .linear, .matmul, .prelu, .binary, .gather, .gatherAlongAxis,
            .gatherND, .nonMaximumSuppression, .sample:
            2
        default: 1
        }
    }

    private func fits(_ operands: PlainOperands, _ results: [[Int]]) -> Bool {
        switch self {
        case .convolution(let geometry): operands.areConvolved(geometry)
        case .transposedConvolution(let geometry): operands.areSpread(geometry)
        case .pool(let geometry): operands.arePooled(geometry)
        case .linear: operands.areLinear
        case .matmul(let transposeX, let transposeY): operands.areMultiplied(transposeX, transposeY)
        case .attention: operands.areAttended
        case .reduce(_, let axes): operands.areReduced(axes)
        case .batchNorm: operands.x.count >= 2 && operands.arePerChannel(1...4) && operands.keepShape
        case .instanceNorm: operands.x.count >= 2 && operands.arePerChannel(1...2) && operands.keepShape
        case .prelu: operands.x.count >= 2 && operands.arePerChannel(1...1) && operands.keepShape
        case .layerNorm(let axes, _): operands.areNormalized(axes)
        case .l2Norm, .unary, .cast: operands.keepShape
        case .localResponseNorm(let size, _, _, _):
            operands.x.count >= 2 && operands.keepShape && (1...2 * operands.x[1] + 1).contains(size)
        case .softmax(let axis), .cumulativeSum(let axis, _, _): operands.has(axis) && operands.keepShape
        case .binary: GraphShape.broadcast(operands.x, operands.y) == operands.result
        case .select:
            GraphShape.broadcast(operands.y, operands.z).flatMap { GraphShape.broadcast(operands.x, $0) }
                == operands.result
        case .reshape: operands.hasSameCount
        case .transpose(let permutation): operands.areTransposed(permutation)
        case .concat(let axis, let interleaved): operands.areJoined(axis, interleaved)
        case .split(let axis): operands.areSplit(axis, results)
        case .slice(let begin, let step): operands.areSliced(begin, step)
        case .pad(let before, let after, let mode): operands.arePadded(before, after, mode)
        case .tile: operands.areTiled
        case .gather(let axis):
            operands.has(axis) && operands.areGathered(axis)
        case .gatherAlongAxis(let axis):
            operands.has(axis) && operands.result == operands.y && operands.differ(operands.x, operands.y, at: axis)
        case .gatherND: operands.arePicked
        case .scatter(let scatter):
            operands.keepShape && scatter.fits(operands.x, indices: operands.y, updates: operands.z)
        case .topK(let axis, _):
            operands.has(axis) && results[0] == results[1] && operands.differ(operands.x, operands.result, at: axis)
                && operands.result[axis] <= operands.x[axis]
        case .resize(let resize): operands.areResized(resize)
        case .nonMaximumSuppression: operands.areSuppressed(results)
        case .recurrent(let recurrence): operands.areRecurrent(recurrence, results)
        case .sample: operands.areSampled
        case .random(let random):
            !random.isCategorical
                || !operands.x.isEmpty && operands.x.dropLast() == operands.result.dropLast()
                    && operands.x.count == operands.result.count
        case .sliceUpdate(let step): operands.areUpdated(step)
        }
    }
}
