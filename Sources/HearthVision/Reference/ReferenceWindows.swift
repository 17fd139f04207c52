internal import HearthCompute

/// Convolutions and pooling.
extension ReferenceExecutor {
    static func windows(_ operation: GraphOperation, _ operands: Operands, _ shape: [Int]) throws -> VisionTensor {
        switch operation {
        case .convolution(let geometry):
            try convolution(operands[0], operands[1], operands.optional(2), geometry, shape)
        case .transposedConvolution(let geometry):
            try transposedConvolution(operands[0], operands[1], operands.optional(2), geometry, shape)
        case .pool(let geometry):
            try pool(operands[0], geometry, shape)
        default: operands[0]
        }
    }

    /// About as many multiplications as take some milliseconds; cancelling is looked for after them.
    private static let slice = 1 << 22

    /// y[o, p] = bias[o] + Σ over channels and kernel of x[c, p · stride − before + k · dilation] · w[o, c, k]
    private static func convolution(
        _ x: VisionTensor, _ weight: VisionTensor, _ bias: VisionTensor?, _ geometry: GraphConvolution, _ shape: [Int]
    ) throws -> VisionTensor {
        let channels = x.shape[1] / geometry.groups
        let filters = shape[1] / geometry.groups
        let (plane, positions) = (x.shape[2...].reduce(1, *), shape[2...].reduce(1, *))
        let windows = ReferenceArithmetic.Windows(
            channels: channels, input: Array(x.shape[2...]), output: Array(shape[2...]), kernel: geometry.kernel,
            strides: geometry.strides, dilations: geometry.dilations, before: geometry.before)
        let depth = windows.depth
        var y = VisionTensor(shape: shape)
        let length = max(1, min(positions, slice / max(depth * max(filters, 8), 1)))
        for picture in 0..<shape[0] {
            for group in 0..<geometry.groups {
                let filter = group * filters
                for start in stride(from: 0, to: positions, by: length) {
                    try Task.checkCancellation()
                    let range = start..<min(start + length, positions)
                    let rows = ReferenceArithmetic.rows(
                        of: windows, in: x.values, offset: (picture * x.shape[1] + group * channels) * plane,
                        range: range)
                    ReferenceArithmetic.product(
                        .init(rows, count: range.count), .init(weight.values, offset: filter * depth, count: filters),
                        bias: bias.map { .init($0.values, offset: filter, count: filters) }, depth: depth,
                        into: &y.values, offset: (picture * shape[1] + filter) * positions + start, row: 1,
                        column: positions)
                }
            }
        }
        return y
    }

    /// The transpose of a convolution: x[c, p] · w[c, o, k] is added to y[o, p · stride − before + k · dilation].
    private static func transposedConvolution(
        _ x: VisionTensor, _ weight: VisionTensor, _ bias: VisionTensor?, _ geometry: GraphConvolution, _ shape: [Int]
    ) throws -> VisionTensor {
        let (groups, channels, filters) = (geometry.groups, x.shape[1] / geometry.groups, shape[1] / geometry.groups)
        let (input, output) = (Array(x.shape[2...]), Array(shape[2...]))
        let (plane, positions) = (input.reduce(1, *), output.reduce(1, *))
        let kernel = geometry.kernel.reduce(1, *)
        // For every place of the input and element of the kernel: where it goes, or −1.
        let targets = try targets(geometry, input, output)
        var y = VisionTensor(shape: shape)
        for picture in 0..<shape[0] {
            for filter in 0..<shape[1] {
                let (group, inGroup) = (filter / filters, filter % filters)
                var sums = [Double](repeating: Double(bias?.values[filter] ?? 0), count: positions)
                for channel in group * channels..<(group + 1) * channels {
                    try Task.checkCancellation()
                    let source = (picture * groups * channels + channel) * plane
                    let factors = (channel * filters + inGroup) * kernel
                    for place in 0..<plane {
                        let value = Double(x.values[source + place])
                        for element in 0..<kernel where targets[place * kernel + element] >= 0 {
                            sums[targets[place * kernel + element]] += value * Double(weight.values[factors + element])
                        }
                    }
                }
                let start = (picture * shape[1] + filter) * positions
                for position in 0..<positions { y.values[start + position] = Float(sums[position]) }
            }
        }
        return y
    }

    private static func targets(_ geometry: GraphConvolution, _ input: [Int], _ output: [Int]) throws -> [Int] {
        var targets: [Int] = []
        targets.reserveCapacity(input.reduce(1, *) * geometry.kernel.reduce(1, *))
        for place in 0..<input.reduce(1, *) {
            if place % 1024 == 0 { try Task.checkCancellation() }
            for element in 0..<geometry.kernel.reduce(1, *) {
                var (place, element, target, step) = (place, element, 0, 1)
                for axis in input.indices.reversed() {
                    let at =
                        place % input[axis] * geometry.strides[axis] - geometry.before[axis]
                        + element % geometry.kernel[axis] * geometry.dilations[axis]
                    if at < 0 || at >= output[axis] || target < 0 { target = -1 } else { target += at * step }
                    place /= input[axis]
                    element /= geometry.kernel[axis]
                    step *= output[axis]
                }
                targets.append(target)
            }
        }
        return targets
    }

    /// Maximum, mean or root of the sum of squares over windows. Padding never wins a maximum; whether it counts in a
    /// mean's divisor is part of the geometry. What hangs over the padding never counts.
    private static func pool(_ x: VisionTensor, _ geometry: GraphPooling, _ shape: [Int]) throws -> VisionTensor {
        let (input, output) = (Array(x.shape[2...]), Array(shape[2...]))
        let windows = ReferenceArithmetic.Windows(
            channels: 1, input: input, output: output, kernel: geometry.kernel, strides: geometry.strides,
            dilations: [Int](repeating: 1, count: input.count), before: geometry.before)
        let (plane, positions, depth) = (input.reduce(1, *), output.reduce(1, *), windows.depth)
        let counts = geometry.kind == .average ? divisors(geometry, input, output) : []
        let fill: Float = geometry.kind == .max ? -.infinity : 0
        let length = max(1, min(positions, slice / 8 / max(depth, 1)))
        var y: [Float] = []
        y.reserveCapacity(shape.reduce(1, *))
        for channel in 0..<shape[0] * shape[1] {
            for start in stride(from: 0, to: positions, by: length) {
                try Task.checkCancellation()
                let range = start..<min(start + length, positions)
                let rows = ReferenceArithmetic.rows(
                    of: windows, in: x.values, offset: channel * plane, fill: fill, range: range)
                for position in range {
                    let row = rows[(position - start) * depth..<(position - start + 1) * depth]
                    switch geometry.kind {
                    case .max: y.append(row.max() ?? fill)
                    case .average: y.append(Float(row.reduce(0.0) { $0 + Double($1) } / Double(counts[position])))
                    case .l2: y.append(Float(row.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()))
                    }
                }
            }
        }
        return VisionTensor(shape: shape, values: y)
    }

    /// How many elements of each window count in its mean.
    private static func divisors(_ geometry: GraphPooling, _ input: [Int], _ output: [Int]) -> [Int] {
        var counts = [1]
        for axis in input.indices {
            let padding = geometry.countsPadding
            let first = padding ? -geometry.before[axis] : 0
            let end = input[axis] + (padding ? geometry.after[axis] : 0)
            let along = (0..<output[axis]).map { index -> Int in
                let start = index * geometry.strides[axis] - geometry.before[axis]
                return min(start + geometry.kernel[axis], end) - max(start, first)
            }
            counts = counts.flatMap { outer in along.map { outer * $0 } }
        }
        return counts
    }
}
