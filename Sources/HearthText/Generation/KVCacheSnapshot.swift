internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// What a session computed of a text, in a file: resuming reads it, or maps it, instead of computing it again.
///
/// Only ever a shortcut. A file that is missing, damaged or of something else is as good as none: its rows count for nothing
/// until its digest has proved right. All numbers are little-endian; rows lie as they do in memory, from whole pages on.
///
///     0   magic, 8 bytes              112  tokens, 4 bytes
///     8   version, 4 bytes            116  positions written, 4 bytes
///     12  caches, 4 bytes             120  for each cache: window, capacity, heads, their width, bytes of a row of keys:
///     16  length of the file, 8 bytes      4 bytes each
///     24  model, 64 bytes                  tokens, 4 bytes each
///     88  kernel set, 16 bytes             SHA-256 of all before it, 64 hexadecimal digits; zeros up to a whole page
///     104 context, 4 bytes                 for each cache: rows of keys, then rows of values, each up to a whole page
///     108 tokens in a step, 4 bytes        SHA-256 of all before it
package struct KVCacheSnapshot: Sendable {
    /// Why a file was of no use.
    package enum Problem: Error, Equatable {
        /// There is none.
        case missing
        /// The system does not give it.
        case unreadable(String)
        /// No snapshot, or one of another version.
        case otherFormat
        /// Made by another model, by other kernels, or for caches of another shape.
        case otherModel, otherKernels, otherShape
        /// It is of a text that goes on in another way.
        case otherText
        /// Lengths or digest are wrong.
        case damaged
        /// The generation was stopped meanwhile.
        case stopped
    }

    package let path: String
    private let files = SystemFiles()
    private var temporary: String { path + ".tmp" }

    /// So much is read or written between two looks at whether to stop: a millisecond or two.
    private static let piece = 1 << 20
    static let magic = Array("HEARTHKV".utf8)
    /// Raised when the layout changes, and when kernels of a name give other bits than before.
    package static let version: UInt32 = 4
    package static let fixedBytes = 120
    package static let digestBytes = 64
    /// Pages are no larger anywhere.
    package static let pageBytes = 16 << 10

    /// Up to a whole page.
    static func padded(_ count: Int) -> Int { (count + pageBytes - 1) / pageBytes * pageBytes }

    package init(path: String) { self.path = path }

    // MARK: - Writing

    /// Writes what `session` holds; after a crash there is the old file or the new one.
    ///
    /// - Throws: `FileFailure`, or `Problem.stopped` as soon as `mustStop` says so. The old file then stays.
    package func save(_ session: GemmaSession, of model: TextModel, mustStop: () -> Bool) throws {
        if let slash = path.lastIndex(of: "/") { try files.makeFolders(String(path[..<slash]), permissions: 0o700) }
        // One name, so that nothing piles up where writing was cut short.
        try? files.unlink(temporary)
        // It is as private as the text.
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

    /// Writes all of it to an open file.
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

    /// How rows come into a session.
    package enum Manner {
        /// Copied; every byte is looked at.
        case read
        /// Mapped: they come when they are wanted.
        case map(isTrusted: Bool)
    }

    /// Fills the caches of `session` with a beginning of `text`, unless the session knows as much of it already.
    ///
    /// - Parameter text: nil for whatever text the file is of.
    /// - Returns: tokens that the file holds.
    /// - Throws: `Problem`; the session is then as it was, or empty.
    package func restore(
        _ text: [TokenID]?, into session: GemmaSession, of model: TextModel, _ manner: Manner = .read,
        mustStop: () -> Bool
    ) throws(Problem) -> Int {
        // A GPU keeps its own rows.
        guard session.gpu == nil else { throw .stopped }
        do {
            // Opening what is no file, such as a pipe, may wait forever.
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
        // A step that was thrown away may have been written beyond the tokens; nothing else can be.
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
            // Before any row is looked at: what changes later is noticed.
            origin = MappedRows(file.descriptor)
            guard origin != nil else { throw Problem.unreadable("no descriptor is left") }
        }
        // The rows go where they belong at once. Until the digest is known nobody reads them.
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

    /// - Returns: where the rows end in the file.
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

    /// Removes the file, and what a write that was cut short left.
    package func remove() {
        try? files.unlink(path)
        try? files.unlink(temporary)
    }
}

// MARK: - In a generation

extension KVCacheSnapshot {
    /// Restores what can be restored.
    /// - Returns: tokens that the file holds; 0 where it is of no use.
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

    /// Saves what `session` holds, where that is more than the file does. A disk that is full is no reason to lose a text.
    func keep(_ session: GemmaSession, beyond stored: Int, of model: TextModel, mustStop: () -> Bool) {
        guard session.held.count > stored, session.gpu == nil else { return }
        let interval = Trace.shared.begin("cache snapshot: write")
        defer { Trace.shared.end(interval) }
        do {
            try save(session, of: model, mustStop: mustStop)
        } catch {
            Trace.shared.event("cache snapshot: not written", ["reason": "\(error)"])
        }
    }
}

/// Bytes on their way to a file, and their digest.
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

    /// The digest of all that was written.
    consuming func finish() throws {
        let (files, file, position) = (files, file, position)
        try files.writeAll(Array(hash.finalize().utf8), to: file, at: position)
    }
}
