import HearthCoreMLFormat

/// A palette for a layer whose inputs are known: what counts is not the error of the weights but that of the layer's outputs.
///
/// 1. Levels are the exact optimum where each weight counts as the mean square of its input.
/// 2. Codes are chosen column by column, the most important input first, each column's error being passed on to the columns
///    to come (GPTQ, Frantar et al., 2022, in the form of LDLQ, Chee et al., 2023), then one at a time as long as that
///    helps; levels are fitted to the codes by least squares; and again. The result is never worse than rounding.
/// 3. A bias takes up the change of the mean output, so that deviations from the mean alone cost something.
/// 4. Weights aim at what the original model makes of a sample, given what the smaller model feeds the layer.
///
/// Nothing is trained; the model keeps its operations.
package struct CompensatedPalettization: Sendable {
    /// Bits, and channels that share a palette.
    package var palette: Palettization
    /// What is done.
    package var steps: CalibrationSteps
    /// Threads that work at once. The result does not depend on them.
    package var threads: Int
    /// Forms without zeros that may be taken, in this version of the format. They are where they take fewer bytes at no
    /// greater error of the layer's outputs; zeros of the weight stay zeros then.
    package var sparse: (forms: SparseForms, version: Int) = (.never, 7)

    /// - Parameter steps: all but for measurements.
    package init(_ palette: Palettization, steps: CalibrationSteps = .all, threads: Int = 1) {
        (self.palette, self.steps, self.threads) = (palette, steps, max(threads, 1))
    }

    /// Rows of a chunk are as many as take some milliseconds.
    private static let chunkWork = 1 << 20

    /// Palettes, codes and bias of a layer.
    /// - Parameters:
    ///   - elements: the weights, [outputs, inputs of a group], finite.
    ///   - shape: of the weight, outputs first.
    ///   - bias: as many as outputs; nil where the layer has none.
    /// - Throws: `CompressionError.invalidMoments`, `.outOfMemory`, `CancellationError`.
    package func encode(
        _ elements: WeightElements, shape: [Int], bias: [Float]?, moments: LayerMoments,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> CompensatedWeight {
        let dense = try encode(
            elements, shape: shape, bias: bias, moments: moments, leavesZeros: false, isCancelled: isCancelled)
        guard let palette = dense.weight else { return dense }
        let isHalf = if case .half = elements { true } else { false }
        let choice = SparseChoice(
            forms: sparse.forms, version: sparse.version, name: "weight", type: isHalf ? .float16 : .float32,
            shape: shape, isCancelled: isCancelled)
        if choice.isJoint {
            guard try choice.mayGain(elements, palette.bits) else { return dense }
            let other = try encode(
                elements, shape: shape, bias: bias, moments: moments, leavesZeros: true, isCancelled: isCancelled)
            return try choice.isBetter(other, than: dense) ? other : dense
        }
        guard let mask = try choice.losslessMask(elements, than: palette) else { return dense }
        return try exact(
            elements, shape: shape, bias: bias, moments: moments, leaving: mask, isCancelled: isCancelled)
    }

    private func encode(
        _ elements: WeightElements, shape: [Int], bias: [Float]?, moments: LayerMoments, leavesZeros: Bool,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompensatedWeight {
        let outputs = moments.groups * moments.outputs
        guard shape.first == outputs, elements.count == outputs * moments.inputs, moments.samples > 0,
            bias.map({ $0.count == outputs }) ?? true
        else {
            throw CompressionError.invalidMoments(
                problem: "\(moments.samples) samples of \(outputs) outputs of \(moments.inputs) inputs for a weight of "
                    + "shape \(shape)")
        }
        let floats = elements.floats([0..<elements.count])
        let isCentered = steps.contains(.bias) && bias != nil
        let problems = try problems(floats, bias, moments, isCancelled)
        let layout = palette.layout(shape, axis: 0)
        let rows = outputs / layout.count
        let grid: PaletteSolver.Grid = if case .half = elements { .float16 } else { .float32 }
        var result = PalettizedWeight(
            bits: palette.bits, groups: layout.blocks, palettes: [],
            codes: [UInt8](repeating: 0, count: elements.count),
            quality: SignalRatio())
        var noise = 0.0
        for index in 0..<layout.count {
            let chunks = chunks(problems, rows: index * rows..<(index + 1) * rows, leavesZeros: leavesZeros)
            let fit = PaletteFit(
                chunks: chunks, bits: palette.bits, grid: grid, threads: threads, isCancelled: isCancelled,
                leavesZeros: leavesZeros)
            let part = elements.gathered(layout.runs(index))
            let plain =
                leavesZeros
                ? try PaletteSolver(levels: PaletteFit.freeLevels(palette.bits), grid: grid)
                    .solve(withoutZeros: part, isCancelled) ?? []
                : try PaletteSolver(levels: 1 << palette.bits, grid: grid).solve(part, isCancelled: isCancelled)
            let solution = try fit.solve(plain: plain.map { Double($0) }, steps)
            result.palettes.append(solution.levels.map { Float($0) })
            for (chunk, codes) in zip(chunks, solution.codes) {
                noise += chunk.residual(codes, solution.levels)
                Self.place(codes, of: chunk, inputs: moments.inputs, in: &result.codes)
            }
        }
        let values = result.codes.enumerated().map {
            result.palettes[$0.offset / moments.inputs / rows][Int($0.element)]
        }
        result.quality = Self.quality(floats, values)
        if leavesZeros { try result.leaveZeros(values, isCancelled) }
        return CompensatedWeight(
            weight: result, mask: result.mask, values: values, bias: isCentered ? Self.bias(values, moments) : nil,
            output: Self.output(moments, bias, isCentered: isCentered, noise: noise))
    }

    /// The weight unchanged; only the bias compensates for the changed inputs of the layer.
    private func exact(
        _ elements: WeightElements, shape: [Int], bias: [Float]?, moments: LayerMoments, leaving mask: SparseMask,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompensatedWeight {
        let floats = elements.floats([0..<elements.count])
        let isCentered = steps.contains(.bias) && bias != nil
        let problems = try problems(floats, bias, moments, isCancelled)
        let noise = chunks(problems, rows: 0..<moments.groups * moments.outputs, leavesZeros: false)
            .reduce(0) { $0 + $1.originalResidual }
        return CompensatedWeight(
            weight: nil, mask: mask, values: floats, bias: isCentered ? Self.bias(floats, moments) : nil,
            output: Self.output(moments, bias, isCentered: isCentered, noise: noise))
    }

    private func problems(
        _ floats: [Float], _ bias: [Float]?, _ moments: LayerMoments, _ isCancelled: @escaping () -> Bool
    ) throws -> [CompensationProblem] {
        let weights = floats.map { Double($0) }
        let isCentered = steps.contains(.bias) && bias != nil
        var problems: [CompensationProblem] = []
        for group in 0..<moments.groups {
            for block in 0..<moments.blocks {
                problems.append(
                    try CompensationProblem(
                        moments, group: group, block: block, weights: weights, bias: bias, isCentered: isCentered,
                        followsDrift: steps.contains(.drift), isCancelled: isCancelled))
            }
        }
        return problems
    }

    /// The rows of all problems that lie within `rows` of the layer.
    private func chunks(
        _ problems: [CompensationProblem], rows: Range<Int>, leavesZeros: Bool
    ) -> [RowChunk] {
        problems.flatMap { problem -> [RowChunk] in
            let own = rows.clamped(to: problem.firstRow..<problem.firstRow + problem.rows)
            let count = max(1, Self.chunkWork / (problem.size * problem.size))
            return stride(from: own.lowerBound, to: own.upperBound, by: count).map { first in
                let last = min(first + count, own.upperBound)
                return RowChunk(
                    problem: problem, rows: first - problem.firstRow..<last - problem.firstRow,
                    leavesZeros: leavesZeros)
            }
        }
    }

    private static func place(_ codes: [UInt8], of chunk: RowChunk, inputs: Int, in all: inout [UInt8]) {
        let problem = chunk.problem
        for (index, row) in chunk.rows.enumerated() {
            let first = (problem.firstRow + row) * inputs
            for (place, column) in problem.columns.enumerated() {
                all[first + column] = codes[index * problem.size + place]
            }
        }
    }

    private static func quality(_ floats: [Float], _ values: [Float]) -> SignalRatio {
        var quality = SignalRatio()
        for (value, other) in zip(floats, values) {
            let off = Double(value) - Double(other)
            quality.signal += Double(value) * Double(value)
            quality.noise += off * off
        }
        return quality
    }

    /// Biases with which the mean outputs are those that are wanted.
    private static func bias(_ values: [Float], _ moments: LayerMoments) -> [Float] {
        let count = Double(moments.samples)
        return (0..<moments.groups * moments.outputs).map { output in
            let (group, row) = output.quotientAndRemainder(dividingBy: moments.outputs)
            var mean = moments.outputSums[group][row]
            for input in 0..<moments.inputs {
                mean -= Double(values[output * moments.inputs + input]) * moments.inputSums[group][input]
            }
            return Float(mean / count)
        }
    }

    private static func output(
        _ moments: LayerMoments, _ bias: [Float]?, isCentered: Bool, noise: Double
    ) -> SignalRatio {
        let count = Double(moments.samples)
        var (signal, square) = (0.0, 0.0)
        for group in 0..<moments.groups {
            for row in 0..<moments.outputs {
                let mean = moments.outputSums[group][row] / count
                let meanSquare = moments.outputSquares[group][row] / count
                let offset = isCentered ? mean : Double(bias?[group * moments.outputs + row] ?? 0)
                signal += max(meanSquare - mean * mean, 0)
                square += meanSquare - 2 * offset * mean + offset * offset
            }
        }
        return SignalRatio(signal: signal, noise: max(square + noise, 0))
    }
}

/// A layer's weight as indices into palettes, and what goes with it.
package struct CompensatedWeight: Sendable {
    /// The weight; nil if it is stored unchanged, without its zeros.
    package let weight: PalettizedWeight?
    /// Which elements are there, where zeros are left out.
    package let mask: SparseMask?
    /// The decoded values.
    package let values: [Float]
    /// The new bias; nil where it stays.
    package let bias: [Float]?
    /// The variance of the layer's outputs, and their mean squared error, over the samples.
    package let output: SignalRatio
}

extension CompensatedWeight {
    /// Whether it takes fewer bytes than the weight as it was; a package keeps that otherwise.
    /// - Parameter version: of the format.
    package func isSmaller(shape: [Int], isHalf: Bool, version: Int) -> Bool {
        let type: MILDataType = isHalf ? .float16 : .float32
        let before = values.count * type.bits / 8
        if let weight { return EncodedWeight(weight, type, shape: shape, version: version).byteCount < before }
        return mask.map { $0.packed.count + $0.used * type.bits / 8 < before } ?? false
    }
}
