internal import CHearthKernels

/// Matrices with the same input whose outputs are concatenated in one row: query, key and value; gate and up. One parallel
/// phase computes them all, with a single thread synchronisation.
package struct MatrixGroup: Sendable {
    /// A range of rows of one matrix, which a thread claims at a time. It contains no references: counting references to shared
    /// objects for every piece would take a twentieth of a token's time.
    package struct Piece: @unchecked Sendable {
        // Sendable: the weights are mapped read-only and outlive the pieces, as the group's matrices own them.
        let weights: UnsafeRawPointer
        let rowBytes: Int
        package let rowCount: Int
        let format: hk_format
        let isQuantized: Bool
        package let column: Int  // where its outputs begin in the row
    }

    /// The matrices in the order of their outputs.
    package let matrices: [WeightMatrix]
    private let pieces: [Piece]
    private let largePieces: [Piece]
    let isQuantized: Bool
    /// Whether the inputs get 16 bits even where the kernel set has activations of 8.
    let takesWords: Bool

    /// Number of inputs.
    package let columns: Int
    /// Total number of outputs.
    package let rows: Int

    /// Size of the weights in a piece: large enough that claiming it costs nothing, small enough that a preempted thread delays
    /// the others only by microseconds, and that cancelling takes effect immediately.
    private static let pieceBytes = 128 << 10

    /// From this number of tokens on, pieces have more rows: the activations no longer fit the caches, so each block of them
    /// should be used for many rows while it is cached.
    private static let manyTokens = 8
    private static let rowsForManyTokens = 256

    /// Passes the pieces of work for a number of tokens.
    package func withPieces(tokens: Int, _ body: (UnsafeBufferPointer<Piece>) -> Void) {
        withExtendedLifetime(matrices) {
            (tokens < Self.manyTokens ? pieces : largePieces).withUnsafeBufferPointer(body)
        }
    }

    /// - Throws: `ComputeError.shapeMismatch` if inputs differ.
    package init(_ matrices: [WeightMatrix], takesWords: Bool = false) throws(ComputeError) {
        guard let first = matrices.first else { throw .shapeMismatch(what: "matrices", expected: 1, found: 0) }
        for matrix in matrices where matrix.columns != first.columns {
            throw .shapeMismatch(what: "columns", expected: first.columns, found: matrix.columns)
        }
        self.matrices = matrices
        self.takesWords = takesWords
        // At least 32 rows, to make use of the kernels' prefetching.
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
            // Multiples of 32 rows match every kernel's tile; small matrices are still split into several pieces.
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
