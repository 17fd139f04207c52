internal import CHearthCompression

/// The inputs and the wanted outputs of a layer, as sums over samples: enough to compute the effect of any change of
/// its weights does to its outputs.
///
/// A layer multiplies `groups` sets of `inputs` values each by a matrix of its own and makes `outputs` values of each set. A
/// dense layer and a plain convolution (whose inputs are the elements of its window) have one group, a depthwise
/// convolution has as many as channels.
///
/// Sums of products of all pairs of inputs are kept up to 4,608 inputs; beyond that inputs are cut into equal blocks, and
/// pairs within a block count.
package struct LayerMoments: Sendable {
    /// Sets of inputs.
    package let groups: Int
    /// Outputs of a group.
    package let outputs: Int
    /// Inputs of a group.
    package let inputs: Int
    /// Samples that were added.
    package private(set) var samples = 0

    /// Most inputs of a block.
    package static let largestBlock = 4608

    /// Where the blocks of a group's inputs begin and end.
    let bounds: [Int]
    /// By group and block: products of inputs, row by row.
    private(set) var squares: [[Double]]
    /// By group: products of outputs and inputs, [output, input].
    private(set) var crosses: [[Double]]
    /// By group: sums of inputs, of outputs, and of the outputs' squares.
    private(set) var inputSums: [[Double]]
    private(set) var outputSums: [[Double]]
    private(set) var outputSquares: [[Double]]

    /// No samples yet.
    /// - Parameters:
    ///   - groups: at least 1, like all sizes.
    ///   - largestBlock: most inputs that are looked at in pairs.
    package init(groups: Int, outputs: Int, inputs: Int, largestBlock: Int = LayerMoments.largestBlock) {
        (self.groups, self.outputs, self.inputs) = (max(groups, 1), max(outputs, 1), max(inputs, 1))
        let blocks = (self.inputs + max(largestBlock, 1) - 1) / max(largestBlock, 1)
        let inputs = self.inputs
        bounds = (0...blocks).map { $0 * inputs / blocks }
        let sizes = zip(bounds, bounds.dropFirst()).map { $1 - $0 }
        squares = (0..<self.groups * blocks).map {
            [Double](repeating: 0, count: sizes[$0 % blocks] * sizes[$0 % blocks])
        }
        crosses = [[Double]](repeating: [Double](repeating: 0, count: self.outputs * inputs), count: self.groups)
        inputSums = [[Double]](repeating: [Double](repeating: 0, count: inputs), count: self.groups)
        outputSums = [[Double]](repeating: [Double](repeating: 0, count: self.outputs), count: self.groups)
        outputSquares = outputSums
    }

    /// Blocks of a group's inputs.
    var blocks: Int { bounds.count - 1 }

    /// Adds samples.
    /// - Parameters:
    ///   - samples: how many.
    ///   - given: what the layer is given, [group, sample, input].
    ///   - wanted: the wanted outputs, bias included, [group, sample, output].
    /// - Throws: `CompressionError.invalidMoments` where there are not as many numbers, or one that is not finite.
    package mutating func add(_ samples: Int, given: [Double], wanted: [Double]) throws {
        guard samples > 0, given.count == groups * samples * inputs, wanted.count == groups * samples * outputs else {
            throw CompressionError.invalidMoments(
                problem: "\(given.count) inputs and \(wanted.count) outputs for \(samples) samples")
        }
        guard given.allSatisfy(\.isFinite), wanted.allSatisfy(\.isFinite) else {
            throw CompressionError.invalidMoments(problem: "an activation is not a finite number")
        }
        self.samples += samples
        for group in 0..<groups {
            given.withUnsafeBufferPointer { given in
                wanted.withUnsafeBufferPointer { wanted in
                    guard let x = given.baseAddress, let y = wanted.baseAddress else { return }
                    add(group, samples, x + group * samples * inputs, y + group * samples * outputs)
                }
            }
        }
    }

    private mutating func add(
        _ group: Int, _ samples: Int, _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>
    ) {
        for block in 0..<blocks {
            let (first, size) = (bounds[block], bounds[block + 1] - bounds[block])
            hc_add_products(
                x + first, inputs, size, x + first, inputs, size, samples, 1, &squares[group * blocks + block], size)
        }
        hc_add_products(y, outputs, outputs, x, inputs, inputs, samples, 1, &crosses[group], inputs)
        for sample in 0..<samples {
            hc_add_scaled(&inputSums[group], x + sample * inputs, 1, inputs)
            hc_add_scaled(&outputSums[group], y + sample * outputs, 1, outputs)
            for output in 0..<outputs {
                let value = y[sample * outputs + output]
                outputSquares[group][output] += value * value
            }
        }
    }
}
