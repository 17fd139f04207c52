internal import CHearthCompression
internal import HearthSystem

/// Palettes of least squared error: one-dimensional k-means, solved and not searched for.
///
/// The optimal palette cuts the sorted values into segments and takes their means; which cuts is found by dynamic programming over
/// all distinct values (Wu, "Optimal quantization by matrix searching", 1991). Rounding the means to half precision
/// costs something: the cuts are then optimised again with the rounding inside, and the levels moved on their grid until
/// no step of one level makes it better.
///
/// Exact for up to 4 million pairs of values and levels; beyond (a palette of 8 bits for 16,384 values and more) cuts
/// are found on every n-th value first and optimised around there. Weights of more than 65,536 floats are counted in
/// cells first, 256 a level at least, and the levels are means of the floats themselves again at the end; the error is
/// above the optimum by less than 1 in 10,000.
///
/// The same input gives the same palette, whatever machine and threads.
package struct PaletteSolver: Sendable {
    /// The numbers that a level can be.
    package enum Grid: Sendable {
        case float16, float32
    }

    /// Most levels of a palette, 1 to 256.
    package let levels: Int
    /// What levels are rounded to.
    package let grid: Grid

    /// Pairs of cells and levels that are searched without thinning.
    private static let exactPairs = 1 << 22

    /// - Parameter levels: limited to 1 ... 256.
    package init(levels: Int, grid: Grid) {
        self.levels = min(max(levels, 1), 256)
        self.grid = grid
    }

    /// The levels, ascending; fewer than asked for where there are fewer distinct values.
    /// - Parameters:
    ///   - elements: finite numbers.
    ///   - importance: one weight an element, not negative; 1 each where it is nil.
    ///   - isCancelled: asked at least every 50 ms.
    /// - Throws: `CancellationError`; `CompressionError.outOfMemory`.
    package func solve(
        _ elements: WeightElements, importance: [Float]? = nil, isCancelled: () -> Bool = { false }
    ) throws -> [Float] {
        let distribution = ValueDistribution(elements, importance: importance, cells: max(16384, 256 * levels))
        let palette = try solve(distribution, isCancelled)
        guard distribution.values == nil, case .single(let floats) = elements else { return palette }
        return try settled(palette, floats, importance, origin: distribution.origin, isCancelled)
    }

    /// The levels for values that are sorted already.
    func solve(_ distribution: ValueDistribution, _ isCancelled: () -> Bool) throws -> [Float] {
        if let values = distribution.values, values.count <= levels {
            return distinct(values.map { rounded(Double($0)) })
        }
        guard distribution.count > 0 else { return [] }
        let bounds = try cuts(distribution, isCancelled)
        let levels = zip(bounds, bounds.dropFirst()).map { from, to in
            let weight = distribution.weights[Int(to)] - distribution.weights[Int(from)]
            return rounded(
                distribution.origin + (distribution.sums[Int(to)] - distribution.sums[Int(from)]) / weight)
        }
        guard grid == .float16, let values = distribution.values else { return distinct(levels) }
        return LevelSearch(distribution, values).improved(distinct(levels), isCancelled)
    }

    /// Where the segments of the optimal palette begin and end.
    private func cuts(_ distribution: ValueDistribution, _ isCancelled: () -> Bool) throws -> [UInt32] {
        let cells = distribution.count
        let segments = min(levels, cells)
        var bounds = [UInt32](repeating: 0, count: segments + 1)
        let stride = max(1, (cells * segments + Self.exactPairs - 1) / Self.exactPairs)
        return try withoutActuallyEscaping(isCancelled) { isCancelled in
            try StopQuestion(isCancelled).withC { (stop, context) -> Result<[UInt32], any Error> in
                func failure() -> any Error {
                    isCancelled() ? CancellationError() : CompressionError.outOfMemory(tensor: "\(cells) values")
                }
                guard
                    hc_segments(
                        distribution.weights, distribution.sums, distribution.squares, cells, segments, stride,
                        &bounds, stop, context)
                else { return .failure(failure()) }
                // Segments that were found on every n-th cell, and those whose levels are rounded, move a little.
                guard stride > 1 || grid == .float16 else { return .success(bounds) }
                for _ in 0..<16 {
                    let before = bounds
                    let cost = hc_segments_band(
                        distribution.weights, distribution.sums, distribution.squares, cells, segments,
                        max(16, 2 * stride), distribution.origin, grid == .float16, &bounds, stop, context)
                    guard cost >= 0 else { return .failure(failure()) }
                    if bounds == before { break }
                }
                return .success(bounds)
            }.get()
        }
    }

    /// Levels that are the means of the floats that are nearest to them: what the cells blurred is made sharp.
    private func settled(
        _ palette: [Float], _ floats: FlatArray<Float>, _ importance: [Float]?, origin: Double,
        _ isCancelled: () -> Bool
    ) throws -> [Float] {
        var palette = palette
        for _ in 0..<2 {
            var weights = [Double](repeating: 0, count: palette.count)
            var sums = weights
            let limits = Palettization.limits(palette)
            var codes = [UInt8](repeating: 0, count: min(floats.count, Palettization.piece))
            for start in stride(from: 0, to: floats.count, by: Palettization.piece) {
                if isCancelled() { throw CancellationError() }
                let count = min(Palettization.piece, floats.count - start)
                floats.withBase { base in
                    hc_assign(base + start, count, limits, palette.count, &codes)
                    if let importance {
                        importance.withUnsafeBufferPointer { weight in
                            hc_level_sums(
                                base + start, weight.baseAddress.map { $0 + start }, codes, count, origin, &weights,
                                &sums)
                        }
                    } else {
                        hc_level_sums(base + start, nil, codes, count, origin, &weights, &sums)
                    }
                }
            }
            palette = distinct(
                palette.indices.map { weights[$0] > 0 ? rounded(origin + sums[$0] / weights[$0]) : palette[$0] })
        }
        return palette
    }

    private func rounded(_ value: Double) -> Float {
        grid == .float16 ? hc_half_to_float(hc_half_from_double(value)) : Float(value)
    }

    /// Ascending, each level once.
    private func distinct(_ levels: [Float]) -> [Float] {
        levels.sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}
