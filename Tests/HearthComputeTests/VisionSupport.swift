import HearthCompute
import HearthTestSupport
import Testing

/// Every kernel set, the fastest with two threads: how work is shared out does not depend on the set.
struct VisionMachine: Sendable, CustomStringConvertible {
    let kernels: KernelSet
    let threads: Int

    var description: String { "\(kernels.name) × \(threads)" }

    static let all = KernelSet.available.enumerated().map { index, kernels in
        VisionMachine(kernels: kernels, threads: index == 0 ? 2 : 1)
    }

    func compute() throws -> Compute { try Compute(kernels: kernels, threads: threads) }
}

/// Values of a plain tensor, indexed by the tests' own loops.
struct Plain {
    let shape: [Int]
    var values: [Float]

    init(_ shape: [Int], _ random: inout SeededNumbers, within limit: Float = 1) {
        self.shape = shape
        values = random.floats(shape.reduce(1, *), within: limit)
    }

    init(_ shape: [Int], _ values: [Float]) {
        self.shape = shape
        self.values = values
    }

    subscript(_ index: Int...) -> Float { values[zip(shape, index).reduce(0) { $0 * $1.0 + $1.1 }] }

    /// The blocked layout of a picture, with NaN in the lanes that no channel uses: they must not reach a result.
    func blocked() throws -> FloatRegion {
        let blocks = (shape[1] + 15) / 16
        let positions = shape[2] * shape[3]
        var out = [Float](repeating: .nan, count: shape[0] * blocks * positions * 16)
        for picture in 0..<shape[0] {
            for channel in 0..<shape[1] {
                for position in 0..<positions {
                    out[((picture * blocks + channel / 16) * positions + position) * 16 + channel % 16] =
                        values[(picture * shape[1] + channel) * positions + position]
                }
            }
        }
        return try FloatRegion(out)
    }

    /// The plain picture in a blocked region.
    static func unblocked(_ region: FloatRegion, _ shape: ImageShape) -> Plain {
        let blocked = region.values
        var values: [Float] = []
        for picture in 0..<shape.batch {
            for channel in 0..<shape.channels {
                for position in 0..<shape.positions {
                    let block = picture * shape.blocks + channel / 16
                    values.append(blocked[(block * shape.positions + position) * 16 + channel % 16])
                }
            }
        }
        return Plain([shape.batch, shape.channels, shape.height, shape.width], values)
    }
}

extension ConvolutionShape {
    func packed(_ weights: [Float]) throws -> FloatWeights {
        var packed = [Float](repeating: .nan, count: packedCount)
        try weights.withUnsafeBufferPointer { weights in
            try packed.withUnsafeMutableBufferPointer { try pack(weights, into: $0) }
        }
        return try FloatWeights(packed)
    }

    /// Plain sums in double precision, for every output.
    func reference(_ x: Plain, _ w: Plain) -> [Double] {
        let inputs = input.channels / groups
        var sums = [Double](repeating: 0, count: output.plainCount)
        // Element by element through arrays takes minutes without optimization.
        x.values.withUnsafeBufferPointer { x in
            w.values.withUnsafeBufferPointer { w in
                for index in 0..<sums.count {
                    let column = index % output.width
                    let row = index / output.width % output.height
                    let channel = index / output.positions % output.channels
                    let picture = index / output.positions / output.channels
                    let first = picture * input.channels + channel / (output.channels / groups) * inputs
                    var sum = 0.0
                    for i in 0..<inputs {
                        for ky in 0..<window.kernelHeight {
                            let y = row * window.strideY + ky * window.dilationY - window.top
                            if y < 0 || y >= input.height { continue }
                            for kx in 0..<window.kernelWidth {
                                let at = column * window.strideX + kx * window.dilationX - window.left
                                if at < 0 || at >= input.width { continue }
                                let tap = ((channel * inputs + i) * window.kernelHeight + ky) * window.kernelWidth + kx
                                sum += Double(x[((first + i) * input.height + y) * input.width + at]) * Double(w[tap])
                            }
                        }
                    }
                    sums[index] = sum
                }
            }
        }
        return sums
    }
}

func close(_ got: [Float], _ want: [Double], within limit: Double, _ what: @autoclosure () -> String) {
    #expect(got.count == want.count)
    let worst = zip(got, want).enumerated().first { _, pair in !(abs(Double(pair.0) - pair.1) <= limit) }
    if let (index, (found, wanted)) = worst {
        Issue.record("\(what()) [\(index)]: \(found) instead of \(wanted)")
    }
}
