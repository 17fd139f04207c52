internal import CHearthKernels

/// Low-rank changes of weight matrices, added to their products: `y += factor * B (A x)`, in float32.
///
/// The weights themselves stay as they are, so that texts with different changes share them. A result does not depend on the
/// tokens that are computed with it, as with the products of the weights.
package final class LowRankAdaptation: Sendable {
    /// A change of one matrix, or of some of its rows.
    package struct Term: Sendable {
        package let matrix: WeightMatrix
        package let firstRow: Int
        package let pair: LowRankPair
        package let factor: Float

        /// - Parameters:
        ///   - matrix: the weights to change; a product with fewer of its rows changes those.
        ///   - firstRow: the row of `matrix` that the first output of `pair` is added to.
        package init(_ pair: LowRankPair, of matrix: WeightMatrix, firstRow: Int, factor: Float) {
            (self.matrix, self.firstRow, self.pair, self.factor) = (matrix, firstRow, pair, factor)
        }
    }

    private let terms: [Int: [Term]]
    /// A x of the term in progress, and B (A x).
    private let inner: Rows
    private let outer: Rows

    /// - Parameter maximumRows: maximum number of tokens in a product.
    /// - Throws: `ComputeError.outOfMemory`.
    package init(_ terms: [Term], maximumRows: Int) throws(ComputeError) {
        self.terms = Dictionary(grouping: terms) { Int(bitPattern: $0.matrix.base) }
        inner = try Rows(count: maximumRows, width: terms.map(\.pair.rank).max() ?? 1)
        outer = try Rows(count: maximumRows, width: terms.map(\.pair.rows).max() ?? 1)
    }

    /// All changes; those of the same matrix in the order in which they are added.
    package var changes: [Term] { terms.values.flatMap { $0 } }

    /// Adds what the terms contribute to the products of `group` with `x`.
    func add(to y: Rows, group: MatrixGroup, _ x: Rows, by compute: Compute) {
        var column = 0
        for matrix in group.matrices {
            // Terms are added in their order, so that sums have the same bits every time.
            for term in terms[Int(bitPattern: matrix.base)] ?? [] {
                let rows = min(term.pair.rows, matrix.rows - term.firstRow)
                if rows > 0 { add(term, rows: rows, to: y, column: column + term.firstRow, x, by: compute) }
            }
            column += matrix.rows
        }
    }

    private func add(_ term: Term, rows: Int, to y: Rows, column: Int, _ x: Rows, by compute: Compute) {
        let pair = term.pair, table = compute.kernels.table, tokens = x.count
        let chunks = (tokens + Piece.tokens - 1) / Piece.tokens
        let down = InnerProducts(
            piece: Piece(table: table, pair: pair, count: tokens, inner: inner), x: x, factor: term.factor)
        let up = OuterProducts(
            piece: down.piece, rows: rows, outer: outer, y: y, column: column, chunks: chunks)
        compute.run(down, count: chunks)
        compute.run(up, count: chunks * up.parts)
    }

    /// What both products share.
    fileprivate struct Piece {
        /// Tokens and outputs of a piece of work.
        static let tokens = 16
        static let rows = 512
        let table: UnsafePointer<hk_kernels>
        let pair: LowRankPair
        let count: Int
        let inner: Rows

        func range(_ chunk: Int) -> Range<Int> { chunk * Self.tokens..<min((chunk + 1) * Self.tokens, count) }
    }
}

/// `inner = factor * A x` for some tokens.
private struct InnerProducts: ParallelWork {
    let piece: LowRankAdaptation.Piece
    let x: Rows
    let factor: Float

    func run(_ index: Int) {
        let tokens = piece.range(index), pair = piece.pair
        let out = piece.inner.pointer(tokens.lowerBound)
        piece.table.pointee.multiply(
            HK_F32, pair.down.base, 4 * pair.columns, pair.rank, pair.columns, x.pointer(tokens.lowerBound), x.stride,
            unusedStepStride, tokens.count, out, piece.inner.stride)
        for token in tokens { piece.table.pointee.scale(piece.inner.pointer(token), factor, pair.rank) }
    }
}

/// `y += B inner` for some tokens and outputs.
private struct OuterProducts: ParallelWork {
    let piece: LowRankAdaptation.Piece
    let rows: Int
    let outer: Rows
    let y: Rows
    let column: Int
    let chunks: Int

    var parts: Int { (rows + LowRankAdaptation.Piece.rows - 1) / LowRankAdaptation.Piece.rows }

    func run(_ index: Int) {
        let tokens = piece.range(index % chunks), first = index / chunks * LowRankAdaptation.Piece.rows
        let count = min(LowRankAdaptation.Piece.rows, rows - first), rank = piece.pair.rank
        piece.table.pointee.multiply(
            HK_F32, piece.pair.up.base + first * rank, 4 * rank, count, rank, piece.inner.pointer(tokens.lowerBound),
            piece.inner.stride, unusedStepStride, tokens.count, outer.pointer(tokens.lowerBound) + first,
            outer.stride)
        for token in tokens {
            piece.table.pointee.add(y.pointer(token) + column + first, outer.pointer(token) + first, count)
        }
    }
}

/// The step stride of products in float32, which have no steps.
private let unusedStepStride = 4
