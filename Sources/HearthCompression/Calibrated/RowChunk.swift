internal import CHearthCompression

/// Some rows of a problem: what one thread does at a time.
struct RowChunk: Sendable {
    let problem: CompensationProblem
    /// Rows of the problem.
    let rows: Range<Int>
    /// 1 for each weight that has to stay 0, of these rows; nil where none has to.
    private let fixed: [UInt8]?

    /// - Parameter leavesZeros: whether the original's zeros stay zeros.
    init(problem: CompensationProblem, rows: Range<Int>, leavesZeros: Bool) {
        (self.problem, self.rows) = (problem, rows)
        let own = rows.lowerBound * problem.size..<rows.upperBound * problem.size
        fixed = leavesZeros ? problem.original[own].map { $0 == 0 ? 1 : 0 } : nil
    }

    /// Weights that are free, with the place of each in its row.
    var free: [(value: Double, place: Int)] {
        let first = rows.lowerBound * problem.size
        return (0..<rows.count * problem.size).compactMap { index in
            if let fixed, fixed[index] != 0 { return nil }
            return (problem.original[first + index], index % problem.size)
        }
    }

    /// Codes that make up for each other's errors.
    /// - Parameter zero: the place of the level 0, for weights that have to stay 0.
    func compensated(_ levels: [Double], _ zero: Int, _ isCancelled: @escaping () -> Bool) throws -> [UInt8] {
        var codes = [UInt8](repeating: 0, count: rows.count * problem.size)
        var scratch = [Double](repeating: 0, count: problem.size)
        try run(isCancelled) { target, _, stop, context in
            hc_compensated_codes(
                target, rows.count, problem.size, problem.factor, levels, levels.count, fixed, zero, &scratch, &codes,
                stop, context)
        }
        return codes
    }

    /// Each weight's nearest level; 0 where it has to stay 0.
    func nearest(_ levels: [Double], _ zero: Int) -> [UInt8] {
        let limits = zip(levels, levels.dropFirst()).map { ($0 + $1) / 2 }
        let own = problem.target[rows.lowerBound * problem.size..<rows.upperBound * problem.size]
        return own.enumerated().map { index, value in
            if let fixed, fixed[index] != 0 { return UInt8(zero) }
            var (low, high) = (0, limits.count)
            while low < high {
                let middle = (low + high) / 2
                if value > limits[middle] { low = middle + 1 } else { high = middle }
            }
            return UInt8(low)
        }
    }

    /// Sums that the levels of least error are made of: [level, level], and [level].
    func levelMoments(
        _ codes: [UInt8], _ count: Int, _ isCancelled: @escaping () -> Bool
    ) throws -> (squares: [Double], crosses: [Double]) {
        var squares = [Double](repeating: 0, count: count * count)
        var crosses = [Double](repeating: 0, count: count)
        var scratch = [Double](repeating: 0, count: count * problem.size)
        try run(isCancelled) { _, projected, stop, context in
            hc_level_moments(
                codes, rows.count, problem.size, problem.moments, projected, count, &scratch, &squares, &crosses, stop,
                context)
        }
        return (squares, crosses)
    }

    /// Codes that no change of one alone makes better, or as they are where there are no sweeps; and their error.
    func descended(
        _ codes: [UInt8], _ levels: [Double], sweeps: Int, _ isCancelled: @escaping () -> Bool
    ) throws -> (codes: [UInt8], error: Double) {
        var codes = codes
        var errors = [Double](repeating: 0, count: rows.count)
        var scratch = [Double](repeating: 0, count: problem.size)
        try run(isCancelled) { target, projected, stop, context in
            hc_descend(
                target, projected, rows.count, problem.size, problem.moments, levels, levels.count, fixed, sweeps,
                &scratch, &codes, &errors, stop, context)
        }
        return (codes, errors.reduce(0, +))
    }

    /// The mean squared error per sample of the outputs of the codes, without the constant term of each row: add the
    /// variance of the outputs.
    func residual(_ codes: [UInt8], _ levels: [Double]) -> Double { residual { levels[Int(codes[$0])] } }

    /// The same for the original's weights.
    var originalResidual: Double {
        let first = rows.lowerBound * problem.size
        return residual { problem.original[first + $0] }
    }

    private func residual(_ value: (Int) -> Double) -> Double {
        let size = problem.size
        var image = [Double](repeating: 0, count: size)
        var sum = 0.0
        for row in 0..<rows.count {
            let values = (row * size..<(row + 1) * size).map(value)
            for place in image.indices { image[place] = 0 }
            problem.moments.withUnsafeBufferPointer { moments in
                guard let moments = moments.baseAddress else { return }
                for place in 0..<size { hc_add_scaled(&image, moments + place * size, values[place], size) }
            }
            let first = (rows.lowerBound + row) * size
            for place in 0..<size {
                let value = values[place]
                sum += value * (image[place] - problem.damping * value - 2 * problem.crosses[first + place])
            }
        }
        return sum
    }

    private func run(
        _ isCancelled: @escaping () -> Bool,
        _ body: (
            _ target: UnsafePointer<Double>, _ projected: UnsafePointer<Double>,
            _ stop: @convention(c) (UnsafeRawPointer?) -> Bool, _ context: UnsafeRawPointer
        ) -> Bool
    ) throws {
        let first = rows.lowerBound * problem.size
        let isDone = StopQuestion(isCancelled).withC { stop, context in
            problem.target.withUnsafeBufferPointer { target in
                problem.projected.withUnsafeBufferPointer { projected in
                    guard let target = target.baseAddress, let projected = projected.baseAddress else { return true }
                    return body(target + first, projected + first, stop, context)
                }
            }
        }
        if !isDone { throw CancellationError() }
    }
}
