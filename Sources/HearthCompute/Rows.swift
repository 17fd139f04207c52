/// A view of `count` rows of `width` float32 values in a buffer, `stride` values apart.
///
/// `Compute` reads and writes activations in this form, one row per token.
package struct Rows: Sendable {
    let buffer: FloatBuffer
    let offset: Int
    let stride: Int
    /// Number of rows.
    package let count: Int
    /// Number of values per row.
    package let width: Int

    init(buffer: FloatBuffer, offset: Int, stride: Int, count: Int, width: Int) {
        assert(count == 0 || offset + (count - 1) * stride + width <= buffer.count)
        self.buffer = buffer
        self.offset = offset
        self.stride = stride
        self.count = count
        self.width = width
    }

    /// Allocates zeroed memory for `count` rows.
    package init(count: Int, width: Int) throws(ComputeError) {
        // Rows at a multiple of the page size would all map to the same few cache sets.
        let stride = count > 1 && width % 512 == 0 ? width + 16 : width
        let (total, overflow) = count.multipliedReportingOverflow(by: stride)
        guard !overflow else { throw .outOfMemory(bytes: Int.max) }
        let isLarge = total >= FloatBuffer.largeCount
        self.init(
            buffer: try FloatBuffer(count: total, inLargePages: isLarge), offset: 0, stride: stride, count: count,
            width: width)
    }

    /// The first `count` rows.
    package func prefix(_ count: Int) -> Rows {
        Rows(buffer: buffer, offset: offset, stride: stride, count: min(count, self.count), width: width)
    }

    /// `count` rows, starting at `first`.
    package func rows(_ first: Int, _ count: Int) -> Rows {
        Rows(buffer: buffer, offset: offset + first * stride, stride: stride, count: count, width: width)
    }

    /// The rows of `range`.
    package func rows(_ range: Range<Int>) -> Rows { rows(range.lowerBound, range.count) }

    /// The columns `range` of each row.
    package func columns(_ range: Range<Int>) -> Rows {
        Rows(
            buffer: buffer, offset: offset + range.lowerBound, stride: stride, count: count, width: range.count)
    }

    /// A copy of row `index`, for results that leave the runtime.
    package func row(_ index: Int) -> [Float] {
        Array(UnsafeBufferPointer(start: pointer(index), count: width))
    }

    /// Row `index` in place, without a copy (a row of logits is a megabyte).
    @inlinable package func withRow<R>(_ index: Int, _ body: (Span<Float>) throws -> R) rethrows -> R {
        try body(Span(_unsafeElements: UnsafeBufferPointer(start: pointer(index), count: width)))
    }

    /// Writes values into row `index`.
    package func set(_ index: Int, to values: some Collection<Float>) {
        let row = pointer(index)
        // Copying element by element through generic collection calls took ten milliseconds of every start.
        let done: Void? = values.withContiguousStorageIfAvailable { source in
            guard let start = source.baseAddress else { return }
            row.update(from: start, count: min(source.count, width))
        }
        if done != nil { return }
        for (column, value) in values.prefix(width).enumerated() { row[column] = value }
    }

    package func pointer(_ row: Int) -> UnsafeMutablePointer<Float> { buffer.base + (offset + row * stride) }
}
