internal import CHearthSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A fixed number of float32 values, zero at first, on whole pages. Pages that were never written take no memory, so
/// a cache may be made for a long context and only ever cost what is used of it.
package final class FloatBuffer: @unchecked Sendable {
    // Sendable: who may write when is settled by Compute, whose callers run one operation at a time.
    package let base: UnsafeMutablePointer<Float>
    private let byteCount: Int
    /// Of what a file is mapped to; see `map`.
    private var watch: OpaquePointer?
    private var mappedCount = 0

    /// From here on (4 MB) pages of 2 MB are worth while: what is walked through would else need more addresses than a
    /// processor remembers, and what a last page wastes is little.
    static let largeCount = 1 << 20

    /// Capacity in values.
    package let count: Int

    /// - Parameter inLargePages: asks for pages of 2 MB, which kernels walk through faster but which take memory whole:
    ///   for memory that will be used to the end, such as the activations of a network.
    /// - Throws: `ComputeError.outOfMemory`.
    package init(count: Int, inLargePages: Bool = false) throws(ComputeError) {
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

    deinit {
        if let watch { hearth_mapping_forget(watch) }
        munmap(base, byteCount)
    }

    /// Puts bytes of a file in the place of the first ones, as private memory: what is written does not reach the file.
    /// - Parameter offset: a multiple of the page size.
    /// - Returns: false where the system refuses; the bytes are then zeros.
    func map(byteCount count: Int, descriptor: Int32, offset: Int) -> Bool {
        guard count > 0 else { return true }
        guard count <= byteCount, offset >= 0, let start = off_t(exactly: offset) else { return false }
        var flags = MAP_PRIVATE | MAP_FIXED
        #if os(Linux)
        // All of it is about to be read.
        flags |= Int32(MAP_POPULATE)
        #endif
        unwatch()
        // Before the file's bytes are there: a page of them may be missing at any time. Memory without a file never is.
        watch = hearth_mapping_watch(base, count, true)
        if mmap(base, count, PROT_READ | PROT_WRITE, flags, descriptor, start) == UnsafeMutableRawPointer(base) {
            mappedCount = count
            return true
        }
        // Whatever became of the old pages, there have to be some.
        mappedCount = count
        unmap()
        return false
    }

    /// Whether the file's bytes were missing when they were wanted: what `map` put here is zeros now.
    var isLost: Bool { watch.map { hearth_mapping_is_lost($0) } ?? false }

    /// Puts zeros in the place of what `map` put here.
    func unmap() {
        guard mappedCount > 0 else { return }
        _ = mmap(base, mappedCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
        mappedCount = 0
        unwatch()
    }

    /// Gives all pages back: they are zeros, and take no memory until they are written again.
    func discard() {
        _ = mmap(base, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
        mappedCount = 0
        unwatch()
    }

    private func unwatch() {
        if let watch { hearth_mapping_forget(watch) }
        watch = nil
    }
}
