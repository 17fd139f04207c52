internal import HearthCompute
internal import HearthFormats
internal import HearthSystem

/// What a session computed of a text, in a file: resuming reads it instead of computing it again.
///
/// Only ever a shortcut. A file that is missing, damaged or of something else is as good as none: it is looked at from the
/// first byte to the last, and its rows count for nothing until its digest has proved right. All numbers are little-endian.
///
///     0   magic, 8 bytes              112  tokens, 4 bytes
///     8   version, 4 bytes            116  positions written, 4 bytes
///     12  caches, 4 bytes             120  for each cache: window, capacity, heads and their width, 4 bytes each
///     16  length of the file, 8 bytes      tokens, 4 bytes each
///     24  model, 64 bytes                  for each cache: rows of keys, rows of values, float32
///     88  kernel set, 16 bytes             SHA-256 of all before it, 64 hexadecimal digits
///     104 context, 4 bytes
///     108 tokens in a step, 4 bytes
struct CacheSnapshot: Sendable {
    /// Why a file was of no use.
    enum Problem: Error, Equatable {
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

    let path: String
    private let files = SystemFiles()
    private var temporary: String { path + ".tmp" }

    /// So much is read or written between two looks at whether to stop: a millisecond or two.
    private static let piece = 1 << 20
    static let magic = Array("HEARTHKV".utf8)
    static let version: UInt32 = 2
    static let fixedBytes = 120
    static let digestBytes = 64

    init(path: String) { self.path = path }

    // MARK: - Writing

