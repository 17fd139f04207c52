internal import CHearthCompression

/// One palette and the codes of the rows that share it: levels and codes are improved in turns until that is of no more use.
struct PaletteFit {
    let chunks: [RowChunk]
    let bits: Int
    let grid: PaletteSolver.Grid
    let threads: Int
    let isCancelled: @Sendable () -> Bool

    /// Levels, codes by chunk, and their error under the quadratic form.
    struct Solution: Sendable {
        var levels: [Double]
        var codes: [[UInt8]]
        var error: Double
    }

    /// Rounds in which codes are chosen anew, and all rounds.
    private static let freshRounds = 4
    private static let rounds = 12
    private static let sweeps = 20

    /// - Parameters:
    ///   - plain: the palette of the weights alone.
    ///   - steps: what is done besides.
    func solve(plain: [Double], _ steps: CalibrationSteps) throws -> Solution {
        let plain = padded(plain)
        let start = steps.contains(.importance) ? padded(try weighted()) : plain
        var best = try measured(start, chunks.map { $0.nearest(start) })
        guard steps.contains(.compensation) else { return best }
        // Compensation is never worse than rounding.
        let rounded = try measured(plain, chunks.map { $0.nearest(plain) })
        if rounded.error < best.error { best = rounded }
        var current = Solution(levels: start, codes: [], error: .infinity)
        for round in 0..<max(3, min(Self.rounds, Int(2e11 / work))) {
            let before = current.error
            if round < Self.freshRounds {
                let levels = current.levels
                current.codes = try each { index, isCancelled in try chunks[index].compensated(levels, isCancelled) }
            }
            current = try descended(current)
            current = try refitted(current)
            if current.error < best.error { best = current }
            if round >= Self.freshRounds, current.error > before * (1 - 1e-5) { break }
        }
        return best
    }

    /// Operations of a round, about.
    private var work: Double {
        chunks.reduce(1) { $0 + 4 * Double($1.rows.count) * Double($1.problem.size) * Double($1.problem.size) }
    }

    private func padded(_ levels: [Double]) -> [Double] {
        levels + [Double](repeating: levels.last ?? 0, count: max(0, 1 << bits - levels.count))
    }

    /// The palette of least error where each weight counts as its input's mean square.
    private func weighted() throws -> [Double] {
        var values: [Float] = []
        var importance: [Float] = []
        for chunk in chunks {
            let size = chunk.problem.size
            let diagonal = (0..<size).map { Float(chunk.problem.moments[$0 * size + $0]) }
            for row in chunk.rows {
                values += chunk.problem.target[row * size..<(row + 1) * size].map { Float($0) }
                importance += diagonal
            }
        }
        return try PaletteSolver(levels: 1 << bits, grid: grid).solve(
            WeightElements(values), importance: importance, isCancelled: isCancelled
        ).map { Double($0) }
    }

    private func measured(_ levels: [Double], _ codes: [[UInt8]]) throws -> Solution {
        let errors = try each { index, isCancelled in
            try chunks[index].descended(codes[index], levels, sweeps: 0, isCancelled).error
        }
        return Solution(levels: levels, codes: codes, error: errors.reduce(0, +))
    }

    private func descended(_ solution: Solution) throws -> Solution {
        let results = try each { index, isCancelled in
            try chunks[index].descended(solution.codes[index], solution.levels, sweeps: Self.sweeps, isCancelled)
        }
        return Solution(
            levels: solution.levels, codes: results.map(\.codes), error: results.reduce(0) { $0 + $1.error })
    }

    /// The levels of least error for the codes, by least squares.
    private func refitted(_ solution: Solution) throws -> Solution {
        let count = solution.levels.count
        let sums = try each { index, isCancelled in
            try chunks[index].levelMoments(solution.codes[index], count, isCancelled)
        }
        var squares = [Double](repeating: 0, count: count * count)
        var crosses = [Double](repeating: 0, count: count)
        for sum in sums {
            for at in squares.indices { squares[at] += sum.squares[at] }
            for at in crosses.indices { crosses[at] += sum.crosses[at] }
        }
        // A level that no weight has stays where it is.
        let trace = (0..<count).reduce(0) { $0 + squares[$1 * count + $1] }
        let pull = max(trace / Double(count) * 1e-9, .leastNormalMagnitude)
        for level in 0..<count {
            squares[level * count + level] += pull
            crosses[level] += pull * solution.levels[level]
        }
        guard hc_factor(&squares, count, nil, nil), hc_solve(squares, count, &crosses, 1, nil, nil),
            crosses.allSatisfy(\.isFinite)
        else { return solution }
        let levels = crosses.map(rounded)
        guard levels.allSatisfy(\.isFinite) else { return solution }
        let order = levels.indices.sorted { (levels[$0], $0) < (levels[$1], $1) }
        var place = [UInt8](repeating: 0, count: count)
        for (new, old) in order.enumerated() { place[old] = UInt8(new) }
        let codes = solution.codes.map { $0.map { place[Int($0)] } }
        let next = try measured(order.map { levels[$0] }, codes)
        return next.error <= solution.error ? next : solution
    }

    private func rounded(_ level: Double) -> Double {
        grid == .float16 ? Double(hc_half_to_float(hc_half_from_double(level))) : Double(Float(level))
    }

    /// Work on all chunks by several threads; the results are in the chunks' order, however many threads there are.
    private func each<R: Sendable>(
        _ body: @escaping @Sendable (_ index: Int, _ isCancelled: @escaping @Sendable () -> Bool) throws -> R
    ) throws -> [R] {
        if threads < 2 || chunks.count < 2 || work < 1e7 {
            return try chunks.indices.map { try body($0, isCancelled) }
        }
        var results: [R] = []
        try OrderedWork.run(
            Array(chunks.indices), threads: threads, limit: .max, size: { _ in 0 }, isCancelled: isCancelled,
            work: body,
            consume: { _, result in results.append(result) })
        return results
    }
}
