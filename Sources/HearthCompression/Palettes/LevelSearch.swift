internal import CHearthCompression

/// The last step to a palette of half precision: levels move on their grid, one at a time and all together, as long as
/// that makes the error smaller.
struct LevelSearch {
    private let distribution: ValueDistribution
    private let values: [Float]

    private static let sweeps = 64

    /// - Parameter values: the value of each cell, ascending.
    init(_ distribution: ValueDistribution, _ values: [Float]) {
        self.distribution = distribution
        self.values = values
    }

    /// - Parameter levels: ascending, each once.
    func improved(_ levels: [Float], _ isCancelled: () -> Bool) -> [Float] {
        var best = levels
        var cost = cost(best)
        // Moves each level to the mean of its nearest elements, as long as that helps.
        for _ in 0..<Self.sweeps {
            let next = means(best)
            let nextCost = self.cost(next)
            guard nextCost < cost, !isCancelled() else { break }
            best = next
            cost = nextCost
        }
        // Smaller steps than the sums can tell apart are noise.
        let least = cost * 1e-12
        for _ in 0..<Self.sweeps {
            var isBetter = false
            for index in best.indices {
                if isCancelled() { return best }
                for candidate in neighbours(best, index) where gain(best, index, candidate) > least {
                    best[index] = candidate
                    isBetter = true
                }
            }
            if !isBetter { break }
        }
        return best
    }

    /// The squared error of the values at their nearest levels.
    private func cost(_ levels: [Float]) -> Double {
        var from = 0
        return levels.indices.reduce(0) { sum, index in
            let to = end(levels, index)
            defer { from = to }
            return sum + cost(from, to, levels[index])
        }
    }

    private func cost(_ from: Int, _ to: Int, _ level: Float) -> Double {
        guard from < to else { return 0 }
        let distance = Double(level) - distribution.origin
        return distribution.squares[to] - distribution.squares[from]
            - 2 * distance * (distribution.sums[to] - distribution.sums[from])
            + distance * distance * (distribution.weights[to] - distribution.weights[from])
    }

    /// The first cell that is nearer to the level after `index`.
    private func end(_ levels: [Float], _ index: Int) -> Int {
        guard index + 1 < levels.count else { return values.count }
        let limit = (levels[index] + levels[index + 1]) / 2
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] > limit { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func means(_ levels: [Float]) -> [Float] {
        var from = 0
        let means = levels.indices.map { index in
            let to = end(levels, index)
            defer { from = to }
            guard from < to else { return levels[index] }
            let weight = distribution.weights[to] - distribution.weights[from]
            let mean = distribution.origin + (distribution.sums[to] - distribution.sums[from]) / weight
            return hc_half_to_float(hc_half_from_double(mean))
        }
        return zip(means, means.dropFirst()).allSatisfy { $0 < $1 } ? means : levels
    }

    /// The next numbers of half precision on both sides that keep the order.
    private func neighbours(_ levels: [Float], _ index: Int) -> [Float] {
        let rank = hc_half_rank(hc_half_from_double(Double(levels[index])))
        // Rank 0x7fff would be -0, which is the same number as +0 above it.
        let ranks = [rank == 0x8000 ? 0x7ffe : rank &- 1, rank == 0x7ffe ? 0x8000 : rank + 1]
        return ranks.compactMap { rank in
            let value = hc_half_to_float(hc_half_at_rank(rank))
            guard value.isFinite, index == 0 || levels[index - 1] < value,
                index + 1 == levels.count || value < levels[index + 1]
            else { return nil }
            return value
        }
    }

    /// What the error loses where one level moves: only the cells of it and of its neighbours change theirs.
    private func gain(_ levels: [Float], _ index: Int, _ candidate: Float) -> Double {
        var moved = levels
        moved[index] = candidate
        let near = max(index - 1, 0)...min(index + 1, levels.count - 1)
        let start = near.lowerBound == 0 ? 0 : end(levels, near.lowerBound - 1)
        func local(_ levels: [Float]) -> Double {
            var from = start
            return near.reduce(0) { sum, index in
                let to = end(levels, index)
                defer { from = to }
                return sum + cost(from, to, levels[index])
            }
        }
        return local(levels) - local(moved)
    }
}
