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

    /// Whether all values of A are finite, and all of B.
    package var areFinite: (down: Bool, up: Bool) {
        (Self.isFinite(down, rank * columns), Self.isFinite(up, rows * rank))
    }

    /// Branchless, so that the compiler vectorises it.
    private static func isFinite(_ buffer: FloatBuffer, _ count: Int) -> Bool {
        var largest: UInt32 = 0
        for index in 0..<count { largest = max(largest, buffer.base[index].bitPattern & 0x7FFF_FFFF) }
        return largest < 0x7F80_0000
    }

    /// Both matrices with a rank that is a multiple of `unit`: rows and columns of zeros are added.
    package func padded(toMultipleOf unit: Int) -> (rank: Int, down: [Float], up: [Float]) {
        let padded = (rank + unit - 1) / unit * unit
        var a = [Float](repeating: 0, count: padded * columns), b = [Float](repeating: 0, count: rows * padded)
        for index in 0..<rank * columns { a[index] = down.base[index] }
        for row in 0..<rows {
            for index in 0..<rank { b[row * padded + index] = up.base[row * rank + index] }
        }
        return (padded, a, b)
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
