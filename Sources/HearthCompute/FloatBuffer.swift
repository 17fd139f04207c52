internal import CHearthSystem

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A fixed number of float32 values, initially zero, on whole pages. Pages never written take no memory, so a cache may be
/// created for a long context and costs only what is used.
package final class FloatBuffer: @unchecked Sendable {
    // Sendable: Compute's callers run one operation at a time, which orders all writes.
    package let base: UnsafeMutablePointer<Float>
    private let byteCount: Int
    /// Watches the mapped file; see `map`.
    private var watch: OpaquePointer?
    private var mappedCount = 0

    /// Number of values (4 MB) from which 2 MB pages pay off: with smaller pages a scan would exceed the TLB, and the waste in
    /// the last page is small.
    static let largeCount = 1 << 20

    /// Capacity in values.
    package let count: Int

    /// - Parameter inLargePages: requests 2 MB pages, which are faster to scan but are allocated as a whole; for memory that
    ///   will be used completely, such as the activations of a network.
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

    /// Replaces the first bytes by a private mapping of a file; writes do not reach the file.
    /// - Parameter offset: a multiple of the page size.
    /// - Returns: false if the system refuses; the bytes are then zero.
    func map(byteCount count: Int, descriptor: Int32, offset: Int) -> Bool {
        guard count > 0 else { return true }
        guard count <= byteCount, offset >= 0, let start = off_t(exactly: offset) else { return false }
        var flags = MAP_PRIVATE | MAP_FIXED
        #if os(Linux)
        // All of it will be read soon.
        flags |= Int32(MAP_POPULATE)
        #endif
        unwatch()
        // Watch before mapping: pages of a file may turn out to be missing on any access, unlike anonymous memory.
        watch = hearth_mapping_watch(base, count, true)
        if mmap(base, count, PROT_READ | PROT_WRITE, flags, descriptor, start) == UnsafeMutableRawPointer(base) {
            mappedCount = count
            return true
        }
        // The old pages may be gone, so map anonymous ones.
        mappedCount = count
        unmap()
        return false
    }

    /// Whether pages of the file were missing on access; the mapped bytes are zero then.
    var isLost: Bool { watch.map { hearth_mapping_is_lost($0) } ?? false }

    /// Replaces the mapped bytes by zeros.
    func unmap() {
        guard mappedCount > 0 else { return }
        _ = mmap(base, mappedCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
        mappedCount = 0
        unwatch()
    }

    /// Releases all pages; they become zero and take no memory until they are written again.
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
