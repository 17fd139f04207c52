#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A fixed number of float32 values, zero at first, on whole pages. Pages that were never written take no memory, so
/// a cache may be made for a long context and only ever cost what is used of it.
public final class FloatBuffer: @unchecked Sendable {
    // Sendable: who may write when is settled by Compute, whose callers run one operation at a time.
    let base: UnsafeMutablePointer<Float>
    private let byteCount: Int

    /// Capacity in values.
    public let count: Int

    /// - Parameter inLargePages: asks for pages of 2 MB, which kernels walk through faster but which take memory whole:
    ///   for memory that will be used to the end, such as the activations of a network.
    /// - Throws: `ComputeError.outOfMemory`.
    public init(count: Int, inLargePages: Bool = false) throws(ComputeError) {
        let (bytes, overflow) = max(count, 1).multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        guard !overflow else { throw .outOfMemory(bytes: Int.max) }
        guard let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { throw .outOfMemory(bytes: bytes) }
        #if os(Linux)
        if inLargePages { madvise(memory, bytes, Int32(MADV_HUGEPAGE)) }
        #endif
        base = memory.bindMemory(to: Float.self, capacity: max(count, 1))
        byteCount = bytes
        self.count = count
    }

    deinit { munmap(base, byteCount) }
}
