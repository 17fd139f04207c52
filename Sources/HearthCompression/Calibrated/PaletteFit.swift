internal import CHearthCompression

/// One palette and the codes of the rows that share it: levels and codes are improved in turns until that is of no more use.
struct PaletteFit {
    let chunks: [RowChunk]
    let bits: Int
    let grid: PaletteSolver.Grid
    let threads: Int
    let isCancelled: @Sendable () -> Bool
    /// Whether 0 is a level beside the others, which the original's zeros keep.
    var leavesZeros = false

    /// Levels, codes by chunk, and their error under the quadratic form.
    struct Solution: Sendable {
        var levels: [Double]
        /// The place of the level 0, where there is one that stays.
        var zero = 0
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
        var best = try nearest(start)
        guard steps.contains(.compensation) else { return best }
        // Compensation is never worse than rounding.
        let rounded = try nearest(plain)
        if rounded.error < best.error { best = rounded }
        var current = Solution(levels: start, zero: zero(in: start), codes: [], error: .infinity)
        for round in 0..<max(3, min(Self.rounds, Int(2e11 / work))) {
            let before = current.error
            if round < Self.freshRounds {
                let (levels, zero) = (current.levels, current.zero)
                current.codes = try each { index, isCancelled in
                    try chunks[index].compensated(levels, zero, isCancelled)
                }
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
        guard leavesZeros else {
            return levels + [Double](repeating: levels.last ?? 0, count: max(0, 1 << bits - levels.count))
        }
        let others = levels.filter { $0 != 0 }
        let missing = max(0, Self.freeLevels(bits) - others.count)
        return ([0] + others + [Double](repeating: others.last ?? 0, count: missing)).sorted()
    }

    /// Levels beside 0: codes are bytes.
    static func freeLevels(_ bits: Int) -> Int { min(1 << bits, 255) }

    private func zero(in levels: [Double]) -> Int { leavesZeros ? levels.firstIndex(of: 0) ?? 0 : 0 }

    private func nearest(_ levels: [Double]) throws -> Solution {
        let zero = zero(in: levels)
        return try measured(levels, zero, chunks.map { $0.nearest(levels, zero) })
    }

    /// The palette of least error where each weight counts as its input's mean square.
    private func weighted() throws -> [Double] {
        var values: [Float] = []
        var importance: [Float] = []
        for chunk in chunks {
            let size = chunk.problem.size
            let diagonal = (0..<size).map { Float(chunk.problem.moments[$0 * size + $0]) }
            if leavesZeros {
                let free = chunk.free
                values += free.map { Float($0.value) }
                importance += free.map { diagonal[$0.place] }
                continue
            }
            for row in chunk.rows {
                values += chunk.problem.target[row * size..<(row + 1) * size].map { Float($0) }
                importance += diagonal
            }
        }
        let levels = leavesZeros ? Self.freeLevels(bits) : 1 << bits
        return try PaletteSolver(levels: levels, grid: grid).solve(
            WeightElements(values), importance: importance, isCancelled: isCancelled
        ).map { Double($0) }
    }

    private func measured(_ levels: [Double], _ zero: Int, _ codes: [[UInt8]]) throws -> Solution {
        let errors = try each { index, isCancelled in
            try chunks[index].descended(codes[index], levels, sweeps: 0, isCancelled).error
        }
        return Solution(levels: levels, zero: zero, codes: codes, error: errors.reduce(0, +))
    }

    private func descended(_ solution: Solution) throws -> Solution {
        let results = try each { index, isCancelled in
            try chunks[index].descended(solution.codes[index], solution.levels, sweeps: Self.sweeps, isCancelled)
        }
        return Solution(
            levels: solution.levels, zero: solution.zero, codes: results.map(\.codes),
            error: results.reduce(0) { $0 + $1.error })
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
        if leavesZeros {
            for level in 0..<count {
                squares[solution.zero * count + level] = 0
                squares[level * count + solution.zero] = 0
            }
            (squares[solution.zero * count + solution.zero], crosses[solution.zero]) = (1, 0)
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
        let next = try measured(order.map { levels[$0] }, Int(place[solution.zero]), codes)
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
