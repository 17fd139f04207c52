/// A range of float32 values in a buffer, on which tensor operations work.
///
/// A region that starts at a multiple of 16 values (64 bytes) is the fastest to read.
package struct FloatRegion: Sendable {
    /// The underlying memory.
    package let buffer: FloatBuffer
    /// Index of the first value in the buffer.
    package let offset: Int
    /// Number of values.
    package let count: Int

    /// - Throws: `ComputeError.shapeMismatch` if the range exceeds the buffer.
    package init(_ buffer: FloatBuffer, offset: Int, count: Int) throws(ComputeError) {
        guard offset >= 0, count >= 0, offset <= buffer.count, count <= buffer.count - offset else {
            throw .shapeMismatch(what: "values of a region", expected: buffer.count, found: count)
        }
        self.buffer = buffer
        self.offset = offset
        self.count = count
    }

    /// Allocates memory, initially zero.
    package init(count: Int) throws(ComputeError) {
        try self.init(FloatBuffer(count: count), offset: 0, count: count)
    }

    /// Allocates memory and copies values into it.
    package init(_ values: some Collection<Float>) throws(ComputeError) {
        try self.init(count: values.count)
        set(values)
    }

    /// `count` values, starting at `first`.
    package func part(_ first: Int, _ count: Int) throws(ComputeError) -> FloatRegion {
        guard first >= 0, count >= 0, first <= self.count, count <= self.count - first else {
            throw .shapeMismatch(what: "values of a part", expected: self.count, found: count)
        }
        return try FloatRegion(buffer, offset: offset + first, count: count)
    }

    /// Writes values from the start on; values that do not fit are ignored.
    package func set(_ values: some Collection<Float>) {
        let done: Void? = values.withContiguousStorageIfAvailable { source in
            guard let start = source.baseAddress else { return }
            base.update(from: start, count: min(source.count, count))
        }
        if done != nil { return }
        for (index, value) in values.prefix(count).enumerated() { base[index] = value }
    }

    /// A copy of all values.
    package var values: [Float] { Array(UnsafeBufferPointer(start: base, count: count)) }

    /// Passes the values in place.
    @inlinable package func withValues<R>(_ body: (Span<Float>) throws -> R) rethrows -> R {
        try body(Span(_unsafeElements: UnsafeBufferPointer(start: base, count: count)))
    }

    /// Passes the values in place, for writing.
    @inlinable package func withMutableValues<R>(_ body: (inout MutableSpan<Float>) throws -> R) rethrows -> R {
        var span = MutableSpan(_unsafeElements: UnsafeMutableBufferPointer(start: base, count: count))
        return try body(&span)
    }

    package var base: UnsafeMutablePointer<Float> { buffer.base + offset }

    /// Passes the bytes of the values in place, for copying them elsewhere.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withMutableBytes { try body(UnsafeRawBufferPointer($0)) }
    }

    /// Passes the bytes of the values in place, for copying others there.
    package func withMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(buffer) {
            try body(UnsafeMutableRawBufferPointer(start: base, count: count * MemoryLayout<Float>.stride))
        }
    }

    func require(_ what: String, atLeast wanted: Int) throws(ComputeError) {
        guard count >= wanted else { throw .shapeMismatch(what: what, expected: wanted, found: count) }
    }
}

/// Read-only float32 values: packed weights in a mapped file or in a buffer.
package struct FloatWeights: @unchecked Sendable {
    // Sendable: the values are never modified, and live as long as `owner`.
    let base: UnsafePointer<Float>
    let owner: any AnyObject & Sendable
    /// Number of values.
    package let count: Int

    /// - Parameters:
    ///   - base: the first value, aligned to 4 bytes (64 is fastest).
    ///   - owner: keeps the values in memory.
    package init(base: UnsafePointer<Float>, count: Int, owner: any AnyObject & Sendable) {
        self.base = base
        self.count = count
        self.owner = owner
    }

    /// The values of a region, which must not be modified from now on.
    package init(_ region: FloatRegion) {
        self.init(base: UnsafePointer(region.base), count: region.count, owner: region.buffer)
    }

    /// A copy of the given values.
    package init(_ values: some Collection<Float>) throws(ComputeError) {
        self.init(try FloatRegion(values))
    }

    /// Passes the bytes of the values in place, for copying them elsewhere.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner) {
            try body(UnsafeRawBufferPointer(start: base, count: count * MemoryLayout<Float>.stride))
        }
    }

    /// Where the values are in a region's buffer; nil if they are elsewhere.
    package func region(in other: FloatRegion) -> FloatRegion? {
        guard owner === other.buffer else { return nil }
        return try? FloatRegion(other.buffer, offset: base - UnsafePointer(other.buffer.base), count: count)
    }

    func require(_ what: String, _ wanted: Int) throws(ComputeError) {
        guard count >= wanted else { throw .shapeMismatch(what: what, expected: wanted, found: count) }
    }
}
