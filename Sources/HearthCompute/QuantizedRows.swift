internal import CHearthKernels

/// Activations rounded to 16-bit integers in blocks, the form in which they meet quantized weights.
final class QuantizedRows: @unchecked Sendable {
    // Sendable: scratch of one Compute, which runs one operation at a time.
    private let base: UnsafeMutableRawPointer
    /// Pairs of blocks from one row to the next.
    let stride: Int

    init(rows: Int, columns: Int) throws(ComputeError) {
        stride = (columns + 2 * HK_ACTIVATION_BLOCK - 1) / (2 * HK_ACTIVATION_BLOCK)
        let (pairs, overflow) = rows.multipliedReportingOverflow(by: stride)
        let (bytes, overflow2) = pairs.multipliedReportingOverflow(by: MemoryLayout<hk_activation_pair>.stride)
        guard !overflow, !overflow2 else { throw .outOfMemory(bytes: Int.max) }
        base = .allocate(byteCount: max(bytes, 64), alignment: 64)
    }

    deinit { base.deallocate() }

    func row(_ index: Int) -> UnsafeMutablePointer<hk_activation_pair> {
        base.assumingMemoryBound(to: hk_activation_pair.self) + index * stride
    }
}
