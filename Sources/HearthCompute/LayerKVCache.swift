internal import CHearthKernels

/// The keys and values of one layer.
///
/// A local layer has a ring buffer of its window plus one step's tokens: position p is in row `p % capacity`, and a step of up
/// to `maximumStep` tokens overwrites only rows that none of its queries can attend to. A discarded (cancelled) step can
/// therefore be run again.
package struct LayerKVCache: Sendable {
    /// Number of key/value heads.
    package let heads: Int
    /// Width of one head.
    package let headWidth: Int
    /// The number format.
    package let format: KVCacheFormat
    /// A query at position p attends to positions p − window + 1 ... p.
    package let window: Int
    /// Number of rows: the context, or the size of the ring buffer.
    package let capacity: Int
    /// Number of positions per part of an attention. Parts start at multiples of it, so they depend only on positions, and
    /// results do not depend on which thread computes which part.
    package let part: Int
    /// Size in bytes of the keys, or values, at one position, for one head and for all heads.
    let headBytes: Int
    let rowBytes: Int
    private let keyBuffer: FloatBuffer
    private let valueBuffer: FloatBuffer

    /// Minimum part size: small enough to give a phone's threads work at a few hundred positions, large enough that merging the
    /// parts takes less than 1 % of the time.
    static let smallestPart = 128

    /// - Parameters:
    ///   - window: nil for a global layer, which attends to all positions.
    ///   - context: maximum number of positions of a session.
    /// - Throws: `ComputeError.outOfMemory`; `.shapeMismatch` for heads wider than 4096.
    package init(
        heads: Int, headWidth: Int, window: Int?, context: Int, maximumStep: Int, format: KVCacheFormat
    ) throws(ComputeError) {
        let widest = Int(HK_MAXIMUM_HEAD_WIDTH)
        guard headWidth <= widest else { throw .shapeMismatch(what: "head width", expected: widest, found: headWidth) }
        self.heads = heads
        self.headWidth = headWidth
        self.format = format
        self.window = min(window ?? context, context)
        capacity = min(context, self.window + maximumStep)
        let share = (context + AttentionScratch.mostParts - 1) / AttentionScratch.mostParts
        part = max(Self.smallestPart, (share + 31) / 32 * 32)
        headBytes = format.bytes(ofHead: headWidth)
        rowBytes = heads * headBytes
        let (bytes, overflow) = capacity.multipliedReportingOverflow(by: rowBytes)
        guard !overflow, bytes < Int.max / 2 else { throw .outOfMemory(bytes: Int.max) }
        keyBuffer = try FloatBuffer(count: (bytes + 3) / 4)
        valueBuffer = try FloatBuffer(count: (bytes + 3) / 4)
    }

    /// The keys at position 0.
    var keys: UnsafeMutableRawPointer { UnsafeMutableRawPointer(keyBuffer.base) }
    /// The values at position 0.
    var values: UnsafeMutableRawPointer { UnsafeMutableRawPointer(valueBuffer.base) }

    /// Size in bytes of the keys, or of the values, in the first `count` rows.
    package func byteCount(ofRows count: Int) -> Int { min(max(count, 0), capacity) * rowBytes }

    /// Passes the memory of the first `count` rows, limited to the capacity: first the keys, then the values. For saving to a
    /// file and loading; nothing may be computed meanwhile, and the buffer is valid only during the call.
    package func withBytes(ofRows count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        for part in [keyBuffer, valueBuffer] {
            try withExtendedLifetime(part) {
                try body(UnsafeMutableRawBufferPointer(start: part.base, count: byteCount(ofRows: count)))
            }
        }
    }

    /// Maps the first `count` rows from a file: they are read on access, and copied on write. If the file is truncated
    /// meanwhile, all these rows are lost, including overwritten ones; see `isLost`.
    ///
    /// - Parameters:
    ///   - descriptor: an open file; it may be closed afterwards.
    ///   - offset: offset of the keys, a multiple of the page size; the values are `stride` bytes further. The bytes between
    ///     the end of either and the next page boundary are replaced in memory too, and must exist in the file.
    /// - Returns: false if the system cannot map the file; the rows are then zero.
    package func map(rows count: Int, descriptor: Int32, offset: Int, stride: Int) -> Bool {
        let bytes = byteCount(ofRows: count)
        return keyBuffer.map(byteCount: bytes, descriptor: descriptor, offset: offset)
            && valueBuffer.map(byteCount: bytes, descriptor: descriptor, offset: offset + stride)
    }

    /// Whether mapped rows were missing on access; all of them are zero then, until `unmap`.
    package var isLost: Bool { keyBuffer.isLost || valueBuffer.isLost }

    /// Unmaps the file; its rows become zero.
    package func unmap() {
        keyBuffer.unmap()
        valueBuffer.unmap()
    }

    /// Releases all memory; every row becomes zero.
    package func discard() {
        keyBuffer.discard()
        valueBuffer.discard()
    }

    // MARK: - Parts

    /// The positions that a query attends to.
    func visible(from position: Int) -> Range<Int> { max(0, position + 1 - window)..<position + 1 }

    /// Number of parts that these positions are split into.
    package func parts(from position: Int) -> Int { position / part - visible(from: position).lowerBound / part + 1 }

    /// The positions in one part.
    package func part(_ index: Int, from position: Int) -> Range<Int> {
        let visible = visible(from: position)
        let start = (visible.lowerBound / part + index) * part
        return max(visible.lowerBound, start)..<min(visible.upperBound, start + part)
    }
}
