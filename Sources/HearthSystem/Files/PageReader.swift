internal import Foundation
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Brings the pages of a mapped file into memory, in the order in which they will be used, ahead of the threads that compute with
/// them.
///
/// Left to page faults, a cold file is read in pieces, from several threads, as rows happen to be touched. Here one
/// thread asks the disk for some tens of megabytes in advance and then maps piece after piece; computing waits for the
/// group of bytes that it needs next, and for nothing else. Pages that are in memory already cost a few milliseconds a
/// gigabyte, less than the page faults that are saved.
package final class PageReader: Sendable {
    private struct Piece: Sendable {
        var offset: Int
        var count: Int
        /// The group that is complete after this piece; -1 if none is.
        var completes: Int
    }

    private let file: MappedFile
    private let pieces: [Piece]
    /// Ranges whose rows may be requested one by one before the range is read.
    private let scattered: [Range<Int>]
    /// Ranges of which only single rows are ever read.
    private let sparse: [Range<Int>]
    private let groups: Int
    /// All pieces together.
    package let byteCount: Int

    private let groupsDone = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let stopped = Atomic<Bool>(false)
    private let condition = NSCondition()

    /// Measured on an NVMe disk of a virtual machine: 8 MB a piece with 32 MB asked for in advance brought in 1.7 GB/s, the
    /// kernel's own read-ahead 1.3, plain reads 0.9.
    private static let pieceBytes = 8 << 20
    private static let piecesAhead = 4

    /// - Parameters:
    ///   - groups: the ranges that are needed together, in the order in which they are needed.
    ///   - scattered: ranges of which single rows are read early.
    ///   - sparse: ranges of which only single rows are ever read: they are not brought in.
    /// - Returns: nil for content that is not a file.
    package init?(
        file: MappedFile, groups: [[Range<Int>]], scattered: [Range<Int>] = [], sparse: [Range<Int>] = []
    ) {
        guard file.isMapped, file.count > 0 else { return nil }
        let page = 4096
        var pieces: [Piece] = []
        for (index, group) in groups.enumerated() {
            for range in Self.joined(group, in: file.count, page: page) {
                for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceBytes) {
                    pieces.append(
                        Piece(offset: start, count: min(Self.pieceBytes, range.upperBound - start), completes: -1))
                }
            }
            if !pieces.isEmpty { pieces[pieces.count - 1].completes = index }
        }
        self.file = file
        self.pieces = pieces
        self.scattered = scattered
        self.sparse = sparse
        self.groups = groups.count
        byteCount = pieces.reduce(0) { $0 + $1.count }
    }

    /// Ranges on whole pages, neighbours as one.
    private static func joined(_ ranges: [Range<Int>], in size: Int, page: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            let start = max(0, range.lowerBound) / page * page
            let end = min(size, (range.upperBound + page - 1) / page * page)
            guard start < end else { continue }
            if let last = result.last, start <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                result.append(start..<end)
            }
        }
        return result
    }

    /// Starts reading on its own thread. Called once.
    package func start() {
        Thread.detachNewThread { [self] in run() }
    }

    /// Asks the disk for a few pages that are wanted soon, without waiting for them.
    package func willRead(_ range: Range<Int>) {
        guard !file.isResident(at: range.lowerBound) || !file.isResident(at: range.upperBound - 1) else { return }
        file.readAhead(offset: range.lowerBound, count: range.count)
    }

    /// Removes the sparse ranges from this process's memory. Some systems map megabytes around a single row; if the row is needed
    /// again, it is in the system's cache.
    package func letGo() {
        for range in sparse { file.advise(range, .notNeeded) }
    }

    /// Ends the reading soon, and all waiting at once.
    package func stop() {
        stopped.store(true, ordering: .relaxed)
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Bytes that are in memory by now.
    package var bytesDone: Int { bytes.load(ordering: .relaxed) }

    /// Whether all groups are in memory, or the reader has ended.
    package var isFinished: Bool { groupsDone.load(ordering: .acquiring) >= groups }

    /// Returns when a group is in memory, or when `isCancelled` says so (it is asked every few milliseconds).
    @inline(__always)
    package func wait(for group: Int, isCancelled: () -> Bool) {
        if groupsDone.load(ordering: .acquiring) <= group { sleep(until: group, isCancelled) }
    }

    private func sleep(until group: Int, _ isCancelled: () -> Bool) {
        condition.lock()
        defer { condition.unlock() }
        while groupsDone.load(ordering: .acquiring) <= group, !stopped.load(ordering: .relaxed), !isCancelled() {
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.005))
        }
    }

    private func run() {
        defer { finish(group: groups) }
        // Read-ahead around such a row would read pages that are not needed.
        for range in sparse { file.advise(range, .random) }
        let isCold = !pieces.allSatisfy { file.isResident(at: $0.offset + $0.count / 2) }
        // Read-ahead around a single row would read megabytes that are not needed yet.
        if isCold { for range in scattered { file.advise(range, .random) } }
        defer { if isCold { for range in scattered { file.advise(range, .normal) } } }
        var asked = 0
        for (index, piece) in pieces.enumerated() {
            if stopped.load(ordering: .relaxed) { return }
            while isCold, asked < min(index + Self.piecesAhead + 1, pieces.count) {
                file.readAhead(offset: pieces[asked].offset, count: pieces[asked].count)
                asked += 1
            }
            let range = piece.offset..<piece.offset + piece.count
            if isCold, scattered.contains(where: { $0.overlaps(range) }) { file.advise(range, .normal) }
            // The file was truncated; the next access to the missing part reports it.
            guard file.populate(range) else { return }
            bytes.add(piece.count, ordering: .relaxed)
            if piece.completes >= 0 { finish(group: piece.completes + 1) }
        }
    }

    private func finish(group: Int) {
        groupsDone.store(max(group, groupsDone.load(ordering: .relaxed)), ordering: .releasing)
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }
}
