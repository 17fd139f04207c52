/// Low-rank changes of matrices on a device, added to their products: `y += factor * B (A x)`, in float32.
///
/// The matrices stay as they are, so that texts with different changes share them.
package struct GPUAdaptation {
    /// A change of one matrix, or of some of its rows.
    package struct Term {
        let matrix: GPUMatrix
        let firstRow: Int
        let factor: Float
        /// A and B in float32; their rank is a multiple of 8.
        let down: GPUMatrix
        let up: GPUMatrix

        /// - Parameters:
        ///   - matrix: what is changed; products with fewer of its rows are changed in those.
        ///   - firstRow: the row of `matrix` that the first output is added to.
        ///   - rank: a multiple of 8; what is added to a smaller one is zero.
        ///   - down: A, `rank` rows.
        ///   - up: B, rows of `rank` values.
        ///   - memory: where they are copied to.
        /// - Throws: `GPUError`.
        package init(
            of matrix: GPUMatrix, firstRow: Int, factor: Float, rank: Int, down: [Float], up: [Float],
            in memory: GPUWeightMemory
        ) throws(GPUError) {
            precondition(rank % 8 == 0 && down.count == rank * matrix.columns && up.count % rank == 0)
            (self.matrix, self.firstRow, self.factor) = (matrix, firstRow, factor)
            self.down = GPUMatrix(
                format: .f32, rows: rank, columns: matrix.columns, rowBytes: 4 * matrix.columns,
                at: try memory.keep(down))
            self.up = GPUMatrix(
                format: .f32, rows: up.count / rank, columns: rank, rowBytes: 4 * rank, at: try memory.keep(up))
        }
    }

    /// By the address of the matrix.
    private let terms: [UInt64: [Term]]
    /// A x of the terms in progress, side by side.
    private let inner: GPURows

    /// - Parameters:
    ///   - together: maximum number of matrices that are multiplied together.
    ///   - maximumRows: maximum number of tokens in a product.
    /// - Throws: `GPUError`.
    package init(_ terms: [Term], together: Int, maximumRows: Int, on device: GPUDevice) throws(GPUError) {
        self.terms = Dictionary(grouping: terms) { $0.matrix.place.address }
        let width = together * (self.terms.values.map { $0.reduce(0) { $0 + $1.down.rows } }.max() ?? 0)
        inner = GPURows(try GPUBuffer(device, byteCount: max(4 * maximumRows * width, 4)).place, stride: width)
    }

    /// The pipelines of its products.
    package static var pipelines: Set<GPUPipelineKey> {
        Set([1, 2].map { GPUCommands.productKey(.f32, tokens: $0) })
    }

    func changes(_ matrix: GPUMatrix) -> Bool { terms[matrix.place.address] != nil }

    /// Adds what the terms contribute to the products of matrices with `x`.
    /// - Parameter cap: soft cap of what is changed; 0 for none.
    func add(
        to y: GPURows, _ matrices: [GPUMatrix], _ x: GPURows, count: Int, cap: Float, _ commands: GPUCommands
    ) throws(GPUError) {
        var innerColumn = 0
        for term in matrices.flatMap({ terms[$0.place.address] ?? [] }) {
            // They read what the products of the matrices read.
            commands.beside()
            try commands.multiply(term.down, x, count: count, into: inner.columns(from: innerColumn))
            innerColumn += term.down.rows
        }
        innerColumn = 0
        var column = 0, hasWaited = false
        for matrix in matrices {
            let own = terms[matrix.place.address] ?? []
            for (index, term) in own.enumerated() {
                let rows = min(term.up.rows, matrix.rows - term.firstRow)
                assert(cap == 0 || rows == matrix.rows, "a cap of what is changed in part")
                if rows > 0 {
                    // Terms of a matrix are added in their order, so that sums have the same bits every time.
                    if hasWaited && index == 0 { commands.beside() }
                    hasWaited = true
                    try commands.multiply(
                        term.up.rows(rows), inner.columns(from: innerColumn), count: count,
                        into: y.columns(from: column + term.firstRow), scale: term.factor, adds: true,
                        cap: index == own.count - 1 ? cap : 0)
                }
                innerColumn += term.down.rows
            }
            column += matrix.rows
        }
    }
}
