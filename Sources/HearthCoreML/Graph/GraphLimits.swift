/// What a model may ask for at most. A small file can claim any size; these bounds are far above what models for images
/// on a device take.
package enum GraphLimits {
    /// Elements of a tensor that is computed.
    static let elements = 1 << 26
    /// Elements that are alive at once while a graph runs step by step.
    static let liveElements = 1 << 28
    /// Multiplications and additions of one pass; ResNet-50 takes 2^32.
    static let work = 1 << 40
    /// Elements of a pooling's window.
    static let window = 1 << 22
    /// Steps of a graph.
    static let steps = 1 << 17
    /// Elements of a constant that is a parameter: a shape, axes, sizes.
    static let parameters = 1024
    /// Elements of constants that are folded when a graph is built, and work and elements of all of them.
    static let foldedElements = 1 << 16
    static let foldingWork = 1 << 24
    /// Largest magnitude of a parameter that is an integer.
    static let integer = 1 << 31
}

/// Dimensions as they are computed with: no product or sum of them overflows without being noticed.
package enum GraphShape {
    /// The number of elements; nil where it is above `limit`.
    package static func count(_ shape: [Int], limit: Int = GraphLimits.elements) -> Int? {
        var product = 1
        for size in shape {
            guard size >= 0 else { return nil }
            let (next, overflow) = product.multipliedReportingOverflow(by: size)
            guard !overflow, next <= limit else { return nil }
            product = next
        }
        return product
    }

    /// How far apart neighbours along each axis are.
    package static func strides(_ shape: [Int]) -> [Int] {
        var strides = [Int](repeating: 1, count: shape.count)
        for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
        return strides
    }

    /// The shape that two tensors have together, as NumPy broadcasts; nil where they do not go together.
    package static func broadcast(_ left: [Int], _ right: [Int]) -> [Int]? {
        let rank = max(left.count, right.count)
        var result = [Int](repeating: 1, count: rank)
        for axis in 0..<rank {
            let a = axis < rank - left.count ? 1 : left[axis - rank + left.count]
            let b = axis < rank - right.count ? 1 : right[axis - rank + right.count]
            guard a == b || a == 1 || b == 1 else { return nil }
            result[axis] = a == 1 ? b : a
        }
        return result
    }

    /// Strides by which a tensor of `shape` is read as one of `result`, to which it broadcasts: 0 along repeated axes.
    package static func strides(_ shape: [Int], broadcastTo result: [Int]) -> [Int] {
        let own = strides(shape)
        let missing = result.count - shape.count
        return result.indices.map { axis in
            axis < missing || shape[axis - missing] == 1 ? 0 : own[axis - missing]
        }
    }
}
