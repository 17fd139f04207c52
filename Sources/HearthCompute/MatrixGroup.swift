/// Matrices with the same input whose outputs stand side by side in one row: query, key and value; gate and up.
/// One parallel phase computes them all, so that threads meet once.
public struct MatrixGroup: Sendable {
    /// A run of rows of one matrix: what a thread claims at a time.
    struct Piece: Sendable {
        let matrix: Int
        let firstRow: Int
        let rowCount: Int
        let column: Int  // where its outputs begin
    }

    let matrices: [WeightMatrix]
    let pieces: [Piece]
    let isQuantized: Bool

    /// Inputs.
    public let columns: Int
    /// Outputs of all matrices together.
    public let rows: Int

    /// Bytes of weights in a piece: long enough that claiming it costs nothing, short enough that a preempted thread
    /// holds the others up for microseconds only and that cancelling takes effect at once.
    private static let pieceBytes = 128 << 10

    /// - Throws: `ComputeError.shapeMismatch` where inputs differ.
    public init(_ matrices: [WeightMatrix]) throws(ComputeError) {
        guard let first = matrices.first else { throw .shapeMismatch(what: "matrices", expected: 1, found: 0) }
        var pieces: [Piece] = []
        var column = 0
        for (index, matrix) in matrices.enumerated() {
            guard matrix.columns == first.columns else {
                throw .shapeMismatch(what: "columns", expected: first.columns, found: matrix.columns)
            }
            // A multiple of 16 rows suits every kernel's tile, and 32 keep its prefetching busy; small matrices still
            // split into several pieces.
            let ideal = max(16, min(max(Self.pieceBytes / matrix.rowBytes, 32), matrix.rows / 8) / 16 * 16)
            var row = 0
            while row < matrix.rows {
                let count = min(ideal, matrix.rows - row)
                pieces.append(Piece(matrix: index, firstRow: row, rowCount: count, column: column + row))
                row += count
            }
            column += matrix.rows
        }
        self.matrices = matrices
        self.pieces = pieces
        self.isQuantized = matrices.contains { $0.format.isQuantized }
        self.columns = first.columns
        self.rows = column
    }
}
