internal import Foundation

/// The one-sided rank-sum test of Mann and Whitney ("On a test of whether one of two random variables is stochastically
/// larger than the other", 1947): it makes no assumption about the distribution, so an outlier is merely one high rank.
package enum RankTest {
    /// Up to this total count all assignments of ranks are enumerated; above, the normal approximation is close.
    private static let exactLimit = 20

    /// The probability that random assignment of the values to groups of these sizes puts the second group at least as
    /// high above the first as observed. Ties share their ranks. 1 for an empty group.
    package static func probability(of after: [Double], above before: [Double]) -> Double {
        guard !before.isEmpty, !after.isEmpty else { return 1 }
        let ranks = doubledRanks(before + after)
        let observed = ranks[before.count...].reduce(0, +)
        return ranks.count <= exactLimit
            ? exact(ranks, choosing: after.count, atLeast: observed)
            : normal(ranks, choosing: after.count, observed: observed)
    }

    /// Ranks from 1, doubled so that shared ones are integers.
    private static func doubledRanks(_ values: [Double]) -> [Int] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Int](repeating: 0, count: values.count)
        var begin = 0
        while begin < order.count {
            var end = begin
            while end < order.count, values[order[end]] == values[order[begin]] { end += 1 }
            for place in begin..<end { ranks[order[place]] = begin + 1 + end }
            begin = end
        }
        return ranks
    }

    /// Counts assignments by size and rank sum with dynamic programming.
    private static func exact(_ ranks: [Int], choosing size: Int, atLeast observed: Int) -> Double {
        let width = ranks.reduce(0, +) + 1
        // ways[count * width + sum]
        var ways = [Double](repeating: 0, count: (size + 1) * width)
        ways[0] = 1
        var reached = 0
        for (seen, rank) in ranks.enumerated() {
            reached += rank
            for count in stride(from: min(size, seen + 1), through: 1, by: -1) {
                let (row, below) = (count * width, (count - 1) * width)
                for sum in stride(from: reached, through: rank, by: -1) { ways[row + sum] += ways[below + sum - rank] }
            }
        }
        let row = ways[(size * width)...]
        return row[(size * width + observed)...].reduce(0, +) / row.reduce(0, +)
    }

    /// The normal approximation with corrections for ties and continuity (Lehmann, "Nonparametrics", 1975, chapter 1).
    private static func normal(_ ranks: [Int], choosing size: Int, observed: Int) -> Double {
        let all = Double(ranks.count)
        let after = Double(size)
        let mean = after * (all + 1) / 2
        let counts = Dictionary(grouping: ranks, by: { $0 }).values.map { Double($0.count) }
        let ties = counts.map { $0 * $0 * $0 - $0 }.reduce(0, +)
        let variance = after * (all - after) / 12 * ((all + 1) - ties / (all * (all - 1)))
        guard variance > 0 else { return 1 }
        return 0.5 * erfc((Double(observed) / 2 - mean - 0.5) / (2 * variance).squareRoot())
    }
}
