#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension MappedFile {
    /// What `bringIn` does at a time: long enough for a disk to be at its best, and a few milliseconds of work.
    public static let pagingChunk = 4 << 20

    /// Brings bytes into memory in order, so that whoever reads them next does not wait for a disk page by page.
    ///
    /// The system may still drop them again when it is short of memory: they are the file's own pages.
    ///
    /// - Parameters:
    ///   - range: within the file; what lies outside is left out.
    ///   - willContinue: called before each chunk with the bytes of `range` that are in; may throw to end it.
    public func bringIn(_ range: Range<Int>, willContinue: (Int) throws -> Void) rethrows {
        let range = range.clamped(to: 0..<count)
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        var sum: UInt8 = 0
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pagingChunk) {
            try willContinue(start - range.lowerBound)
            let end = min(start + Self.pagingChunk, range.upperBound)
            // The disk works on the next chunk while this one is mapped.
            advise(end..<min(end + Self.pagingChunk, count), page: page)
            for offset in stride(from: start, to: end, by: page) { sum &+= base.load(fromByteOffset: offset, as: UInt8.self) }
        }
        withExtendedLifetime(sum) {}
        try willContinue(range.count)
    }

    private func advise(_ range: Range<Int>, page: Int) {
        guard !range.isEmpty else { return }
        let first = range.lowerBound / page * page
        let start = UnsafeMutableRawPointer(mutating: base + first)
        _ = madvise(start, range.upperBound - first, Int32(MADV_WILLNEED))
    }
}
