internal import CHearthKernels

/// Activations rounded to 16-bit integers, with a scale for each step of 256, the form in which they meet quantized weights.
///
/// Steps of 256 values of all rows lie together, because that is how products read them: however wide the rows are, what
/// is wanted next is what lies next.
final class QuantizedRows: @unchecked Sendable {
    // Sendable: scratch of one Compute, which runs one operation at a time.
    private let buffer: FloatBuffer
    private let pairBytes: Int

    /// - Parameter kernels: the set that will read them, which says how they lie.
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

    /// Where row `index` begins. Rows are `stride` pairs apart, the steps of one row `stepStride(rows:)`.
    func row(_ index: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(buffer.base) + index * stride * pairBytes
    }

    var stride: Int { HK_STEP_PAIRS }

    func stepStride(rows: Int) -> Int { rows * HK_STEP_PAIRS }
}
