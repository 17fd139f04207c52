package import Dispatch
internal import Foundation
internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// The stored KV caches of shared prefixes, next to the model's artifact: a prefix of many texts (instructions, a story's
/// framing) is computed once and mapped by later starts.
///
/// The folder is named by the profile, so another model, kernel set or version uses another folder. A file's name encodes the
/// tokens and the cache's format and shape. Files are published atomically and never modified: a process that has one mapped
/// keeps using it even after it is replaced. A file that does not match its name is removed. For a file written or verified
/// since the system was booted, only the header is checked; after a reboot, or if the file is not the one verified, every byte
/// is verified once, as with artifacts. The most recently used files are kept, and all are removed together with the artifact.
package struct PrefixCache: Sendable {
    /// The artifact's folder.
    package let folder: String
    /// Identifies the system's current boot.
    package var boot = BootIdentity.current
    /// Maximum number of files kept.
    package var mostFiles = 8
    /// Maximum total size of the files in bytes.
    package var mostBytes = 512 << 20
    private let files = SystemFiles()

    /// Minimum prefix length in tokens; computing fewer is faster than finding a file.
    static let fewestTokens = 32
    private static let (first, last, mark, draft) = ("prefix-", ".kv", ".checked", ".tmp")

    package init(folder: String) { self.folder = folder }

    /// Path of a prefix's file.
    package func path(of prefix: ArraySlice<TokenID>, _ session: GemmaSession) -> String {
        var hash = SHA256()
        hash.update("\(session.context)/\(session.maximumStep)/\(session.compute.kernels.key)/".utf8)
        for cache in session.caches { hash.update("\(cache.format.rawValue)/\(cache.capacity)/".utf8) }
        if let adapters = session.adapters { hash.update("\(adapters.identity)/".utf8) }
        hash.update(prefix.flatMap { littleEndian(UInt32(bitPattern: $0)) })
        return "\(folder)/\(Self.first)\(hash.finalize().prefix(32))\(Self.last)"
    }

    // MARK: - Reading

    /// Maps the stored prefix of a text, unless the session already holds as much of it.
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
            // Remove it: otherwise every start would verify it again, and it would block a new file of the same name.
            case .damaged, .otherFormat, .otherModel, .otherKernels, .otherShape, .otherText: remove(path)
            }
        }
    }

    /// Updates the time of use, at most once an hour, so that starts do not wait for the disk.
    private func noteUse(_ path: String, _ status: FileStatus, isTrusted: Bool) {
        guard let age = try? files.status(path + Self.mark)?.modified, isTrusted,
            abs(Date().timeIntervalSince1970 - age) < 3600
        else {
            return writeMark(path, status)
        }
    }

    /// Content of a mark: in which boot of the system which file was verified.
    private func mark(of file: FileStatus) -> [UInt8] {
        Array("\(boot)\n\(file.inode) \(file.size) \(file.modified)\n".utf8)
    }

    private func writeMark(_ path: String, _ status: FileStatus) {
        try? files.replaceFile(path + Self.mark, with: mark(of: status))
    }

    // MARK: - Writing

    /// Stores the session's KV cache as a prefix. Errors, such as a full disk, are ignored.
    ///
    /// - Parameter queue: runs the slow parts, which are not waited for: syncing the file to disk and evicting others.
    package func keep(
        _ session: GemmaSession, of model: TextModel, on queue: DispatchQueue, _ group: DispatchGroup,
        mustStop: () -> Bool
    ) {
        let prefix = session.held[...], path = path(of: session.held[...], session)
        guard prefix.count >= Self.fewestTokens, session.written == prefix.count, !session.isOnGPU,
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
                // The lock tells other processes that the writer is alive.
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
            // Read-only, because truncating the file would invalidate the pages of processes that have it mapped.
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

    /// Removes leftovers of dead processes: drafts, and marks without files.
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

    /// Removes the least recently used files beyond the limits on number and size.
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