    /// Writes what `session` holds; after a crash there is the old file or the new one.
    ///
    /// - Throws: `FileFailure`, or `Problem.stopped` as soon as `mustStop` says so. The old file then stays.
    func save(_ session: GemmaSession, of model: LanguageModel, mustStop: () -> Bool) throws {
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

    private func write(
        _ session: GemmaSession, _ model: LanguageModel, to file: OpenFile, _ mustStop: () -> Bool
    ) throws {
        var hash = SHA256()
        var position = 0
        let tokens = session.held
        let layout = Layout(session, model, tokens: tokens.count, written: session.written)
        try (layout.head + tokens.flatMap { littleEndian(UInt32(bitPattern: $0)) }).withUnsafeBytes {
            hash.update($0)
            try files.writeAll($0, to: file, at: position)
            position += $0.count
        }
        for cache in session.caches {
            try cache.withBytes(ofRows: session.written) { rows in
                try Self.forEachPiece(of: rows, mustStop) { piece in
                    hash.update(UnsafeRawBufferPointer(piece))
                    try files.writeAll(UnsafeRawBufferPointer(piece), to: file, at: position)
                    position += piece.count
                }
            }
        }
        try files.writeAll(Array(hash.finalize().utf8), to: file, at: position)
    }

    // MARK: - Reading

    /// Fills the caches of `session` with a beginning of `text`, unless the session knows as much of it already.
    ///
    /// - Returns: tokens that the file holds.
    /// - Throws: `Problem`; the session is then as it was, or empty.
    func restore(
        _ text: [TokenID], into session: GemmaSession, of model: LanguageModel, mustStop: () -> Bool
    ) throws(Problem) -> Int {
        do {
            // Opening what is no file, such as a pipe, may wait for ever.
            guard let status = try files.status(path) else { throw Problem.missing }
            guard status.kind == .file else { throw Problem.unreadable("no file") }
            let file = try files.open(path, .read, permissions: 0)
            defer { files.close(file) }
            return try read(file, text, session, model, mustStop)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private func read(
        _ file: OpenFile, _ text: [TokenID], _ session: GemmaSession, _ model: LanguageModel, _ mustStop: () -> Bool
    ) throws -> Int {
        let fixed = try bytes(file, at: 0, count: Self.fixedBytes)
        let (tokens, written) = try Layout.counts(fixed)
        // A step that was thrown away may have been written beyond the tokens; nothing else can be.
        guard tokens > 0, tokens <= session.context, written >= tokens, written <= session.context,
            written - tokens <= session.maximumStep
        else { throw Problem.damaged }
        let layout = Layout(session, model, tokens: tokens, written: written)
        try layout.check(fixed)
        guard tokens <= text.count else { throw Problem.otherText }
        guard try files.status(of: file).size == layout.length else { throw Problem.damaged }

        let rest = try bytes(file, at: fixed.count, count: layout.head.count - fixed.count + 4 * tokens)
        guard rest.starts(with: layout.head[fixed.count...]) else { throw Problem.otherShape }
        let found = rest[(layout.head.count - fixed.count)...]
        guard found.elementsEqual(text[..<tokens].lazy.flatMap { littleEndian(UInt32(bitPattern: $0)) }) else {
            throw Problem.otherText
        }
        guard session.known(of: text) < min(tokens, text.count - 1) else { return tokens }

        var hash = SHA256()
        hash.update(fixed)
        hash.update(rest)
        // The rows go where they belong at once. Until the digest is known nobody reads them.
        session.reset()
        var position = fixed.count + rest.count
        for cache in session.caches {
            try cache.withBytes(ofRows: written) { rows in
                try Self.forEachPiece(of: rows, mustStop) { piece in
                    guard try files.readFully(into: piece, from: file, at: position) == piece.count else {
                        throw Problem.damaged
                    }
                    hash.update(UnsafeRawBufferPointer(piece))
                    position += piece.count
                }
            }
        }
        guard try bytes(file, at: position, count: Self.digestBytes) == Array(hash.finalize().utf8) else {
            throw Problem.damaged
        }
        session.take(text[..<tokens], written: written)
        return tokens
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
    func remove() {
        try? files.unlink(path)
        try? files.unlink(temporary)
    }
}

// MARK: - In a generation

extension CacheSnapshot {
    /// Restores what can be restored.
    /// - Returns: tokens that the file holds; 0 where it is of no use.
    func bringBack(
        _ text: [TokenID], into session: GemmaSession, of model: LanguageModel, mustStop: () -> Bool
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
    func keep(_ session: GemmaSession, beyond stored: Int, of model: LanguageModel, mustStop: () -> Bool) {
        guard session.held.count > stored else { return }
        let interval = Trace.shared.begin("cache snapshot: write")
        defer { Trace.shared.end(interval) }
        do {
            try save(session, of: model, mustStop: mustStop)
        } catch {
            Trace.shared.event("cache snapshot: not written", ["reason": "\(error)"])
        }
    }
}

/// The beginning of a snapshot, as it has to be for a session of a model.
private struct Layout {
    /// Everything in front of the tokens.
    private(set) var head: [UInt8]
    /// Bytes of the file.
    private(set) var length: Int

    init(_ session: GemmaSession, _ model: LanguageModel, tokens: Int, written: Int) {
        let table = session.caches.flatMap { cache in
            [cache.window, cache.capacity, cache.heads, cache.headWidth].flatMap { littleEndian(UInt32($0)) }
        }
        length = CacheSnapshot.fixedBytes + table.count + 4 * tokens + CacheSnapshot.digestBytes
        for cache in session.caches { length += 2 * cache.byteCount(ofRows: written) }

        head = CacheSnapshot.magic + littleEndian(CacheSnapshot.version)
        head += littleEndian(UInt32(session.caches.count)) + littleEndian(UInt64(length))
        head += Array(model.identity.utf8)
        let kernels = session.compute.kernels.name.utf8.prefix(16)
        head += kernels + [UInt8](repeating: 0, count: 16 - kernels.count)
        for number in [session.context, session.maximumStep, tokens, written] {
            head += littleEndian(UInt32(number))
        }
        head += table
    }

    /// - Throws: `Problem.otherFormat`.
    static func counts(_ fixed: [UInt8]) throws(CacheSnapshot.Problem) -> (tokens: Int, written: Int) {
        guard fixed[..<8].elementsEqual(CacheSnapshot.magic),
            fixed[8..<12].elementsEqual(littleEndian(CacheSnapshot.version))
        else { throw .otherFormat }
        func number(_ at: Int) -> Int { fixed[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        return (number(112), number(116))
    }

    /// Compares what a file says with what it has to say.
    func check(_ fixed: [UInt8]) throws(CacheSnapshot.Problem) {
        func isEqual(_ range: Range<Int>) -> Bool { fixed[range] == head[range] }
        guard isEqual(24..<88) else { throw .otherModel }
        guard isEqual(88..<104) else { throw .otherKernels }
        guard isEqual(12..<16), isEqual(104..<112) else { throw .otherShape }
        guard isEqual(16..<24) else { throw .damaged }
    }
}

private func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
