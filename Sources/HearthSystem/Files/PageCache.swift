#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Which of a file's pages the system keeps in memory.
package enum PageCache {
    /// How much of a file is in memory, 0 to 1; nil if the system does not say, and for an empty file.
    ///
    /// Of files above 128 MB this looks at 512 evenly spread pieces of 64 pages: measuring a start must not make it slower.
    ///
    /// Linux reports it only for files that the caller owns or may write to, and calls all others resident.
    package static func residentFraction(_ path: String) -> Double? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        let size = Int(status.st_size)
        guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), start != MAP_FAILED else { return nil }
        defer { _ = munmap(start, size) }
        let page = Int(getpagesize())
        let piece = 64
        var seen = 0, resident = 0
        var states = [UInt8](repeating: 0, count: piece)
        let pages = (size + page - 1) / page
        let pieces = (pages + piece - 1) / piece, looked = min(pieces, 512)
        for index in 0..<looked {
            let first = pieces * index / looked * piece
            let bytes = min(piece * page, size - first * page)
            let count = (bytes + page - 1) / page
            let known = states.withUnsafeMutableBufferPointer { buffer -> Bool in
                guard let base = buffer.baseAddress else { return false }
                #if canImport(Darwin)
                return base.withMemoryRebound(to: CChar.self, capacity: count) {
                    mincore(start + first * page, bytes, $0) == 0
                }
                #else
                return mincore(start + first * page, bytes, base) == 0
                #endif
            }
            guard known else { return nil }
            seen += count
            resident += states[..<count].count { $0 & 1 != 0 }
        }
        return Double(resident) / Double(seen)
    }

    /// Asks the system to drop a file's pages, and checks whether it did. Needs no rights beyond reading the file, and
    /// has no effect on what another process has mapped or on files that live in memory.
    /// - Returns: whether at most a twentieth of the file is left in memory.
    package static func drop(_ path: String) -> Bool {
        #if canImport(Darwin)
        // There is no such call here.
        return (residentFraction(path) ?? 1) <= 0.05
        #else
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        // What was written and is not on the disk yet cannot be dropped.
        _ = fsync(file)
        _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        _ = close(file)
        return (residentFraction(path) ?? 0) <= 0.05
        #endif
    }
}
