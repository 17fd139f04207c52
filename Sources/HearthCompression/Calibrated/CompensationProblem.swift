internal import CHearthCompression

/// The weights of one block of a layer's inputs, and the quadratic form that says what an error in them costs.
///
/// Columns are in ascending order of their inputs' mean square: codes are chosen from the last to the first.
struct CompensationProblem: Sendable {
    /// Columns of the weight, and rows.
    let size: Int
    let rows: Int
    /// The layer's first output of it.
    let firstRow: Int
    /// The column of the weight at each place.
    let columns: [Int]
    /// Second moments of the inputs with a damped diagonal, so that directions without samples count a little.
    let moments: [Double]
    /// The damping of the diagonal.
    let damping: Double
    /// Of the moments, as `hc_factor` makes it.
    let factor: [Double]
    /// What the weights aim at, and the moments times it.
    let target: [Double]
    let projected: [Double]
    /// Products of outputs and inputs, for the error in the end.
    let crosses: [Double]
    /// The original's weights in this order.
    let original: [Double]

    /// A share of the mean square of the inputs.
    static let usualDamping = 0.01

    /// - Parameters:
    ///   - weights: of the whole layer, row by row.
    ///   - bias: of the whole layer; nil for zeros.
    ///   - isCentered: whether a bias takes up what the means do.
    ///   - followsDrift: whether inputs may differ from those that the weights were made for.
    init(
        _ layer: LayerMoments, group: Int, block: Int, weights: [Double], bias: [Float]?, isCentered: Bool,
        followsDrift: Bool, isCancelled: @escaping () -> Bool
    ) throws {
        let bounds = layer.bounds[block]..<layer.bounds[block + 1]
        let (size, rows) = (bounds.count, layer.outputs)
        let firstRow = group * layer.outputs
        let count = Double(max(layer.samples, 1))
        let raw = layer.squares[group * layer.blocks + block]
        let means = layer.inputSums[group][bounds].map { $0 / count }
        func moment(_ i: Int, _ j: Int) -> Double {
            raw[i * size + j] / count - (isCentered ? means[i] * means[j] : 0)
        }
        let diagonal = (0..<size).map { max(moment($0, $0), 0) }
        let mean = diagonal.reduce(0, +) / Double(size)
        let order = (0..<size).sorted { (diagonal[$0], $0) < (diagonal[$1], $1) }
        // Inputs that are always the same: all weights count alike.
        let isFlat = !(mean > 0)
        var moments = [Double](repeating: 0, count: size * size)
        if !isFlat {
            for (i, column) in order.enumerated() {
                for (j, other) in order.enumerated() { moments[i * size + j] = moment(column, other) }
            }
        }
        var damping = isFlat ? 1 : Self.usualDamping * mean
        var factor = moments
        while true {
            if isCancelled() { throw CancellationError() }
            factor = moments
            for i in 0..<size { factor[i * size + i] += damping }
            if (StopQuestion(isCancelled).withC { hc_factor(&factor, size, $0, $1) }) { break }
            if isCancelled() { throw CancellationError() }
            damping *= 10
            guard damping.isFinite else {
                throw CompressionError.invalidMoments(problem: "the moments of the inputs are invalid")
            }
        }
        for i in 0..<size { moments[i * size + i] += damping }

        var target = [Double](repeating: 0, count: rows * size)
        var crosses = target
        var original = target
        for row in 0..<rows {
            let outputMean = layer.outputSums[group][row] / count
            // What the bias adds is no business of the weights.
            let offset = isCentered ? outputMean : Double(bias?[firstRow + row] ?? 0)
            for (place, column) in order.enumerated() {
                let at = row * size + place
                target[at] = weights[(firstRow + row) * layer.inputs + bounds.lowerBound + column]
                original[at] = target[at]
                crosses[at] =
                    layer.crosses[group][row * layer.inputs + bounds.lowerBound + column] / count - offset
                    * means[column]
            }
        }
        // With inputs in several blocks an output is not made of this one alone.
        if followsDrift, !isFlat, layer.blocks == 1 {
            for at in target.indices { target[at] = crosses[at] + damping * target[at] }
            guard (StopQuestion(isCancelled).withC { hc_solve(factor, size, &target, rows, $0, $1) }) else {
                throw CancellationError()
            }
        }
        var projected = [Double](repeating: 0, count: rows * size)
        try moments.withUnsafeBufferPointer { moments in
            try projected.withUnsafeMutableBufferPointer { projected in
                guard let moments = moments.baseAddress, let projected = projected.baseAddress else { return }
                for row in 0..<rows {
                    if isCancelled() { throw CancellationError() }
                    for column in 0..<size {
                        hc_add_scaled(
                            projected + row * size, moments + column * size, target[row * size + column], size)
                    }
                }
            }
        }
        self.size = size
        self.rows = rows
        self.firstRow = firstRow
        columns = order.map { $0 + bounds.lowerBound }
        self.moments = moments
        self.damping = damping
        self.factor = factor
        self.target = target
        self.projected = projected
        self.crosses = crosses
        self.original = original
    }
}
