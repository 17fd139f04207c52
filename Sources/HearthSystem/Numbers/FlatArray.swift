/// A fixed array of plain values at one place in memory: in a mapped file, or made by the program. The same type for
/// both, so that a table is used in one way wherever its bytes came from.
///
/// Public only so that the optimiser can specialise it in other modules; it is not part of the stable API.
///
/// Reading out of bounds stops the program, as with `Array`. Values from a file may have any bit pattern; the
/// reader has to validate them.
@frozen public struct FlatArray<Element: BitwiseCopyable & Sendable>: RandomAccessCollection, @unchecked Sendable {
    // Sendable: the bytes are immutable after initialisation, and `owner` keeps them alive.
    @usableFromInline let base: UnsafePointer<Element>
    @usableFromInline let owner: MappedFile
    /// How many values.
    public let count: Int

    /// A copy of `values`.
    package init(_ values: some Collection<Element>) {
        let stride = MemoryLayout<Element>.stride
        owner = MappedFile(count: values.count * stride) { memory in
            let done: Void? = values.withContiguousStorageIfAvailable {
                memory.copyMemory(from: UnsafeRawBufferPointer($0))
            }
            if done != nil { return }
            var offset = 0
            for value in values {
                memory.storeBytes(of: value, toByteOffset: offset, as: Element.self)
                offset += stride
            }
        }
        count = values.count
        base = owner.base.assumingMemoryBound(to: Element.self)
    }

    /// The values at `offset` of a file; nil if they are not within its bounds, or not aligned.
    package init?(_ file: MappedFile, offset: Int, count: Int) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard count >= 0, !overflow, offset >= 0, offset <= file.count, bytes <= file.count - offset,
            offset % MemoryLayout<Element>.alignment == 0
        else { return nil }
        owner = file
        base = (file.base + offset).assumingMemoryBound(to: Element.self)
        self.count = count
    }

    /// Always 0.
    @inlinable public var startIndex: Int { 0 }
    /// `count`.
    @inlinable public var endIndex: Int { count }

    /// The value at `index`, which must be below `count`.
    @inlinable public subscript(_ index: Int) -> Element {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index out of range")
        return base[index]
    }

    /// The bytes of all values; not to be kept beyond the call.
    @inlinable package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(owner) {
            try body(UnsafeRawBufferPointer(start: base, count: count * MemoryLayout<Element>.stride))
        }
    }
}
