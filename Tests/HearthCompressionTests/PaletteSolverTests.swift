import CHearthCompression
import Foundation
import HearthCompression
import HearthTestSupport
import Testing

/// The solver beside what is certainly right: all cuts tried, and the optimum by another program for real weights.
struct PaletteSolverTests {
    /// The least cost over all ways to cut the sorted values: plain dynamic programming, n² k.
    static func optimum(_ values: [Float], _ weights: [Float]? = nil, levels: Int) -> Double {
        let order = values.indices.sorted { values[$0] < values[$1] }
        let v = order.map { Double(values[$0]) }
        let w = order.map { Double(weights?[$0] ?? 1) }
        var best = [Double](repeating: .infinity, count: v.count + 1)
        best[0] = 0
        for _ in 0..<levels {
            var next = best
            for end in 1...v.count {
                var (mass, sum, square) = (0.0, 0.0, 0.0)
                for from in (0..<end).reversed() {
                    mass += w[from]
                    sum += w[from] * v[from]
                    square += w[from] * v[from] * v[from]
                    let cost = mass > 0 ? max(0, square - sum * sum / mass) : 0
                    next[end] = min(next[end], best[from] + cost)
                }
            }
            best = next
        }
        return best[v.count]
    }

    @Test(arguments: 0..<12) func floatsReachTheOptimum(_ seed: UInt64) throws {
        var random = SeededNumbers(seed)
        let count = Int.random(in: 1...70, using: &random)
        let isLumpy = Bool.random(using: &random)
        let values = (0..<count).map { _ in
            isLumpy ? Float(Int.random(in: -8...8, using: &random)) : Float(random.normal())
        }
        let weights = seed % 3 == 0 ? (0..<count).map { _ in Float.random(in: 0.1...5, using: &random) } : nil
        for levels in [1, 2, 3, 4, 8, 16] {
            let found = try PaletteSolver(levels: levels, grid: .float32).solve(
                WeightElements(values), importance: weights)
            #expect(found.count <= levels && found == found.sorted())
            let cost = squaredError(values, found, weights)
            let best = Self.optimum(values, weights, levels: levels)
            #expect(cost <= best * 1.000001 + 1e-10, "seed \(seed), \(levels) levels: \(cost) and \(best)")
        }
    }

    /// With levels on the grid of half precision: every pair of halves within the range is tried.
    @Test(arguments: 0..<6) func halvesReachTheBestPairOnTheirGrid(_ seed: UInt64) throws {
        var random = SeededNumbers(seed + 100)
        // A few grid steps apart, where rounding a mean costs most.
        let base = Half.table[Int.random(in: 8000...12000, using: &random)].bits
        let values = (0..<14).map { _ in Half.table[Int(base) + Int.random(in: 0...24, using: &random)].value }
        let grid = (0...24).map { Half.table[Int(base) + $0].value }
        var best = Double.infinity
        for first in grid { for second in grid { best = min(best, squaredError(values, [first, second])) } }
        let found = try PaletteSolver(levels: 2, grid: .float16).solve(.halves(values))
        #expect(found.allSatisfy { Half.rounded($0) == $0 })
        #expect(squaredError(values, found) <= best * (1 + 1e-9))
    }

    /// More floats than are sorted: cells must cost less than the bar, also where all values share their upper bits.
    @Test(arguments: [0, 1, 2, 3]) func manyFloatsStayWithinTheBar(_ kind: Int) throws {
        var random = SeededNumbers(UInt64(kind) + 7)
        let values = (0..<70_000).map { _ in
            let deviate = random.normal()
            return switch kind {
            case 0: Float(deviate * 0.02)
            // Far from zero, and still finer than what rounding levels to floats costs.
            case 1: Float(1 + deviate * 1e-4)
            case 2: Float(exp(deviate * 2))
            default: Float(deviate) + (Bool.random(using: &random) ? 40 : -40)
            }
        }
        let found = try PaletteSolver(levels: 16, grid: .float32).solve(WeightElements(values))
        // The exact optimum over all distinct values, by the same cuts without cells.
        let sorted = values.sorted()
        var prefix = [[0.0], [0.0], [0.0]]
        let middle = Double(sorted[sorted.count / 2])
        for value in sorted {
            let distance = Double(value) - middle
            for (index, term) in [1, distance, distance * distance].enumerated() {
                prefix[index].append((prefix[index].last ?? 0) + term)
            }
        }
        var bounds = [UInt32](repeating: 0, count: 17)
        #expect(hc_segments(prefix[0], prefix[1], prefix[2], sorted.count, 16, 1, &bounds, nil, nil))
        let best = zip(bounds, bounds.dropFirst()).reduce(0.0) { sum, cut in
            let part = sorted[Int(cut.0)..<Int(cut.1)]
            let mean = part.reduce(0.0) { $0 + Double($1) } / Double(part.count)
            return sum + part.reduce(0.0) { $0 + pow(Double($1) - mean, 2) }
        }
        let cost = try Palettization(bits: 4).encode(WeightElements(values), shape: [values.count]).quality.noise
        #expect(cost <= best * 1.0001, "\(cost / best)")
        #expect(found.count == 16)
    }

    @Test func fewValuesLoseNothing() throws {
        let values: [Float] = [0.5, -1, 0.5, 3, -1]
        #expect(try PaletteSolver(levels: 4, grid: .float16).solve(.halves(values)) == [-1, 0.5, 3])
        #expect(try PaletteSolver(levels: 4, grid: .float32).solve(WeightElements([])) == [])
        let weight = try Palettization(bits: 2).encode(.halves(values), shape: [5])
        #expect(weight.palettes == [[-1, 0.5, 3, 0]] && weight.codes == [1, 0, 1, 2, 0])
        #expect(weight.quality.decibels == SignalRatio.lossless)
        let zeros = try Palettization(bits: 1).encode(.halves([0, -0.0, 0]), shape: [3])
        #expect(zeros.codes == [0, 0, 0] && zeros.quality.noise == 0)
    }

    @Test func cancellingStopsTheWork() {
        let values = (0..<50_000).map { Float($0) }
        #expect(throws: CancellationError.self) {
            try PaletteSolver(levels: 64, grid: .float32).solve(WeightElements(values), isCancelled: { true })
        }
    }

    @Test func groupsHaveTheirOwnPalettes() throws {
        let values = (0..<48).map { (index: Int) -> Float in Float(index / 6 / 2 * 100 + index % 2) }
        let weight = try Palettization(bits: 1, groupSize: 2).encode(WeightElements(values), shape: [8, 6])
        #expect(weight.groups == [4, 1] && weight.palettes == [[0, 1], [100, 101], [200, 201], [300, 301]])
        #expect(weight.quality.noise == 0)
        // Three does not divide eight channels: two does.
        #expect(
            try Palettization(bits: 1, groupSize: 3).encode(WeightElements(values), shape: [8, 6]).groups == [4, 1])
        // Groups along the second axis are not contiguous.
        let across = try Palettization(bits: 1, groupSize: 3).encode(WeightElements(values), shape: [8, 6], axis: 1)
        #expect(across.groups == [1, 2])
        for (index, code) in across.codes.enumerated() {
            let level = across.palettes[index % 6 / 3][Int(code)]
            let other = across.palettes[index % 6 / 3][1 - Int(code)]
            #expect(abs(level - values[index]) <= abs(other - values[index]))
        }
    }
}
