#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Requests to the system about pages of the map.
extension MappedFile {
    package enum Advice {
        case normal, random, notNeeded

        fileprivate var value: Int32 {
            switch self {
            case .normal: MADV_NORMAL
            case .random: MADV_RANDOM
            case .notNeeded: MADV_DONTNEED
            }
        }
    }

    /// Whether the page at `offset` is in memory; true if the system does not say.
    package func isResident(at offset: Int) -> Bool {
        let start = min(max(offset, 0), count - 1) / Self.page * Self.page
        #if canImport(Darwin)
        var state: CChar = 0
        #else
        var state: UInt8 = 0
        #endif
        guard mincore(UnsafeMutableRawPointer(mutating: base + start), 1, &state) == 0 else { return true }
        return state & 1 != 0
    }

    package func advise(_ range: Range<Int>, _ advice: Advice) {
        let (start, length) = pages(range)
        guard length > 0 else { return }
        _ = madvise(UnsafeMutableRawPointer(mutating: base + start), length, advice.value)
    }

    /// Asks the disk for bytes without waiting for them.
    package func readAhead(offset: Int, count: Int) {
        #if os(Linux)
        guard fileDescriptor >= 0 else {
            _ = madvise(
                UnsafeMutableRawPointer(mutating: base + pages(offset..<offset + count).0), count, MADV_WILLNEED)
            return
        }
        // In parts: the kernel takes no more than it would read ahead by itself at a time.
        let part = 2 << 20
        for start in stride(from: offset, to: offset + count, by: part) {
            _ = posix_fadvise(
                fileDescriptor, off_t(start), off_t(min(part, offset + count - start)), POSIX_FADV_WILLNEED)
        }
        #else
        _ = madvise(UnsafeMutableRawPointer(mutating: base + pages(offset..<offset + count).0), count, MADV_WILLNEED)
        #endif
    }

    /// Waits until a range is in memory, and maps it.
    /// - Returns: false if the file no longer has those bytes.
    package func populate(_ range: Range<Int>) -> Bool {
        let (start, length) = pages(range)
        guard length > 0 else { return true }
        #if os(Linux)
        let populateRead: Int32 = 22  // MADV_POPULATE_READ, Linux 5.14
        if madvise(UnsafeMutableRawPointer(mutating: base + start), length, populateRead) == 0 { return true }
        // EFAULT replaces what would otherwise be a bus error.
        guard errno == EINVAL else { return errno != EFAULT }
        #endif
        guard isIntact else { return false }
        var sum: UInt8 = 0
        for offset in stride(from: start, to: start + length, by: Self.page) {
            sum &+= base.load(fromByteOffset: offset, as: UInt8.self)
        }
        return withExtendedLifetime(sum) { true }
    }

    /// The system's page size in bytes.
    package static let page = Int(getpagesize())

    private func pages(_ range: Range<Int>) -> (Int, Int) {
        let start = max(0, range.lowerBound) / Self.page * Self.page
        return (start, min(count, range.upperBound) - start)
    }
}
