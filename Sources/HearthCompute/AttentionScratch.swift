/// Scratch memory for attention computed in parts; shared by all layers.
package final class AttentionScratch: Sendable {
    /// Maximum number of parts that a query's positions are split into.
    package static let mostParts = 64

    /// Weighted sums of a query's parts, one row per part; the first part is computed in the output instead.
    let sums: Rows
    /// Softmax maxima of the heads of those parts, followed by their totals.
    let figures: Rows
    /// The same for the first part of each token.
    let firstFigures: Rows
    /// Number of query heads.
    let heads: Int

    /// - Parameters:
    ///   - maximumRows: maximum tokens per step.
    ///   - heads: number of query heads.
    ///   - width: total width of all query heads of the widest layer.
    /// - Throws: `ComputeError.outOfMemory`.
    package init(maximumRows: Int, heads: Int, width: Int) throws(ComputeError) {
        let count = max(maximumRows, Self.mostParts)
        self.heads = heads
        sums = try Rows(count: count, width: width)
        figures = try Rows(count: count, width: 2 * heads)
        firstFigures = try Rows(count: maximumRows, width: 2 * heads)
    }
}
