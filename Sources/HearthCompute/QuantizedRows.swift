internal import CHearthKernels

/// Activations quantized to 16-bit integers with one scale per step of 256 values, as input for products with quantized weights.
///
/// The same step of all rows is stored together, because products read them in this order, so memory access is sequential for
/// any row width.
final class QuantizedRows: @unchecked Sendable {
    // Sendable: scratch memory of one Compute, which runs one operation at a time.
    private let buffer: FloatBuffer
    private let pairBytes: Int

    /// - Parameter kernels: the kernel set that will read them, which determines their layout.
    init(rows: Int, columns: Int, kernels: KernelSet) throws(ComputeError) {
        pairBytes = kernels.table.pointee.pair_bytes
        let step = HK_STEP_PAIRS * 2 * HK_ACTIVATION_BLOCK
        let pairs = (columns + step - 1) / step * HK_STEP_PAIRS
        let (total, overflow) = rows.multipliedReportingOverflow(by: pairs)
        let (bytes, overflow2) = total.multipliedReportingOverflow(by: pairBytes)
        guard !overflow, !overflow2 else { throw .outOfMemory(bytes: Int.max) }
        let count = bytes / MemoryLayout<Float>.stride
        buffer = try FloatBuffer(count: count, inLargePages: count >= FloatBuffer.largeCount)
    }

    /// Start of row `index`. Rows are `stride` pairs apart, the steps of one row `stepStride(rows:)`.
    func row(_ index: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(buffer.base) + index * stride * pairBytes
    }

    var stride: Int { HK_STEP_PAIRS }

    func stepStride(rows: Int) -> Int { rows * HK_STEP_PAIRS }
}
