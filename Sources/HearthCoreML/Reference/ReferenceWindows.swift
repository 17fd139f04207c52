internal import HearthCompute

/// Convolutions and pooling.
extension ReferenceExecutor {
    package func windows(_ operation: GraphOperation, _ operands: Operands, _ shape: [Int]) throws -> CoreMLTensor {
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
    private func convolution(
        _ x: CoreMLTensor, _ weight: CoreMLTensor, _ bias: CoreMLTensor?, _ geometry: GraphConvolution, _ shape: [Int]
    ) throws -> CoreMLTensor {
        let channels = x.shape[1] / geometry.groups
        let filters = shape[1] / geometry.groups
        let (plane, positions) = (x.shape[2...].reduce(1, *), shape[2...].reduce(1, *))
        let windows = ReferenceArithmetic.Windows(
            channels: channels, input: Array(x.shape[2...]), output: Array(shape[2...]), kernel: geometry.kernel,
            strides: geometry.strides, dilations: geometry.dilations, before: geometry.before)
        let depth = windows.depth
        var y = CoreMLTensor(shape: shape)
        let length = max(1, min(positions, Self.slice / max(depth * max(filters, 8), 1)))
        for picture in 0..<shape[0] {
            for group in 0..<geometry.groups {
                let filter = group * filters
                for start in stride(from: 0, to: positions, by: length) {
                    try checkCancellation()
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
    ///
    /// That is a convolution with the kernel turned around, over an input with stride − 1 zeros between its elements.
    private func transposedConvolution(
        _ x: CoreMLTensor, _ weight: CoreMLTensor, _ bias: CoreMLTensor?, _ geometry: GraphConvolution, _ shape: [Int]
    ) throws -> CoreMLTensor {
        let spread = try spread(x, geometry.strides)
        let extents = zip(geometry.kernel, geometry.dilations).map { ($0 - 1) * $1 + 1 }
        let turned = GraphConvolution(
            kernel: geometry.kernel, strides: geometry.kernel.map { _ in 1 }, dilations: geometry.dilations,
            before: zip(extents, geometry.before).map { $0 - 1 - $1 }, after: geometry.after, groups: geometry.groups)
        return try convolution(spread, try self.turned(weight, geometry.groups), bias, turned, shape)
    }

    /// The input with zeros between its elements.
    private func spread(_ x: CoreMLTensor, _ strides: [Int]) throws -> CoreMLTensor {
        let sizes = zip(x.shape[2...], strides).map { ($0 - 1) * $1 + 1 }
        var y = CoreMLTensor(shape: x.shape[..<2] + sizes)
        let steps = zip(GraphShape.strides(y.shape), [1, 1] + strides).map { $0 * $1 }
        try layout.write(x.values, into: &y.values, shape: x.shape, strides: steps)
        return y
    }

    /// A weight [C, O / groups, kernel…] as [O, C / groups, kernel…], every kernel turned around.
    private func turned(_ weight: CoreMLTensor, _ groups: Int) throws -> CoreMLTensor {
        let (channels, filters) = (weight.shape[0] / groups, weight.shape[1])
        let kernel = Array(weight.shape[2...])
        let strides = GraphShape.strides(weight.shape)
        let full = [groups, filters, channels] + kernel
        let last = zip(kernel, strides[2...]).reduce(0) { $0 + ($1.0 - 1) * $1.1 }
        let values = try layout.read(
            weight.values, shape: full,
            strides: [channels * strides[0], strides[1], strides[0]] + strides[2...].map { -$0 }, offset: last)
        return CoreMLTensor(shape: [groups * filters, channels] + kernel, values: values)
    }

    /// Maximum, mean or root of the sum of squares over windows. Padding never wins a maximum; whether it counts in a
    /// mean's divisor is part of the geometry. What hangs over the padding never counts.
    private func pool(_ x: CoreMLTensor, _ geometry: GraphPooling, _ shape: [Int]) throws -> CoreMLTensor {
        let (input, output) = (Array(x.shape[2...]), Array(shape[2...]))
        let windows = ReferenceArithmetic.Windows(
            channels: 1, input: input, output: output, kernel: geometry.kernel, strides: geometry.strides,
            dilations: [Int](repeating: 1, count: input.count), before: geometry.before)
        let (plane, positions, depth) = (input.reduce(1, *), output.reduce(1, *), windows.depth)
        let counts = geometry.kind == .average ? Self.divisors(geometry, input, output) : []
        let fill: Float = geometry.kind == .max ? -.infinity : 0
        let length = max(1, min(positions, Self.slice / 8 / max(depth, 1)))
        var y: [Float] = []
        y.reserveCapacity(shape.reduce(1, *))
        for channel in 0..<shape[0] * shape[1] {
            for start in stride(from: 0, to: positions, by: length) {
                try checkCancellation()
                let range = start..<min(start + length, positions)
                let rows = ReferenceArithmetic.rows(
                    of: windows, in: x.values, offset: channel * plane, fill: fill, range: range)
                for position in range {
                    let row = rows[(position - start) * depth..<(position - start + 1) * depth]
                    switch geometry.kind {
                    case .max: y.append(row.reduce(fill, ReferenceExecutor.greater))
                    case .average: y.append(Float(row.reduce(0.0) { $0 + Double($1) } / Double(counts[position])))
                    case .l2: y.append(Float(row.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()))
                    }
                }
            }
        }
        return CoreMLTensor(shape: shape, values: y)
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
