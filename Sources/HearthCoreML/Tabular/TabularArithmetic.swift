internal import Foundation
internal import HearthCoreMLFormat

/// What models of tables compute for a row of numbers.
extension CoreMLTrees {
    /// Sums of a regressor, or shares of a classifier's labels.
    func results(_ row: [Double]) -> [Double] {
        var sums = base
        for root in roots {
            var node = nodes[root]
            while let comparison = node.comparison {
                let value = node.feature < row.count ? row[node.feature] : .nan
                let isTrue = value.isNaN ? node.missingIsTrue : comparison.holds(value, node.value)
                node = nodes[isTrue ? node.whenTrue : node.whenFalse]
            }
            for result in node.results { sums[result.dimension] += result.value }
        }
        let transformed: [Double] =
            switch transform {
            case .none: sums
            case .logistic: sums.map(Shares.logistic)
            case .softmax: Shares.softmax(sums)
            case .softmaxWithReference: Shares.softmax([0] + sums)
            }
        guard let labels, labels.count == 2, transformed.count == 1 else { return transformed }
        // One sum for two classes: of the second one.
        return [1 - transformed[0], transformed[0]]
    }
}

extension CoreMLTrees.Comparison {
    fileprivate func holds(_ left: Double, _ right: Double) -> Bool {
        switch self {
        case .lessOrEqual: left <= right
        case .less: left < right
        case .greaterOrEqual: left >= right
        case .greater: left > right
        case .equal: left == right
        case .notEqual: left != right
        }
    }
}

extension CoreMLLinear {
    /// Sums of a regressor, or shares of a classifier's labels.
    func results(_ row: [Double]) -> [Double] {
        let sums = zip(weights, offsets).map { weights, offset in zip(weights, row).reduce(offset) { $0 + $1.0 * $1.1 }
        }
        func link(_ value: Double) -> Double {
            switch transform {
            case .none: value
            case .logit: Shares.logistic(value)
            case .probit: 0.5 * erfc(-value / 2.0.squareRoot())
            }
        }
        guard let labels else { return sums.map(link) }
        if sums.count == 1, labels.count == 2 {
            let share = link(sums[0])
            return [1 - share, share]
        }
        if isOneVersusRest {
            let shares = sums.map(link)
            let total = shares.reduce(0, +)
            return total > 0 ? shares.map { $0 / total } : shares.map { _ in 1 / Double(shares.count) }
        }
        return Shares.softmax([0] + sums)
    }
}

extension CoreMLNeighbours {
    /// Shares of the classes among the nearest rows.
    func shares(_ row: [Double]) -> [Double] {
        if rowClasses.isEmpty { return [1] }
        let distances = rowClasses.indices.map { index in
            (0..<dimensions).reduce(0.0) {
                let difference = Double(samples[index * dimensions + $1]) - row[$1]
                return $0 + difference * difference
            }
        }
        let order = distances.indices.sorted {
            distances[$0] == distances[$1] ? $0 < $1 : distances[$0] < distances[$1]
        }
        var sums = [Double](repeating: 0, count: classes.count)
        for index in order.prefix(neighbours) {
            // A row that is there already decides almost alone.
            let weight = weighsByDistance ? 1 / max(distances[index].squareRoot(), 1e-12) : 1
            sums[rowClasses[index]] += weight
        }
        let total = sums.reduce(0, +)
        return sums.map { $0 / total }
    }

}

extension CoreMLSupportVectors {
    private func value(_ vector: [Double], _ row: [Double]) -> Double {
        // A vector of a sparse list ends with its last number that is not 0.
        func dot() -> Double { zip(vector, row).reduce(0) { $0 + $1.0 * $1.1 } }
        switch kernel {
        case .linear: return dot()
        case .radial(let gamma):
            let squares = row.indices.reduce(0.0) {
                let difference = row[$1] - ($1 < vector.count ? vector[$1] : 0)
                return $0 + difference * difference
            }
            return exp(-gamma * squares)
        case .polynomial(let degree, let offset, let gamma): return pow(gamma * dot() + offset, Double(degree))
        case .sigmoid(let offset, let gamma): return tanh(gamma * dot() + offset)
        }
    }

