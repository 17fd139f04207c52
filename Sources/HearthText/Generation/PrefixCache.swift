package import Dispatch
internal import Foundation
internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// The computed beginnings of texts, beside the artifact of their model: what many texts begin with (instructions, the frame of a
/// story) is computed once, and mapped by every start after that.
///
/// The folder is named by the profile, so another model, kernel set or version looks elsewhere; a file's name tells the tokens,
/// the cache's format and its shape. A file appears whole or not at all, is never changed afterwards (who has it mapped goes on with
/// it, whatever takes its name), and what is not what its name says goes. One that was written or checked since the system started
/// is taken at its word but for its header; after a restart of the system, or where the file is not the one that was checked, every
/// byte is checked once, as with artifacts. The files used last are kept, and all go when the artifact does.
package struct PrefixCache: Sendable {
    /// Of the artifact.
    package let folder: String
    /// Names the system's run.
    package var boot = BootIdentity.current
    /// Beginnings kept.
    package var mostFiles = 8
    /// Bytes of all of them.
    package var mostBytes = 512 << 20
    private let files = SystemFiles()

    /// Fewer tokens are computed faster than a file is found.
    static let fewestTokens = 32
    private static let (first, last, mark, draft) = ("prefix-", ".kv", ".checked", ".tmp")

    package init(folder: String) { self.folder = folder }

    /// Where a beginning is kept.
    package func path(of prefix: ArraySlice<TokenID>, _ session: GemmaSession) -> String {
        var hash = SHA256()
        hash.update("\(session.context)/\(session.maximumStep)/\(session.compute.kernels.name)/".utf8)
        for cache in session.caches { hash.update("\(cache.format.rawValue)/\(cache.capacity)/".utf8) }
        hash.update(prefix.flatMap { littleEndian(UInt32(bitPattern: $0)) })
        return "\(folder)/\(Self.first)\(hash.finalize().prefix(32))\(Self.last)"
    }

    // MARK: - Reading

    /// Maps what there is of a text's beginning, unless the session knows as much of it already.
    package func bringBack(
        _ prefix: ArraySlice<TokenID>, into session: GemmaSession, of model: TextModel, mustStop: () -> Bool
    ) {
        guard prefix.count >= Self.fewestTokens, session.known(of: Array(prefix)) < prefix.count - 1 else { return }
        let interval = Trace.shared.begin("prefix: map")
        defer { Trace.shared.end(interval) }
        let path = path(of: prefix, session)
        guard let status = (try? files.status(path)) ?? nil else { return }
        let isTrusted = !boot.isEmpty && (try? files.readFile(path + Self.mark, limit: 256)) == mark(of: status)
        do {
            let snapshot = KVCacheSnapshot(path: path)
            let tokens = try snapshot.restore(
                Array(prefix), into: session, of: model, .map(isTrusted: isTrusted), mustStop: mustStop)
            Trace.shared.event("prefix: used", ["tokens": "\(tokens)"])
            noteUse(path, status, isTrusted: isTrusted)
        } catch {
            Trace.shared.event("prefix: of no use", ["reason": "\(error)"])
            switch error {
            case .missing, .unreadable, .stopped: break
            // It would be checked by every start, and nothing would be written under its name.
            case .damaged, .otherFormat, .otherModel, .otherKernels, .otherShape, .otherText: remove(path)
            }
        }
    }

    /// Now and then, so that a start does not wait for a disk.
    private func noteUse(_ path: String, _ status: FileStatus, isTrusted: Bool) {
        guard let age = try? files.status(path + Self.mark)?.modified, isTrusted,
            abs(Date().timeIntervalSince1970 - age) < 3600
        else {
            return writeMark(path, status)
        }
    }

    /// What a mark says: in which run of the system which file was found sound.
    private func mark(of file: FileStatus) -> [UInt8] {
        Array("\(boot)\n\(file.inode) \(file.size) \(file.modified)\n".utf8)
    }

    private func writeMark(_ path: String, _ status: FileStatus) {
        try? files.replaceFile(path + Self.mark, with: mark(of: status))
    }

    // MARK: - Writing

    /// Writes what `session` holds. A disk that is full is no reason to lose a text.
    ///
    /// - Parameter queue: what must not be waited for happens there: forcing the file to disk, and making room.
    package func keep(
        _ session: GemmaSession, of model: TextModel, on queue: DispatchQueue, _ group: DispatchGroup,
        mustStop: () -> Bool
    ) {
        let prefix = session.held[...], path = path(of: session.held[...], session)
        guard prefix.count >= Self.fewestTokens, session.written == prefix.count, session.gpu == nil,
            session.caches.reduce(0, { $0 + 2 * $1.byteCount(ofRows: session.written) }) <= mostBytes,
            (try? files.status(path)) == .some(nil)
        else { return }
        let interval = Trace.shared.begin("prefix: write")
        defer { Trace.shared.end(interval) }
        sweep()
        let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))\(Self.draft)"
        do {
            let file = try files.open(draft, .createNew, permissions: 0o600)
            do {
                // As long as it is locked, nobody takes it for a dead process's.
                guard try files.lock(file, shared: false) else { throw KVCacheSnapshot.Problem.stopped }
                try KVCacheSnapshot(path: path).write(session, model, to: file, mustStop)
            } catch {
                files.close(file)
                try? files.unlink(draft)
                throw error
            }
            queue.async(group: group) { publish(file, draft, path) }
        } catch {
            Trace.shared.event("prefix: not written", ["reason": "\(error)"])
        }
    }

    private func publish(_ file: OpenFile, _ draft: String, _ path: String) {
        defer { files.close(file) }
        do {
            // Whoever would cut it short in place would take pages from under those that have it mapped.
            try files.setPermissions(draft, 0o400)
            try files.synchronize(file)
            try files.rename(draft, to: path)
            try files.synchronizeFolder(folder)
            writeMark(path, try files.status(of: file))
            makeRoom()
        } catch {
            try? files.unlink(draft)
            Trace.shared.event("prefix: not written", ["reason": "\(error)"])
        }
    }

    /// Removes what dead processes left: drafts, and marks whose files are gone.
    private func sweep() {
        let names = Set((try? files.list(folder)) ?? []).filter { $0.hasPrefix(Self.first) }
        for name in names where name.hasSuffix(Self.last + Self.mark) {
            if !names.contains(String(name.dropLast(Self.mark.count))) { try? files.unlink("\(folder)/\(name)") }
        }
        for name in names where name.hasSuffix(Self.draft) {
            let path = "\(folder)/\(name)"
            guard
                let file = (try? files.open(path, .update, permissions: 0))
                    ?? (try? files.open(path, .read, permissions: 0))
            else { continue }
            if (try? files.lock(file, shared: false)) == true { try? files.unlink(path) }
            files.close(file)
        }
    }

    /// Removes the files that were used least lately, beyond as many and as large as are kept.
    private func makeRoom() {
        var kept = (count: 0, bytes: 0)
        let all = ((try? files.list(folder)) ?? []).filter { $0.hasPrefix(Self.first) && $0.hasSuffix(Self.last) }
            .compactMap { name -> (path: String, bytes: Int, used: Double)? in
                let path = "\(folder)/\(name)"
                guard let there = try? files.status(path) else { return nil }
                let used = (try? files.status(path + Self.mark))??.modified ?? there.modified
                return (path, there.size, max(used, there.modified))
            }
        for file in all.sorted(by: { $0.used > $1.used }) {
            kept = (kept.count + 1, kept.bytes + file.bytes)
            if kept.count > mostFiles || kept.bytes > mostBytes { remove(file.path) }
        }
    }

    private func remove(_ path: String) {
        try? files.unlink(path)
        try? files.unlink(path + Self.mark)
    }
}
