/// Elements of a tensor in another order: what transposing, slicing, repeating and broadcasting have in common.
package struct ReferenceLayout: Sendable {
    /// What stops long loops.
    let isStopped: @Sendable () -> Bool

    /// The elements of x at offset + Σ index · stride, for each index of `shape`, row by row.
    func read(_ x: [Float], shape: [Int], strides: [Int], offset: Int = 0) throws -> [Float] {
        guard let length = shape.last, let step = strides.last else { return [x[offset]] }
        var result: [Float] = []
        result.reserveCapacity(shape.reduce(1, *))
        try forEachRow(shape, strides, offset) { start in
            if step == 1 {
                result.append(contentsOf: x[start..<start + length])
            } else if step == 0 {
                result.append(contentsOf: repeatElement(x[start], count: length))
            } else {
                for index in 0..<length { result.append(x[start + index * step]) }
            }
        }
        return result
    }

    /// Puts `values` at offset + Σ index · stride, for each index of `shape`, row by row.
    func write(
        _ values: [Float], into x: inout [Float], shape: [Int], strides: [Int], offset: Int = 0
    ) throws {
        guard let length = shape.last, let step = strides.last else {
            x[offset] = values[0]
            return
        }
        var next = 0
        try forEachRow(shape, strides, offset) { start in
            for index in 0..<length { x[start + index * step] = values[next + index] }
            next += length
        }
    }

    /// Calls `body` with the place of the first element of each row, in order, and looks for cancellation between rows.
    private func forEachRow(
        _ shape: [Int], _ strides: [Int], _ offset: Int, _ body: (Int) -> Void
    ) throws {
        guard !shape.contains(0) else { return }
        let axes = shape.count - 1
        var checkpoint = Checkpoint(of: shape[axes], isStopped)
        var index = [Int](repeating: 0, count: axes)
        var place = offset
        while true {
            try checkpoint.pass()
            body(place)
            var axis = axes - 1
            while axis >= 0 {
                index[axis] += 1
                place += strides[axis]
                if index[axis] < shape[axis] { break }
                place -= strides[axis] * shape[axis]
                index[axis] = 0
                axis -= 1
            }
            if axis < 0 { return }
        }
    }

    /// The tensor with dimension i of the result being dimension `permutation[i]`.
    func transposed(_ x: CoreMLTensor, _ permutation: [Int]) throws -> CoreMLTensor {
        let strides = GraphShape.strides(x.shape)
        let shape = permutation.map { x.shape[$0] }
        return CoreMLTensor(
            shape: shape, values: try read(x.values, shape: shape, strides: permutation.map { strides[$0] }))
    }

    /// The tensor as one of `shape`, to which it broadcasts.
    func broadcast(_ x: CoreMLTensor, to shape: [Int]) throws -> [Float] {
        if x.shape == shape { return x.values }
        if x.count == 1 { return [Float](repeating: x.values[0], count: shape.reduce(1, *)) }
        return try read(x.values, shape: shape, strides: GraphShape.strides(x.shape, broadcastTo: shape))
    }

    /// A tensor with some axes last.
    func rows(_ x: CoreMLTensor, along axes: [Int]) throws -> Rows { try Rows(x, along: axes, self) }

    /// Some axes last, so that what is computed along them is computed along rows.
    struct Rows {
        /// Rows one after the other.
        var values: [Float]
        /// Elements of a row.
        let length: Int
        private let shape: [Int]
        private let inverse: [Int]
        private let layout: ReferenceLayout

        fileprivate init(_ x: CoreMLTensor, along axes: [Int], _ layout: ReferenceLayout) throws {
            self.layout = layout
            let order = x.shape.indices.filter { !axes.contains($0) } + axes
            let moved = try layout.transposed(x, order)
            values = moved.values
            shape = moved.shape
            length = axes.reduce(1) { $0 * x.shape[$1] }
            var inverse = [Int](repeating: 0, count: order.count)
            for (place, axis) in order.enumerated() { inverse[axis] = place }
            self.inverse = inverse
        }

        /// The ranges of the rows.
        var ranges: [Range<Int>] {
            length == 0 ? [] : stride(from: 0, to: values.count, by: length).map { $0..<$0 + length }
        }

        /// The values with the axes back in their places.
        var restored: [Float] {
            get throws { try layout.transposed(CoreMLTensor(shape: shape, values: values), inverse).values }
        }
    }
}

/// Looks for cancellation once in a while in a loop over rows of elements: every quarter of a million of them.
struct Checkpoint {
    private let length: Int
    private let isStopped: @Sendable () -> Bool
    private var rest = Checkpoint.interval

    private static let interval = 1 << 18

    /// - Parameters:
    ///   - length: elements of a row.
    ///   - isStopped: what stops the loop.
    init(of length: Int, _ isStopped: @escaping @Sendable () -> Bool) {
        self.length = max(length, 1)
        self.isStopped = isStopped
    }

    /// Before each row.
    mutating func pass() throws {
        rest -= length
        guard rest < 0 else { return }
        rest = Self.interval
        if isStopped() { throw CancellationError() }
    }
}
