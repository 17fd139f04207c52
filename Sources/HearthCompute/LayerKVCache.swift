internal import CHearthKernels

/// Keys and values of one layer.
///
/// A local layer keeps a ring of its window plus one step's tokens: position p is in row `p % capacity`, and a step
/// of up to `maximumStep` tokens overwrites only rows that none of its queries can see. A step that was thrown away
/// (cancelled) can therefore be run again.
package struct LayerKVCache: Sendable {
    /// Key/value heads.
    package let heads: Int
    /// Width of one head.
    package let headWidth: Int
    /// How they are kept.
    package let format: KVCacheFormat
    /// A query at position p sees positions p − window + 1 ... p.
    package let window: Int
    /// Rows: the context, or a ring.
    package let capacity: Int
    /// Attention is computed in parts of so many positions, from multiples of it on, which are then put together: what a part is
    /// depends on positions alone, so that results do not depend on who computes which.
    package let part: Int
    /// Bytes of one position's keys, or values, of one head and of all.
    let headBytes: Int
    let rowBytes: Int
    private let keyBuffer: FloatBuffer
    private let valueBuffer: FloatBuffer

    /// Few enough positions that the threads of a phone find work at some hundred of them, many enough that putting parts
    /// together costs less than a hundredth.
    static let smallestPart = 128

    /// - Parameters:
    ///   - window: nil for a global layer, which sees all positions.
    ///   - context: most positions of a session.
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

    /// Position 0's keys.
    var keys: UnsafeMutableRawPointer { UnsafeMutableRawPointer(keyBuffer.base) }
    /// Position 0's values.
    var values: UnsafeMutableRawPointer { UnsafeMutableRawPointer(valueBuffer.base) }

    /// Bytes of the keys, or of the values, in the first `count` rows.
    package func byteCount(ofRows count: Int) -> Int { min(max(count, 0), capacity) * rowBytes }

    /// Hands over the memory of the first `count` rows, at most all there are: once the keys, once the values. For taking them
    /// to a file and back; nothing may be computed meanwhile, and the memory must not be kept beyond the call.
    package func withBytes(ofRows count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        for part in [keyBuffer, valueBuffer] {
            try withExtendedLifetime(part) {
                try body(UnsafeMutableRawBufferPointer(start: part.base, count: byteCount(ofRows: count)))
            }
        }
    }

    /// Puts the first `count` rows of a file in the place of the memory's: mapped, so that they are read when they are wanted, and
    /// copied where they are overwritten. A file that is shortened meanwhile takes them along, overwritten ones too: `isLost`.
    ///
    /// - Parameters:
    ///   - descriptor: an open file; it may be closed afterwards.
    ///   - offset: of the keys, a multiple of the page size; the values follow `stride` further. What lies between a part's end
    ///     and the next multiple of the page size is overwritten in memory and must be in the file.
    /// - Returns: false where the system does not map it; the rows are then zeros.
    package func map(rows count: Int, descriptor: Int32, offset: Int, stride: Int) -> Bool {
        let bytes = byteCount(ofRows: count)
        return keyBuffer.map(byteCount: bytes, descriptor: descriptor, offset: offset)
            && valueBuffer.map(byteCount: bytes, descriptor: descriptor, offset: offset + stride)
    }

    /// Whether rows that `map` brought were missing when they were wanted; all of them are zeros then, until `unmap`.
    package var isLost: Bool { keyBuffer.isLost || valueBuffer.isLost }

    /// Lets go of the file of `map`: its rows become zeros.
    package func unmap() {
        keyBuffer.unmap()
        valueBuffer.unmap()
    }

    /// Gives all memory back; every row becomes zeros.
    package func discard() {
        keyBuffer.discard()
        valueBuffer.discard()
    }

    // MARK: - Parts

    /// Positions that a query sees.
    func visible(from position: Int) -> Range<Int> { max(0, position + 1 - window)..<position + 1 }

    /// How many parts they are cut into.
    package func parts(from position: Int) -> Int { position / part - visible(from: position).lowerBound / part + 1 }

    /// One of them.
    package func part(_ index: Int, from position: Int) -> Range<Int> {
        let visible = visible(from: position)
        let start = (visible.lowerBound / part + index) * part
        return max(visible.lowerBound, start)..<min(visible.upperBound, start + part)
    }
}
