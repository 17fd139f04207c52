internal import CHearthKernels

/// A low-rank change of a weight matrix: `B A`, both in float32.
package struct LowRankPair: Sendable {
    /// Number of rows of A, and of columns of B.
    package let rank: Int
    /// Number of outputs.
    package let rows: Int
    /// Number of inputs.
    package let columns: Int
    /// A: `rank` rows of `columns` values.
    let down: FloatBuffer
    /// B: `rows` rows of `rank` values.
    let up: FloatBuffer

    /// Copies both matrices as float32.
    /// - Throws: `ComputeError.shapeMismatch` if their ranks differ, `.outOfMemory`.
    package init(down a: WeightMatrix, up b: WeightMatrix, kernels: KernelSet) throws(ComputeError) {
        guard a.rows == b.columns else { throw .shapeMismatch(what: "rank", expected: a.rows, found: b.columns) }
        (rank, rows, columns) = (a.rows, b.rows, a.columns)
        down = try Self.copy(a, kernels)
        up = try Self.copy(b, kernels)
    }

    private static func copy(_ matrix: WeightMatrix, _ kernels: KernelSet) throws(ComputeError) -> FloatBuffer {
        let buffer = try FloatBuffer(count: matrix.rows * matrix.columns)
        for row in 0..<matrix.rows {
            kernels.table.pointee.dequantize(
                matrix.format.kernelFormat, matrix.base + row * matrix.rowBytes, matrix.columns,
                buffer.base + row * matrix.columns)
        }
        return buffer
    }
}