    /// Of a regressor.
    func sum(_ row: [Double]) -> Double {
        zip(coefficients[0], vectors).reduce(-rho[0]) { $0 + $1.0 * value($1.1, row) }
    }

    /// One number for each pair of classes, positive for the first of them (LIBSVM).
    func decisions(_ row: [Double]) -> [Double] {
        let values = vectors.map { value($0, row) }
        var starts = [0]
        for count in counts { starts.append(starts[starts.count - 1] + count) }
        var decisions: [Double] = []
        for first in counts.indices {
            for second in (first + 1)..<counts.count {
                var sum = -rho[decisions.count]
                for index in starts[first]..<starts[first + 1] {
                    sum += coefficients[second - 1][index] * values[index]
                }
                for index in starts[second]..<starts[second + 1] { sum += coefficients[first][index] * values[index] }
                decisions.append(sum)
            }
        }
        return decisions
    }

    /// The class that wins most pairs, the first of equals.
    func winner(_ decisions: [Double]) -> Int {
        var votes = [Int](repeating: 0, count: counts.count)
        var pair = 0
        for first in counts.indices {
            for second in (first + 1)..<counts.count {
                votes[decisions[pair] > 0 ? first : second] += 1
                pair += 1
            }
        }
        return votes.firstIndex(of: votes.max() ?? 0) ?? 0
    }

    /// Probabilities of the classes out of those of all pairs (Wu, Lin and Weng 2004, as in LIBSVM); nil where the model has
    /// none.
    func shares(_ decisions: [Double]) -> [Double]? {
        let count = counts.count
        guard probabilityA.count == decisions.count else { return nil }
        var pairs = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
        var pair = 0
        for first in 0..<count {
            for second in (first + 1)..<count {
                let exponent = decisions[pair] * probabilityA[pair] + probabilityB[pair]
                let share = min(max(Shares.logistic(-exponent), 1e-7), 1 - 1e-7)
                (pairs[first][second], pairs[second][first]) = (share, 1 - share)
                pair += 1
            }
        }
        if count == 2 { return [pairs[0][1], pairs[1][0]] }
        return Shares.coupled(pairs)
    }
}

/// Numbers that become shares of 1.
enum Shares {
    static func logistic(_ value: Double) -> Double {
        value >= 0 ? 1 / (1 + exp(-value)) : exp(value) / (1 + exp(value))
    }

    static func softmax(_ values: [Double]) -> [Double] {
        let top = values.max() ?? 0
        let powers = values.map { exp($0 - top) }
        let total = powers.reduce(0, +)
        return powers.map { $0 / total }
    }

    static func coupled(_ pairs: [[Double]]) -> [Double] {
        let count = pairs.count
        var p = [Double](repeating: 1 / Double(count), count: count)
        var q = pairs.map { $0.map { _ in 0.0 } }
        for t in 0..<count {
            for j in 0..<count where j != t {
                q[t][t] += pairs[j][t] * pairs[j][t]
                q[t][j] = -pairs[j][t] * pairs[t][j]
            }
        }
        for _ in 0..<max(100, count) {
            var qp = (0..<count).map { t in (0..<count).reduce(0.0) { $0 + q[t][$1] * p[$1] } }
            var pqp = (0..<count).reduce(0.0) { $0 + p[$1] * qp[$1] }
            if (qp.map { abs($0 - pqp) }.max() ?? 0) < 0.005 / Double(count) { break }
            for t in 0..<count {
                let difference = (pqp - qp[t]) / q[t][t]
                p[t] += difference
                pqp = (pqp + difference * (difference * q[t][t] + 2 * qp[t])) / (1 + difference) / (1 + difference)
                for j in 0..<count {
                    qp[j] = (qp[j] + difference * q[t][j]) / (1 + difference)
                    p[j] /= 1 + difference
                }
            }
        }
        return p
    }
}
