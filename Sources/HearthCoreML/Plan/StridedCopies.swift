/// Steps that only move elements of plain tensors, as copies from one set of strides to another.
package enum StridedCopies {
    /// Dimensions that the kernel takes.
    static let largestRank = 6

    /// Floats between neighbours along each dimension.
    static func strides(_ shape: [Int]) -> [Int] {
        var strides = [Int](repeating: 1, count: shape.count)
        for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
        return strides
    }

    /// The copies of a step; nil for other steps, and for those that do not fit the kernel.
    package static func of(_ operation: GraphOperation, inputs: [[Int]], outputs: [[Int]]) -> [PlanCopy]? {
        guard let input = inputs.first, let output = outputs.first else { return nil }
        let copies: [PlanCopy]
        switch operation {
        case .transpose(let permutation):
            let strides = strides(input)
            copies = [
                PlanCopy(
                    operand: 0, result: 0, size: output, start: 0, strides: permutation.map { strides[$0] },
                    resultStart: 0, resultStrides: Self.strides(output))
            ]
        case .slice(let begin, let step):
            let strides = strides(input)
            copies = [
                PlanCopy(
                    operand: 0, result: 0, size: output, start: zip(begin, strides).reduce(0) { $0 + $1.0 * $1.1 },
                    strides: zip(strides, step).map { $0 * $1 }, resultStart: 0, resultStrides: Self.strides(output))
            ]
        case .concat(let axis, let isInterleaved): copies = joined(inputs, output, axis, isInterleaved)
        case .split(let axis): copies = cut(input, outputs, axis)
        default: return nil
        }
        let merged = copies.map(merged)
        return merged.allSatisfy { $0.size.count <= largestRank } ? merged : nil
    }

    private static func joined(_ inputs: [[Int]], _ output: [Int], _ axis: Int, _ isInterleaved: Bool) -> [PlanCopy] {
        let target = strides(output)
        var first = 0
        return inputs.enumerated().map { operand, shape in
            var strides = target
            if isInterleaved { strides[axis] *= inputs.count }
            defer { first += isInterleaved ? 1 : shape[axis] }
            return PlanCopy(
                operand: operand, result: 0, size: shape, start: 0, strides: Self.strides(shape),
                resultStart: first * target[axis], resultStrides: strides)
        }
    }

    private static func cut(_ input: [Int], _ outputs: [[Int]], _ axis: Int) -> [PlanCopy] {
        let source = strides(input)
        var first = 0
        return outputs.enumerated().map { result, shape in
            defer { first += shape[axis] }
            return PlanCopy(
                operand: 0, result: result, size: shape, start: first * source[axis], strides: source, resultStart: 0,
                resultStrides: strides(shape))
        }
    }

    /// The same copy with as few dimensions as possible: one of one element is left out, and two that follow each other in
    /// both tensors are one.
    static func merged(_ copy: PlanCopy) -> PlanCopy {
        var copy = copy
        var size: [Int] = []
        var strides: [Int] = []
        var resultStrides: [Int] = []
        for axis in copy.size.indices.reversed() where copy.size[axis] != 1 {
            if let inner = size.last, let stride = strides.last, let resultStride = resultStrides.last,
                copy.strides[axis] == stride * inner, copy.resultStrides[axis] == resultStride * inner
            {
                size[size.count - 1] = inner * copy.size[axis]
            } else {
                size.append(copy.size[axis])
                strides.append(copy.strides[axis])
                resultStrides.append(copy.resultStrides[axis])
            }
        }
        copy.size = size.isEmpty ? [1] : size.reversed()
        copy.strides = strides.isEmpty ? [1] : strides.reversed()
        copy.resultStrides = resultStrides.isEmpty ? [1] : resultStrides.reversed()
        return copy
    }
}
