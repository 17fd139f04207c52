internal import CHearthKernels

/// A weight matrix in the format of its file, `rows` outputs by `columns` inputs, used in place.
package struct WeightMatrix: @unchecked Sendable {
    // Sendable: the bytes are mapped read-only and live as long as `owner`.
    let base: UnsafeRawPointer
    /// Stride of the rows in bytes.
    package let rowBytes: Int
    private let owner: any AnyObject & Sendable

    /// The storage format.
    package let format: TensorFormat
    /// Number of outputs.
    package let rows: Int
    /// Number of inputs.
    package let columns: Int

    /// - Parameters:
    ///   - base: first byte of the matrix; any alignment.
    ///   - byteCount: size of the matrix in bytes, checked against rows and columns.
    ///   - owner: keeps the bytes mapped.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        format: TensorFormat, rows: Int, columns: Int, base: UnsafeRawPointer, byteCount: Int,
        owner: any AnyObject & Sendable
    ) throws(ComputeError) {
        guard columns > 0, columns % format.blockElements == 0 else {
            throw .shapeMismatch(what: "columns", expected: format.blockElements, found: columns)
        }
        let rowBytes = columns / format.blockElements * format.blockBytes
        let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: rows)
        guard rows > 0, !overflow, bytes == byteCount else {
            throw .shapeMismatch(what: "bytes", expected: bytes, found: byteCount)
        }
        self.base = base
        self.rowBytes = rowBytes
        self.owner = owner
        self.format = format
        self.rows = rows
        self.columns = columns
    }

    /// The rows of `range` as a matrix, without a copy.
    /// - Throws: `ComputeError.shapeMismatch` if the range exceeds this matrix.
    package func rows(_ range: Range<Int>) throws(ComputeError) -> WeightMatrix {
        guard range.lowerBound >= 0, range.upperBound <= rows else {
            throw .shapeMismatch(what: "rows", expected: rows, found: range.upperBound)
        }
        return try WeightMatrix(
            format: format, rows: range.count, columns: columns, base: base + range.lowerBound * rowBytes,
            byteCount: range.count * rowBytes, owner: owner)
    }

    /// Passes the matrix's bytes in place, for copying them elsewhere.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) { try body(UnsafeRawBufferPointer(start: base, count: rows * rowBytes)) }
    }

    /// The bytes of a row in place, valid as long as the matrix is.
    package func bytes(ofRow index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < rows)
        return UnsafeRawBufferPointer(start: base + index * rowBytes, count: rowBytes)
    }

    /// Whether both are the same rows of the same file.
    package func isSame(as other: WeightMatrix) -> Bool { base == other.base && rows == other.rows }

    /// Identifies where its first row lies, as long as it is in memory.
    package var address: UInt { UInt(bitPattern: base) }

    /// The values of row `index` as float32, for small tensors such as norm gains.
    package func row(_ index: Int, kernels: KernelSet) -> [Float] {
        [Float](unsafeUninitializedCapacity: columns) { out, count in
            guard let start = out.baseAddress else { return }
            kernels.table.pointee.dequantize(format.kernelFormat, base + index * rowBytes, columns, start)
            count = columns
        }
    }
}
