internal import Foundation
internal import HearthCompute

/// Products of matrices.
extension ReferenceExecutor {
    package func products(_ operation: GraphOperation, _ operands: Operands, _ shape: [Int]) throws -> CoreMLTensor {
        switch operation {
        case .linear:
            try linear(operands[0], operands[1], operands.optional(2), shape)
        case .matmul(let transposeX, let transposeY):
            try matmul(operands[0], operands[1], transposeX: transposeX, transposeY: transposeY, shape)
        case .attention(let scale): try attention(operands, scale, shape)
        default: operands[0]
        }
    }

    /// Multiplies rows, some milliseconds at a time.
    private func multiply(
        _ a: ReferenceArithmetic.Rows, _ b: ReferenceArithmetic.Rows, bias: [Float]?, depth: Int, into y: inout [Float],
        offset: Int
    ) throws {
        let length = max(1, (1 << 22) / max(b.count * depth, 1))
        for start in stride(from: 0, to: a.count, by: length) {
            try checkCancellation()
            let rows = ReferenceArithmetic.Rows(
                a.values, offset: a.offset + start * depth, count: min(length, a.count - start))
            ReferenceArithmetic.product(
                rows, b, bias: bias.map { .init($0, count: b.count) }, depth: depth, into: &y,
                offset: offset + start * b.count, row: b.count, column: 1)
        }
    }

    private func linear(
        _ x: CoreMLTensor, _ weight: CoreMLTensor, _ bias: CoreMLTensor?, _ shape: [Int]
    ) throws -> CoreMLTensor {
        let depth = weight.shape[1]
        var y = CoreMLTensor(shape: shape)
        try multiply(
            .init(x.values, count: x.count / depth), .init(weight.values, count: weight.shape[0]), bias: bias?.values,
            depth: depth, into: &y.values, offset: 0)
        return y
    }

    private func matmul(
        _ x: CoreMLTensor, _ y: CoreMLTensor, transposeX: Bool, transposeY: Bool, _ shape: [Int]
    ) throws -> CoreMLTensor {
        // Both as rows along the axis that is summed over.
        let left = transposeX ? try swapped(x) : x
        let right = transposeY ? y : try swapped(y)
        let batch = Array(shape.dropLast(2))
        let (rows, columns, depth) = (
            left.shape[left.shape.count - 2], right.shape[right.shape.count - 2], left.shape[left.shape.count - 1]
        )
        let lefts = Self.starts(left, batch), rights = Self.starts(right, batch)
        var result = CoreMLTensor(shape: shape)
        for (index, (leftStart, rightStart)) in zip(lefts, rights).enumerated() {
            try multiply(
                .init(left.values, offset: leftStart, count: rows),
                .init(right.values, offset: rightStart, count: columns),
                bias: nil, depth: depth, into: &result.values, offset: index * rows * columns)
        }
        return result
    }

    /// The last two axes exchanged.
    private func swapped(_ x: CoreMLTensor) throws -> CoreMLTensor {
        var order = Array(x.shape.indices)
        order.swapAt(order.count - 1, order.count - 2)
        return try layout.transposed(x, order)
    }

    /// Where the matrix for each index of `batch`, to which the leading axes broadcast, begins.
    private static func starts(_ x: CoreMLTensor, _ batch: [Int]) -> [Int] {
        let own = Array(x.shape.dropLast(2))
        let size = x.shape.suffix(2).reduce(1, *)
        let strides = GraphShape.strides(own, broadcastTo: batch)
        var starts = [0]
        for (axis, count) in batch.enumerated() {
            starts = starts.flatMap { start in (0..<count).map { start + $0 * strides[axis] } }
        }
        return starts.map { $0 * size }
    }

    private func attention(_ operands: Operands, _ scale: Float, _ shape: [Int]) throws -> CoreMLTensor {
        let (query, key) = (operands[0], operands[1])
        let rank = query.shape.count
        let scoresShape = Array(shape.dropLast()) + [key.shape[rank - 2]]
        var scores = try matmul(query, key, transposeX: false, transposeY: true, scoresShape)
        for index in scores.values.indices { scores.values[index] *= scale }
        if let mask = operands.optional(3) {
            let mask = try layout.broadcast(mask, to: scoresShape)
            for index in scores.values.indices { scores.values[index] += mask[index] }
        }
        let weights = try softmax(scores, rank - 1)
        return try matmul(weights, operands[2], transposeX: false, transposeY: false, shape)
    }
}
