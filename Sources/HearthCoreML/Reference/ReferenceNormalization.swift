internal import Foundation

/// Normalisation, softmax and reductions.
extension ReferenceExecutor {
    package func normalization(_ operation: GraphOperation, _ operands: Operands) throws -> CoreMLTensor {
        try checkCancellation()
        let x = operands[0]
        switch operation {
        case .batchNorm(let epsilon):
            let (mean, variance) = (operands[1].values, operands[2].values)
            let (gamma, beta) = (operands.optional(3)?.values, operands.optional(4)?.values)
            return try scaledByChannel(x) { channel in
                let scale = Double(gamma?[channel] ?? 1) / (Double(variance[channel]) + Double(epsilon)).squareRoot()
                return (scale, Double(beta?[channel] ?? 0) - Double(mean[channel]) * scale)
            }
        case .layerNorm(let axes, let epsilon):
            var rows = try layout.rows(x, along: axes)
            let (gamma, beta) = (operands.optional(1)?.values, operands.optional(2)?.values)
            var checkpoint = Checkpoint(of: rows.length, isStopped)
            for range in rows.ranges {
                try checkpoint.pass()
                let (mean, deviation) = Self.moments(rows.values[range], epsilon)
                for index in range {
                    let place = index - range.lowerBound
                    let value = (Double(rows.values[index]) - mean) / deviation
                    rows.values[index] = Float(value * Double(gamma?[place] ?? 1) + Double(beta?[place] ?? 0))
                }
            }
            return CoreMLTensor(shape: x.shape, values: try rows.restored)
        case .instanceNorm(let epsilon):
            return try instanceNorm(x, operands.optional(1)?.values, operands.optional(2)?.values, epsilon)
        case .l2Norm(let epsilon):
            var rows = try layout.rows(x, along: Array(x.shape.indices.suffix(3)))
            for range in rows.ranges {
                let sum = rows.values[range].reduce(Double(epsilon)) { $0 + Double($1) * Double($1) }
                for index in range { rows.values[index] = Float(Double(rows.values[index]) / sum.squareRoot()) }
            }
            return CoreMLTensor(shape: x.shape, values: try rows.restored)
        case .localResponseNorm(let size, let alpha, let beta, let k):
            return try localResponseNorm(x, size, alpha, beta, k)
        case .softmax(let axis):
            return try softmax(x, axis)
        default: return x
        }
    }

    /// scale · x + shift, by channel.
    private func scaledByChannel(
        _ x: CoreMLTensor, _ factors: (Int) -> (scale: Double, shift: Double)
    ) throws -> CoreMLTensor {
        var y = x
        let plane = x.shape[2...].reduce(1, *)
        var checkpoint = Checkpoint(of: plane, isStopped)
        for block in 0..<x.shape[0] * x.shape[1] {
            try checkpoint.pass()
            let (scale, shift) = factors(block % x.shape[1])
            for index in block * plane..<(block + 1) * plane {
                y.values[index] = Float(Double(x.values[index]) * scale + shift)
            }
        }
        return y
    }

    /// Mean, and root of population variance plus epsilon.
    private static func moments(_ row: ArraySlice<Float>, _ epsilon: Float) -> (mean: Double, deviation: Double) {
        let mean = row.reduce(0.0) { $0 + Double($1) } / Double(row.count)
        let variance = row.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(row.count)
        return (mean, (variance + Double(epsilon)).squareRoot())
    }

    private func instanceNorm(
        _ x: CoreMLTensor, _ gamma: [Float]?, _ beta: [Float]?, _ epsilon: Float
    ) throws -> CoreMLTensor {
        var y = x
        let plane = x.shape[2...].reduce(1, *)
        var checkpoint = Checkpoint(of: plane, isStopped)
        for block in 0..<x.shape[0] * x.shape[1] {
            try checkpoint.pass()
            let range = block * plane..<(block + 1) * plane
            let (mean, deviation) = Self.moments(x.values[range], epsilon)
            let scale = Double(gamma?[block % x.shape[1]] ?? 1) / deviation
            let shift = Double(beta?[block % x.shape[1]] ?? 0)
            for index in range { y.values[index] = Float((Double(x.values[index]) - mean) * scale + shift) }
        }
        return y
    }

