/// Keys and values of one layer, in float32.
///
/// A local layer keeps a ring of its window plus one step's tokens: position p lies in row `p % capacity`, and a step
/// of up to `maximumStep` tokens overwrites only rows that none of its queries can see. A step that was thrown away
/// (cancelled) can therefore be run again.
public struct LayerCache: Sendable {
    /// Key/value heads.
    public let heads: Int
    /// Width of one head.
    public let headWidth: Int
    /// A query at position p sees positions p − window + 1 ... p.
    public let window: Int
    /// Rows: the context, or a ring.
    public let capacity: Int
    let keys: Rows
    let values: Rows

    /// - Parameters:
    ///   - window: nil for a global layer, which sees all positions.
    ///   - context: most positions of a session.
    public init(heads: Int, headWidth: Int, window: Int?, context: Int, maximumStep: Int) throws(ComputeError) {
        self.heads = heads
        self.headWidth = headWidth
        self.window = min(window ?? context, context)
        self.capacity = min(context, self.window + maximumStep)
        self.keys = try Rows(count: capacity, width: heads * headWidth)
        self.values = try Rows(count: capacity, width: heads * headWidth)
    }

    /// Bytes of the keys, or of the values, in the first `count` rows.
    public func byteCount(ofRows count: Int) -> Int {
        min(max(count, 0), capacity) * keys.width * MemoryLayout<Float>.stride
    }

    /// Hands over the memory of the first `count` rows, at most all there are: once the keys, once the values. For taking them
    /// to a file and back; nothing may be computed meanwhile, and the memory must not be kept beyond the call.
    public func withBytes(ofRows count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        for part in [keys, values] {
            try withExtendedLifetime(part.buffer) {
                try body(UnsafeMutableRawBufferPointer(start: part.pointer(0), count: byteCount(ofRows: count)))
            }
        }
    }

    /// Keeps the rows of `keys` and `values` as positions `first ...`.
    public func store(keys newKeys: Rows, values newValues: Rows, first: Int) {
        assert(newKeys.width == keys.width && newValues.width == values.width && newKeys.count <= capacity)
        for row in 0..<newKeys.count {
            let slot = (first + row) % capacity
            keys.pointer(slot).update(from: newKeys.pointer(row), count: keys.width)
            values.pointer(slot).update(from: newValues.pointer(row), count: values.width)
        }
    }
}
