internal import CHearthKernels

/// Activations quantized to integers of 16 or 8 bits, as input for products with quantized weights, in the form of the table that
/// writes and reads them.
///
/// The same step of all rows is stored together, because products read them in this order, so memory access is sequential for
/// any row width.
final class QuantizedRows: @unchecked Sendable {
    // Sendable: scratch memory of one Compute, which runs one operation at a time.
    private let buffer: FloatBuffer

    /// - Parameter kernels: the kernel set that will read them. There is room for its larger form.
    init(rows: Int, columns: Int, kernels: KernelSet) throws(ComputeError) {
        let pairBytes = kernels.wordTable.pointee.pair_bytes
        let step = HK_STEP_PAIRS * 2 * HK_ACTIVATION_BLOCK
        let pairs = (columns + step - 1) / step * HK_STEP_PAIRS
        let (total, overflow) = rows.multipliedReportingOverflow(by: pairs)
        let (bytes, overflow2) = total.multipliedReportingOverflow(by: pairBytes)
        guard !overflow, !overflow2 else { throw .outOfMemory(bytes: Int.max) }
        let count = bytes / MemoryLayout<Float>.stride
        buffer = try FloatBuffer(count: count, inLargePages: count >= FloatBuffer.largeCount)
    }

    /// Start of the first row. Rows are `stride` pairs apart, the steps of one row `stepStride(rows:)`.
    var start: UnsafeMutableRawPointer { UnsafeMutableRawPointer(buffer.base) }

    var stride: Int { HK_STEP_PAIRS }

    func stepStride(rows: Int) -> Int { rows * HK_STEP_PAIRS }
}