    /// Of an even number of channels around one, the odd one lies before it.
    private func localResponseNorm(
        _ x: CoreMLTensor, _ size: Int, _ alpha: Float, _ beta: Float, _ k: Float
    ) throws -> CoreMLTensor {
        var y = x
        let plane = x.shape[2...].reduce(1, *)
        let channels = x.shape[1]
        var checkpoint = Checkpoint(of: plane * min(size, channels), isStopped)
        for block in 0..<x.shape[0] * channels {
            try checkpoint.pass()
            let channel = block % channels
            let around = max(0, channel - size / 2)...min(channels - 1, channel + (size - 1) / 2)
            for place in 0..<plane {
                let index = block * plane + place
                let sum = around.reduce(0.0) { sum, other in
                    let value = Double(x.values[index + (other - channel) * plane])
                    return sum + value * value
                }
                let base = Double(k) + Double(alpha) / Double(size) * sum
                y.values[index] = Float(Double(x.values[index]) / pow(base, Double(beta)))
            }
        }
        return y
    }

    package func softmax(_ x: CoreMLTensor, _ axis: Int) throws -> CoreMLTensor {
        var rows = try layout.rows(x, along: [axis])
        var checkpoint = Checkpoint(of: rows.length, isStopped)
        for range in rows.ranges {
            try checkpoint.pass()
            let largest = Double(rows.values[range].max() ?? 0)
            let powers = rows.values[range].map { exp(Double($0) - largest) }
            let sum = powers.reduce(0, +)
            for (index, power) in zip(range, powers) { rows.values[index] = Float(power / sum) }
        }
        return CoreMLTensor(shape: x.shape, values: try rows.restored)
    }

    package func reduced(_ x: CoreMLTensor, _ kind: GraphReduction, _ axes: [Int], _ shape: [Int]) throws
        -> CoreMLTensor
    {
        try checkCancellation()
        let rows = try layout.rows(x, along: axes)
        var checkpoint = Checkpoint(of: rows.length, isStopped)
        return CoreMLTensor(
            shape: shape,
            values: try rows.ranges.map { range in
                try checkpoint.pass()
                return Self.reduced(rows.values[range], kind)
            })
    }

    private static func reduced(_ row: ArraySlice<Float>, _ kind: GraphReduction) -> Float {
        func sum(_ value: (Double) -> Double) -> Double { row.reduce(0) { $0 + value(Double($1)) } }
        switch kind {
        case .mean: return Float(sum { $0 } / Double(row.count))
        case .sum: return Float(sum { $0 })
        case .max: return row.reduce(-.infinity, ReferenceExecutor.greater)
        case .min: return -row.reduce(-.infinity) { ReferenceExecutor.greater($0, -$1) }
        case .product: return Float(row.reduce(1.0) { $0 * Double($1) })
        case .sumOfSquares: return Float(sum { $0 * $0 })
        case .l2Norm: return Float(sum { $0 * $0 }.squareRoot())
        case .logSumExp:
            let largest = Double(row.max() ?? 0)
            return Float(log(sum { exp($0 - largest) }) + largest)
        case .argMax: return Float(extreme(row) { $0 > $1 })
        case .argMin: return Float(extreme(row) { $0 < $1 })
        }
    }

    /// Place of the first of the best.
    private static func extreme(_ row: ArraySlice<Float>, _ isBetter: (Float, Float) -> Bool) -> Int {
        var best = row.startIndex
        for index in row.indices where isBetter(row[index], row[best]) { best = index }
        return best - row.startIndex
    }
}
