/// Memory for attention that is computed in parts; one for all layers.
package final class AttentionScratch: Sendable {
    /// Most parts that one query's positions are cut into.
    package static let mostParts = 64

    /// Sums of parts beyond the first of a query, which lies where the result will be: a row a part.
    let sums: Rows
    /// Their heads' maxima, then their totals.
    let figures: Rows
    /// The same of the first part of each token.
    let firstFigures: Rows
    /// Query heads.
    let heads: Int

    /// - Parameters:
    ///   - maximumRows: most tokens of a step.
    ///   - heads: query heads.
    ///   - width: of all query heads of the widest layer together.
    /// - Throws: `ComputeError.outOfMemory`.
    package init(maximumRows: Int, heads: Int, width: Int) throws(ComputeError) {
        let count = max(maximumRows, Self.mostParts)
        self.heads = heads
        sums = try Rows(count: count, width: width)
        figures = try Rows(count: count, width: 2 * heads)
        firstFigures = try Rows(count: maximumRows, width: 2 * heads)
    }
}
