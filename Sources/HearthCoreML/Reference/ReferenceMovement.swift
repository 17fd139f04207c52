/// What moves elements and computes nothing.
extension ReferenceExecutor {
    package func moved(_ operation: GraphOperation, _ operands: Operands, _ shape: [Int]) throws -> CoreMLTensor {
        let x = operands[0]
        switch operation {
        case .reshape: return CoreMLTensor(shape: shape, values: x.values)
        case .transpose(let permutation): return try layout.transposed(x, permutation)
        case .concat(let axis, let interleaved):
            return try joined((0..<operands.count).map { operands[$0] }, axis, interleaved: interleaved, shape)
        case .slice(let begin, let step):
            let strides = GraphShape.strides(x.shape)
            let offset = zip(begin, strides).reduce(0) { $0 + $1.0 * $1.1 }
            return CoreMLTensor(
                shape: shape,
                values: try layout.read(
                    x.values, shape: shape, strides: zip(step, strides).map { $0 * $1 }, offset: offset))
        case .pad(let before, _, let mode): return try padded(x, before, mode, shape)
        case .tile: return try tiled(x, shape)
        default: return x
        }
    }

    private func joined(
        _ parts: [CoreMLTensor], _ axis: Int, interleaved: Bool, _ shape: [Int]
    ) throws -> CoreMLTensor {
        var y = CoreMLTensor(shape: shape)
        let strides = GraphShape.strides(shape)
        var start = 0
        for (index, part) in parts.enumerated() {
            var steps = strides
            if interleaved { steps[axis] *= parts.count }
            try layout.write(
                part.values, into: &y.values, shape: part.shape, strides: steps,
                offset: (interleaved ? index : start) * strides[axis])
            start += part.shape[axis]
        }
        return y
    }

    package func split(_ x: CoreMLTensor, _ axis: Int, _ shapes: [[Int]]) throws -> [CoreMLTensor] {
        let strides = GraphShape.strides(x.shape)
        var start = 0
        return try shapes.map { shape in
            defer { start += shape[axis] }
            return CoreMLTensor(
                shape: shape,
                values: try layout.read(
                    x.values, shape: shape, strides: strides, offset: start * strides[axis]))
        }
    }

    /// Axis by axis, the last one first, so that corners follow from edges.
    private func padded(
        _ x: CoreMLTensor, _ before: [Int], _ mode: GraphPadMode, _ shape: [Int]
    ) throws -> CoreMLTensor {
        var y = x
        for axis in shape.indices.reversed() where shape[axis] != y.shape[axis] {
            let size = y.shape[axis]
            var wanted = y.shape
            wanted[axis] = shape[axis]
            let inner = y.shape[(axis + 1)...].reduce(1, *)
            let outer = y.shape[..<axis].reduce(1, *)
            var values: [Float] = []
            values.reserveCapacity(wanted.reduce(1, *))
            var checkpoint = Checkpoint(of: inner, isStopped)
            for block in 0..<outer {
                for index in 0..<shape[axis] {
                    try checkpoint.pass()
                    let at = Self.source(index - before[axis], size, mode)
                    if case .constant(let value) = mode, at < 0 {
                        values.append(contentsOf: repeatElement(value, count: inner))
                    } else {
                        let start = (block * size + at) * inner
                        values.append(contentsOf: y.values[start..<start + inner])
                    }
                }
            }
            y = CoreMLTensor(shape: wanted, values: values)
        }
        return y
    }

    /// The element at `index` of a padded axis of `size`; −1 for the constant.
    private static func source(_ index: Int, _ size: Int, _ mode: GraphPadMode) -> Int {
        if (0..<size).contains(index) { return index }
        switch mode {
        case .constant: return -1
        case .replicate: return index < 0 ? 0 : size - 1
        case .reflect: return index < 0 ? -index : 2 * (size - 1) - index
        }
    }

    private func tiled(_ x: CoreMLTensor, _ shape: [Int]) throws -> CoreMLTensor {
        var y = x
        for axis in shape.indices.reversed() where shape[axis] != x.shape[axis] {
            let block = y.shape[axis...].reduce(1, *)
            var values: [Float] = []
            values.reserveCapacity(y.count / x.shape[axis] * shape[axis])
            var checkpoint = Checkpoint(of: block * (shape[axis] / x.shape[axis]), isStopped)
            for start in stride(from: 0, to: y.count, by: block) {
                try checkpoint.pass()
                for _ in 0..<shape[axis] / x.shape[axis] { values.append(contentsOf: y.values[start..<start + block]) }
            }
            y.shape[axis] = shape[axis]
            y.values = values
        }
        return y
    }
}
