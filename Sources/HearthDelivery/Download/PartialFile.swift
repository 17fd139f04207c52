internal import Foundation
package import HearthSystem

/// The file that a download is written to, with everything that is needed to resume it after the process has died.
///
/// Bytes may arrive in any order. The digest covers the contiguous bytes from the start: it is computed from memory as they
/// arrive, or from the file (still in the page cache) if they arrived earlier. Used by one thread.
package final class PartialFile {
    let path: String
    private(set) var header: PartialJournal.Header
    /// What has arrived.
    private(set) var ranges: ByteRanges
    private let files: any FileOperations
    private let journalPath: String
    private let file: OpenFile
    private let journal: OpenFile
    private var journalEnd: Int
    private var hash: SHA256? = SHA256()
    private var hashed = 0
    private let checkpoint: PartialCheckpoint
    private var isClosed = false

    /// Starts an empty file with a unique name.
    package init(new place: PartialPlace, files: any FileOperations, limits: DeliveryLimits) throws(FileFailure) {
        self.files = files
        checkpoint = PartialCheckpoint(limits, files: files)
        let token = PartialPlace.newToken()
        path = place.part(token)
        journalPath = place.journal(token)
        header = .init(boot: place.boot, part: place.partName(token), source: "", total: nil, validator: nil)
        ranges = ByteRanges()
        journalEnd = 0
        file = try files.open(path, .createNew, permissions: 0o644)
        do {
            journal = try files.open(journalPath, .createNew, permissions: 0o644)
        } catch {
            files.close(file)
            try? files.unlink(path)
            throw error
        }
    }

    /// Takes over a partial file that an earlier run left.
    init(
        adopting left: PartialPlace.Leftover, place: PartialPlace, files: any FileOperations, limits: DeliveryLimits
    ) throws(FileFailure) {
        self.files = files
        checkpoint = PartialCheckpoint(limits, files: files)
        path = left.part
        journalPath = place.journal(PartialPlace.newToken())
        header = left.journal.header
        header.boot = place.boot
        ranges = left.journal.ranges
        journalEnd = left.journal.length
        // If two processes want it, one of them gets it.
        try files.rename(left.journalPath, to: journalPath)
        file = try files.open(path, .update, permissions: 0)
        do {
            journal = try files.open(journalPath, .update, permissions: 0)
        } catch {
            files.close(file)
            throw error
        }
        try files.truncate(journal, to: journalEnd)
        try note(PartialJournal.line(header))
    }

    /// Sets the file that the following bytes belong to.
    package func describe(source: String, total: Int?, validator: EntityValidator?) throws(FileFailure) {
        var new = header
        new.source = source
        new.total = total
        new.validator = validator
        if new == header, journalEnd > 0 { return }
        header = new
        try note(PartialJournal.line(header))
    }

    /// Writes bytes that have arrived.
    package func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(FileFailure) {
        guard !bytes.isEmpty else { return }
        try files.writeAll(bytes, to: file, at: position)
        ranges.insert(position..<position + bytes.count)
        try note("w \(position) \(bytes.count)\n")
        if position == hashed {
            hash?.update(bytes)
            hashed += bytes.count
        }
    }

    /// Updates the digest with at most `limit` further bytes.
    /// - Returns: whether it covers all contiguous bytes.
    func followFront(limit: Int) throws(FileFailure) -> Bool {
        let end = min(ranges.front, hashed + limit)
        if hashed < end {
            try read(hashed..<end) { hash?.update($0) }
            hashed = end
        }
        return hashed == ranges.front
    }

    /// The digest of the whole file, once.
    func digest() throws(FileFailure) -> String {
        while try !followFront(limit: .max / 2) {}
        let digest = hash.take()?.finalize() ?? ""
        hash = SHA256()
        hashed = 0
        return digest
    }

    /// The digest of a part.
    func digest(of range: Range<Int>) throws(FileFailure) -> String {
        var hash = SHA256()
        try read(range) { hash.update($0) }
        return hash.finalize()
    }

    /// The first bytes, as many as there are.
    func start(_ count: Int) throws(FileFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(0..<min(count, ranges.front)) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Marks bytes that turned out to be wrong as missing.
    func drop(_ range: Range<Int>) throws(FileFailure) {
        try note("d \(range.lowerBound) \(range.count)\n")
        // Recorded before anything is written there, so that an earlier line cannot make the wrong bytes count again.
        try files.synchronize(journal)
        ranges.remove(range)
        hash = SHA256()
        hashed = 0
    }

    /// Flushes what has arrived to the disk from time to time, on another thread, so that a power loss costs little.
    package func checkpointIfDue(now: Double) throws(FileFailure) {
        if let result = checkpoint.finished() {
            if let failure = result.failure { throw failure }
            if let end = result.journalEnd {
                try note("s \(end)\n")
                return checkpoint.seal(journalPath)
            }
        }
        checkpoint.startIfDue(path, journalEnd: journalEnd, bytes: ranges.count, now: now)
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        files.close(file)
        files.close(journal)
    }

    /// Closes, and removes what can be removed.
    /// - Parameter keepsFile: the file belongs to someone else now; only the journal is removed.
    func discard(keepsFile: Bool = false) {
        close()
        try? files.unlink(journalPath)
        if !keepsFile { try? files.unlink(path) }
    }

    private func note(_ line: String) throws(FileFailure) {
        let bytes = Array(line.utf8)
        try files.writeAll(bytes, to: journal, at: journalEnd)
        journalEnd += bytes.count
    }

    private func read(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) throws(FileFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(1 << 18, max(range.count, 1)), alignment: 64)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(buffer.count, range.upperBound - position)])
            let count = try files.read(into: part, from: file, at: position)
            // Shorter than what was written: another process has changed it.
            guard count > 0 else { throw FileFailure(operation: "read", path: path, code: EIO) }
            body(UnsafeRawBufferPointer(rebasing: part[..<count]))
            position += count
        }
    }
}
