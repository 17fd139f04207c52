/// The shape of softmax(scale * q k^T + mask) v for several heads.
package struct AttentionShape: Hashable, Sendable {
    /// Number of images times number of heads.
    package let heads: Int
    /// Number of query rows.
    package let queries: Int
    /// Number of key and value rows.
    package let keys: Int
    /// Width of a query and a key.
    package let width: Int
    /// Width of a value vector.
    package let valueWidth: Int
    /// Factor for q·k, before the mask is added.
    package let scale: Float
    /// Strides of heads and rows.
    package var queryStride, keyStride, valueStride, outputStride: Stride
    /// From the mask of one head to that of the next, in floats; 0 where all heads share one.
    package var maskStride = 0

    /// Strides in floats.
    package struct Stride: Hashable, Sendable {
        /// From head to head, and from row to row of one head.
        package var head, row: Int

        /// - Parameter head: 0 to use the same rows for every head.
        package init(head: Int, row: Int) {
            self.head = head
            self.row = row
        }
    }

    /// Creates the shape of dense tensors [heads][rows][width]; other strides may be set afterwards.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        heads: Int, queries: Int, keys: Int, width: Int, valueWidth: Int, scale: Float
    ) throws(ComputeError) {
        for size in [heads, queries, keys, width, valueWidth] where size < 1 || size > 1 << 20 {
            throw .shapeMismatch(what: "size of an attention", expected: 1, found: size)
        }
        guard heads * queries < 1 << 32, heads * keys < 1 << 32, queries * keys < 1 << 36 else {
            throw .shapeMismatch(what: "scores of an attention", expected: 1 << 32, found: queries * keys)
        }
        self.heads = heads
        self.queries = queries
        self.keys = keys
        self.width = width
        self.valueWidth = valueWidth
        self.scale = scale
        queryStride = Stride(head: queries * width, row: width)
        keyStride = Stride(head: keys * width, row: width)
        valueStride = Stride(head: keys * valueWidth, row: valueWidth)
        outputStride = Stride(head: queries * valueWidth, row: valueWidth)
    }

    var keyPanels: Int { MatrixProduct.packedCount(inner: width, columns: keys) }
    var valuePanels: Int { MatrixProduct.packedCount(inner: keys, columns: valueWidth) }
    var scores: Int { queries * keys }
    /// Number of scratch values that a run needs.
    package var scratchCount: Int { heads * (keyPanels + valuePanels + scores) }
    /// Number of queries per part.
    static let tile = 28

    /// Number of values of the mask.
    var maskCount: Int { (heads - 1) * maskStride + scores }

    func count(_ stride: Stride, rows: Int, width: Int) -> Int {
        (heads - 1) * stride.head + (rows - 1) * stride.row + width
    }
}
