internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// A file with the KV cache of a session, which resuming reads or maps instead of recomputing it.
///
/// It is only an optimisation: a file that is missing, damaged or of another text is ignored, and rows are not used before the
/// digest has been verified. All numbers are little-endian; rows are stored as in memory, aligned to pages.
///
///     0   magic, 8 bytes              112  tokens, 4 bytes
///     8   version, 4 bytes            116  positions written, 4 bytes
///     12  caches, 4 bytes             120  for each cache: window, capacity, heads, their width, bytes of a row of keys:
///     16  length of the file, 8 bytes      4 bytes each
///     24  model with adapters, 64          tokens, 4 bytes each
///     88  kernel set, 16 bytes             SHA-256 of all before it, 64 hexadecimal digits; zeros up to a whole page
///     104 context, 4 bytes                 for each cache: rows of keys, then rows of values, each up to a whole page
///     108 tokens in a step, 4 bytes        SHA-256 of all before it
package struct KVCacheSnapshot: Sendable {
    /// Why a file cannot be used.
    package enum Problem: Error, Equatable {
        /// There is no file.
        case missing
        /// The system cannot open or read it.
        case unreadable(String)
        /// Not a snapshot, or one of another version.
        case otherFormat
        /// Made by another model, by other kernels, or for caches of another shape.
        case otherModel, otherKernels, otherShape
        /// The file's text differs from the session's.
        case otherText
        /// A length or the digest is wrong.
        case damaged
        /// The generation was stopped in the meantime.
        case stopped
    }

    package let path: String
    private let files = SystemFiles()
    private var temporary: String { path + ".tmp" }

    /// Bytes read or written between checks for cancellation; takes a millisecond or two.
    private static let piece = 1 << 20
    static let magic = Array("HEARTHKV".utf8)
    /// Incremented when the layout changes, or when a kernel set's results change.
    package static let version: UInt32 = 4
    package static let fixedBytes = 120
    package static let digestBytes = 64
    /// The largest page size of any supported system.
    package static let pageBytes = 16 << 10

    /// Rounds up to whole pages.
    static func padded(_ count: Int) -> Int { (count + pageBytes - 1) / pageBytes * pageBytes }

    package init(path: String) { self.path = path }

    // MARK: - Writing

    /// Saves the session's KV cache. The write is atomic: after a crash there is either the old file or the new one.
    ///
    /// - Throws: `FileFailure`, or `Problem.stopped` as soon as `mustStop` returns true. The old file is kept then.
    package func save(_ session: GemmaSession, of model: TextModel, mustStop: () -> Bool) throws {
        if let slash = path.lastIndex(of: "/") { try files.makeFolders(String(path[..<slash]), permissions: 0o700) }
        // A fixed name, so that interrupted writes leave at most one file behind.
        try? files.unlink(temporary)
        // Readable by the owner only, like the text.
        let file = try files.open(temporary, .createNew, permissions: 0o600)
        do {
            defer { files.close(file) }
            try write(session, model, to: file, mustStop)
            try files.synchronize(file)
            try files.rename(temporary, to: path)
        } catch {
            try? files.unlink(temporary)
            throw error
        }
        if let slash = path.lastIndex(of: "/") { try files.synchronizeFolder(String(path[..<slash])) }
    }

    /// Writes the whole snapshot to an open file.
    func write(
        _ session: GemmaSession, _ model: TextModel, to file: OpenFile, _ mustStop: () -> Bool
    ) throws {
        var out = Writer(files: files, file: file)
        let layout = KVCacheSnapshotLayout(session, model, tokens: session.held.count, written: session.written)
        let head = layout.head + session.held.flatMap { littleEndian(UInt32(bitPattern: $0)) }
        try (head + Array(SHA256.digest(of: head).utf8)).withUnsafeBytes { try out.write($0) }
        try out.fillPage()
        for cache in session.caches {
            try cache.withBytes(ofRows: session.written) { rows in
                try Self.forEachPiece(of: rows, mustStop) { try out.write(UnsafeRawBufferPointer($0)) }
                try out.fillPage()
            }
        }
        try out.finish()
    }

    // MARK: - Reading

    /// How rows are loaded into a session.
    package enum Manner {
        /// Copied; every byte is read and verified.
        case read
        /// Mapped: pages are read on access.
        case map(isTrusted: Bool)
    }

    /// Fills the caches of `session` with a prefix of `text`, unless the session already holds as much of it.
    ///
    /// - Parameter text: nil for whatever text the file contains.
    /// - Returns: the number of tokens in the file.
    /// - Throws: `Problem`; the session is then unchanged, or empty.
    package func restore(
        _ text: [TokenID]?, into session: GemmaSession, of model: TextModel, _ manner: Manner = .read,
        mustStop: () -> Bool
    ) throws(Problem) -> Int {
        // A GPU has its own cache.
        guard !session.isOnGPU else { throw .stopped }
        do {
            // Opening something other than a regular file, such as a pipe, may block forever.
            guard let status = try files.status(path) else { throw Problem.missing }
            guard status.kind == .file else { throw Problem.unreadable("no file") }
            let file = try files.open(path, .read, permissions: 0)
            defer { files.close(file) }
            return try read(file, text, session, model, manner, mustStop)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private func read(
        _ file: OpenFile, _ wanted: [TokenID]?, _ session: GemmaSession, _ model: TextModel, _ manner: Manner,
        _ mustStop: () -> Bool
    ) throws -> Int {
        let fixed = try bytes(file, at: 0, count: Self.fixedBytes)
        let (tokens, written) = try KVCacheSnapshotLayout.counts(fixed)
        // A discarded step may have written beyond the tokens; nothing else can.
        guard tokens > 0, tokens <= session.context, written >= tokens, written <= session.context,
            written - tokens <= session.maximumStep
        else { throw Problem.damaged }
        let layout = KVCacheSnapshotLayout(session, model, tokens: tokens, written: written)
        try layout.check(fixed)
        guard tokens <= wanted?.count ?? tokens else { throw Problem.otherText }
        guard try files.status(of: file).size == layout.length else { throw Problem.damaged }

        let headCount = layout.head.count + 4 * tokens
        let start = try bytes(file, at: 0, count: Self.padded(headCount + Self.digestBytes))
        guard start.starts(with: fixed) else { throw Problem.damaged }
        guard start[fixed.count...].starts(with: layout.head[fixed.count...]) else { throw Problem.otherShape }
        let found = start[layout.head.count..<headCount]
        let text = wanted ?? Self.tokens(found)
        guard found.elementsEqual(text[..<tokens].lazy.flatMap { littleEndian(UInt32(bitPattern: $0)) }) else {
            throw Problem.otherText
        }
        guard SHA256.digest(of: start[..<headCount]).utf8.elementsEqual(start[headCount...].prefix(Self.digestBytes))
        else { throw Problem.damaged }
        guard session.known(of: text) < min(tokens, text.count - 1) else { return tokens }

        var origin: MappedRows?
        if case .map = manner {
            // Opened before any row is read, so that later modification is detected.
            origin = MappedRows(file.descriptor)
            guard origin != nil else { throw Problem.unreadable("no descriptor is left") }
        }
        // Rows are loaded straight into the caches; they are not used until the digest has been verified.
        session.reset()
        var hash = SHA256()
        hash.update(start)
        let end = try takeRows(file, start.count, written, session, manner, &hash, mustStop)
        if case .map(isTrusted: true) = manner {
        } else {
            guard try bytes(file, at: end, count: Self.digestBytes) == Array(hash.finalize().utf8) else {
                throw Problem.damaged
            }
        }
        session.take(text[..<tokens], written: written, from: origin)
        return tokens
    }

    /// - Returns: the offset of the rows' end in the file.
    private func takeRows(
        _ file: OpenFile, _ first: Int, _ written: Int, _ session: GemmaSession, _ manner: Manner, _ hash: inout SHA256,
        _ mustStop: () -> Bool
    ) throws -> Int {
        var position = first
        for cache in session.caches {
            let count = cache.byteCount(ofRows: written), stride = Self.padded(count)
            if case .map(let isTrusted) = manner {
                guard cache.map(rows: written, descriptor: file.descriptor, offset: position, stride: stride) else {
                    throw Problem.unreadable("cannot be mapped")
                }
                if isTrusted {
                    position += 2 * stride
                    continue
                }
            }
            try cache.withBytes(ofRows: written) { rows in
                var done = position
                try Self.forEachPiece(of: rows, mustStop) { piece in
                    if case .read = manner {
                        guard try files.readFully(into: piece, from: file, at: done) == piece.count else {
                            throw Problem.damaged
                        }
                    }
                    hash.update(UnsafeRawBufferPointer(piece))
                    done += piece.count
                }
                hash.update(try bytes(file, at: done, count: stride - count))
                position += stride
            }
        }
        return position
    }

    private static func tokens(_ bytes: ArraySlice<UInt8>) -> [TokenID] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { at in
            TokenID(bitPattern: bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
    }

    private func bytes(_ file: OpenFile, at position: Int, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { try files.readFully(into: $0, from: file, at: position) }
        guard found == count else { throw Problem.damaged }
        return bytes
    }

    private static func forEachPiece(
        of rows: UnsafeMutableRawBufferPointer, _ mustStop: () -> Bool,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        for first in stride(from: 0, to: rows.count, by: piece) {
            if mustStop() { throw Problem.stopped }
            try body(UnsafeMutableRawBufferPointer(rebasing: rows[first..<min(first + piece, rows.count)]))
        }
    }

    /// Removes the file, and any temporary file of an interrupted write.
    package func remove() {
        try? files.unlink(path)
        try? files.unlink(temporary)
    }
}

// MARK: - In a generation

extension KVCacheSnapshot {
    /// Restores as much as possible.
    /// - Returns: the number of tokens in the file; 0 if it cannot be used.
    func bringBack(
        _ text: [TokenID], into session: GemmaSession, of model: TextModel, mustStop: () -> Bool
    ) -> Int {
        let interval = Trace.shared.begin("cache snapshot: read")
        defer { Trace.shared.end(interval) }
        do {
            let tokens = try restore(text, into: session, of: model, mustStop: mustStop)
            Trace.shared.event("cache snapshot: used", ["tokens": "\(tokens)"])
            return tokens
        } catch {
            Trace.shared.event("cache snapshot: of no use", ["reason": "\(error)"])
            return 0
        }
    }

    /// Saves the session's KV cache if it holds more tokens than the file. Errors, such as a full disk, are ignored.
    func keep(_ session: GemmaSession, beyond stored: Int, of model: TextModel, mustStop: () -> Bool) {
        guard session.held.count > stored, !session.isOnGPU else { return }
        let interval = Trace.shared.begin("cache snapshot: write")
        defer { Trace.shared.end(interval) }
        do {
            try save(session, of: model, mustStop: mustStop)
        } catch {
            Trace.shared.event("cache snapshot: not written", ["reason": "\(error)"])
        }
    }
}

/// Writes bytes to a file and computes their digest.
private struct Writer: ~Copyable {
    let files: SystemFiles
    let file: OpenFile
    private var hash = SHA256()
    private var position = 0

    init(files: SystemFiles, file: OpenFile) {
        self.files = files
        self.file = file
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        hash.update(bytes)
        try files.writeAll(bytes, to: file, at: position)
        position += bytes.count
    }

    mutating func fillPage() throws {
        try [UInt8](repeating: 0, count: KVCacheSnapshot.padded(position) - position).withUnsafeBytes { try write($0) }
    }

    /// Appends the digest of everything written.
    consuming func finish() throws {
        let (files, file, position) = (files, file, position)
        try files.writeAll(Array(hash.finalize().utf8), to: file, at: position)
    }
}
