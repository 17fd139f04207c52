/// An axis of a plain tensor with what is around it: [outer][count][stride].
package struct AxisShape: Hashable, Sendable {
    /// Blocks, elements along the axis, and neighbours of each of them; there may be no blocks or no neighbours.
    package let outer, count, stride: Int

    /// - Throws: `ComputeError.shapeMismatch` for sizes that cannot be.
    package init(outer: Int, count: Int, stride: Int = 1) throws(ComputeError) {
        // Places along an axis are counted in 32 bits.
        for (size, least) in [(outer, 0), (count, 1), (stride, 0)] where size < least || size >= 1 << 31 {
            throw .shapeMismatch(what: "size of a dimension", expected: max(least, 1), found: size)
        }
        let (size, overflow) = count.multipliedReportingOverflow(by: stride)
        guard !overflow, !size.multipliedReportingOverflow(by: max(outer, 1)).overflow else {
            throw .shapeMismatch(what: "values of a tensor", expected: 1 << 31, found: count)
        }
        (self.outer, self.count, self.stride) = (outer, count, stride)
    }

    /// The shape around one axis of a plain tensor.
    /// - Throws: `ComputeError.shapeMismatch` for an axis that does not exist.
    package init(_ shape: [Int], axis: Int) throws(ComputeError) {
        guard shape.indices.contains(axis) else {
            throw .shapeMismatch(what: "dimensions of a tensor", expected: axis + 1, found: shape.count)
        }
        try self.init(
            outer: shape[..<axis].reduce(1, *), count: shape[axis], stride: shape[(axis + 1)...].reduce(1, *))
    }

    /// Elements of a block, of the tensor, and of what has one element for each axis.
    var size: Int { count * stride }
    var total: Int { outer * size }
    var rows: Int { outer * stride }

    /// How work along the axis is cut up: some blocks, or some neighbours of one.
    struct Cut {
        let blocks, columns, pieces, parts: Int

        /// Elements of a part.
        private static let part = 16384

        init(_ shape: AxisShape) {
            // Whole lines of the cache.
            let wanted = max(64, Self.part / shape.count / 16 * 16)
            columns = max(min(wanted, shape.stride), 1)
            pieces = (shape.stride + columns - 1) / columns
            blocks = pieces > 1 ? 1 : max(1, min((shape.outer + 15) / 16, Self.part / max(shape.size, 1)))
            parts = (shape.outer + blocks - 1) / blocks * pieces
        }
    }
}

/// The first elements along an axis in ascending or descending order.
package struct AxisOrder: Hashable, Sendable {
    package let axis: AxisShape
    /// Elements that are wanted.
    package let kept: Int
    package let isAscending: Bool
    /// Keys that are kept at a time, twice.
    let room: Int
    /// Axes that are worked on at a time.
    let parts: Int

    /// - Throws: `ComputeError.shapeMismatch` for more than there are.
    package init(_ axis: AxisShape, kept: Int, isAscending: Bool) throws(ComputeError) {
        guard (1...axis.count).contains(kept) else {
            throw .shapeMismatch(what: "elements of an order", expected: axis.count, found: kept)
        }
        (self.axis, self.kept, self.isAscending) = (axis, kept, isAscending)
        // Twice as many as are kept, so that they are sorted rarely.
        room = min(axis.count, max(2 * kept, kept + 256))
        parts = min(axis.rows, 16)
    }

    /// Floats for the keys of one part: whole lines of the cache, two floats a key.
    var partScratch: Int { (4 * room + 15) / 16 * 16 }
    /// Floats of scratch.
    package var scratchCount: Int { parts * partScratch }
}
