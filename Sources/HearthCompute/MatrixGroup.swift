internal import CHearthKernels

/// Matrices with the same input whose outputs stand side by side in one row: query, key and value; gate and up.
/// One parallel phase computes them all, so that threads meet once.
package struct MatrixGroup: Sendable {
    /// A run of rows of one matrix: what a thread claims at a time. Only numbers: threads that counted references to the same
    /// objects piece by piece would spend a twentieth of a token on it.
    package struct Piece: @unchecked Sendable {
        // Sendable: the weights are mapped read-only and live as long as the group's matrices.
        let weights: UnsafeRawPointer
        let rowBytes: Int
        package let rowCount: Int
        let format: hk_format
        let isQuantized: Bool
        package let column: Int  // where its outputs begin
    }

    /// In the order of their outputs.
    package let matrices: [WeightMatrix]
    private let pieces: [Piece]
    private let largePieces: [Piece]
    let isQuantized: Bool

    /// Inputs.
    package let columns: Int
    /// Outputs of all matrices together.
    package let rows: Int

    /// Bytes of weights in a piece: long enough that claiming it costs nothing, short enough that a preempted thread
    /// holds the others up for microseconds only and that cancelling takes effect at once.
    private static let pieceBytes = 128 << 10

    /// With many tokens the activations are what streams from afar, so each of their steps shall meet many rows while it is near.
    private static let manyTokens = 8
    private static let rowsForManyTokens = 256

    /// How the work with that many tokens is shared out.
    package func withPieces(tokens: Int, _ body: (UnsafeBufferPointer<Piece>) -> Void) {
        withExtendedLifetime(matrices) {
            (tokens < Self.manyTokens ? pieces : largePieces).withUnsafeBufferPointer(body)
        }
    }

    /// - Throws: `ComputeError.shapeMismatch` where inputs differ.
    package init(_ matrices: [WeightMatrix]) throws(ComputeError) {
        guard let first = matrices.first else { throw .shapeMismatch(what: "matrices", expected: 1, found: 0) }
        for matrix in matrices where matrix.columns != first.columns {
            throw .shapeMismatch(what: "columns", expected: first.columns, found: matrix.columns)
        }
        self.matrices = matrices
        // 32 rows keep a kernel's prefetching busy.
        self.pieces = Self.pieces(of: matrices, atLeast: 32)
        self.largePieces = Self.pieces(
            of: matrices, atLeast: first.columns > 4096 ? Self.rowsForManyTokens / 2 : Self.rowsForManyTokens)
        self.isQuantized = matrices.contains { $0.format.isQuantized }
        self.columns = first.columns
        self.rows = matrices.reduce(0) { $0 + $1.rows }
    }

    private static func pieces(of matrices: [WeightMatrix], atLeast minimum: Int) -> [Piece] {
        var pieces: [Piece] = []
        var column = 0
        for matrix in matrices {
            // A multiple of 32 rows suits every kernel's tile; small matrices still split into several pieces.
            let wanted = min(max(pieceBytes / matrix.rowBytes, minimum), matrix.rows / 8)
            let ideal = wanted >= 32 ? wanted / 32 * 32 : 16
            var row = 0
            while row < matrix.rows {
                let count = min(ideal, matrix.rows - row)
                pieces.append(
                    Piece(
                        weights: matrix.base + row * matrix.rowBytes, rowBytes: matrix.rowBytes, rowCount: count,
                        format: matrix.format.kernelFormat, isQuantized: matrix.format.isQuantized,
                        column: column + row))
                row += count
            }
            column += matrix.rows
        }
        return pieces
    }
}
