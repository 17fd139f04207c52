internal import Foundation
internal import HearthSystem

/// The partial files of one download: `KEY.lock`, and for each process that tried to download it `KEY.TOKEN.part` and
/// `KEY.TOKEN.journal`; `KEY.TOKEN.NUMBER.entry` is a file that is being unpacked from it.
///
/// The token is new for each process, so that two processes never write to the same file, even on a disk without working
/// locks.
package struct PartialPlace: Sendable {
    let folder: String
    /// Identifies the content: its digest, or the digest of its address.
    let key: String
    let boot: String

    package init(folder: String, request: DownloadRequest, boot: String) {
        self.folder = folder
        self.boot = boot
        key = request.sha256 ?? "url-" + SHA256.digest(of: (request.urls.first ?? "").utf8)
    }

    var lock: String { "\(folder)/\(key).lock" }
    func partName(_ token: String) -> String { "\(key).\(token).part" }
    func part(_ token: String) -> String { "\(folder)/\(partName(token))" }
    func journal(_ token: String) -> String { "\(folder)/\(key).\(token).journal" }

    static func newToken() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// What an earlier run left.
    struct Leftover {
        var journal: PartialJournal
        var journalPath: String
        var part: String
    }

    /// The leftover with the most bytes; the others are removed.
    /// - Parameter isAlone: whether no other process can be using these files, which only a working lock guarantees. Otherwise
    ///   recently modified files are assumed to be in use.
    func claim(_ files: any FileOperations, isAlone: Bool, orphanSeconds: Double, now: Double) throws(FileFailure)
        -> Leftover?
    {
        let names = try files.list(folder).filter { $0.hasPrefix(key + ".") }
        var free: [String] = []
        for name in names where [".part", ".journal", ".entry"].contains(where: name.hasSuffix) {
            let modified = try files.status("\(folder)/\(name)")?.modified ?? now
            if isAlone || now - modified > orphanSeconds { free.append(name) }
        }
        let leftovers = free.filter { $0.hasSuffix(".journal") }.compactMap { leftover($0, files) }
        let best = leftovers.max { $0.journal.ranges.count < $1.journal.ranges.count }
        let kept = [best?.journalPath, best?.part]
        for name in free where !kept.contains("\(folder)/\(name)") { try? files.unlink("\(folder)/\(name)") }
        return best
    }

    private func leftover(_ name: String, _ files: any FileOperations) -> Leftover? {
        guard let bytes = try? files.readFile("\(folder)/\(name)", limit: 64 << 20),
            let journal = PartialJournal(bytes, boot: boot), !journal.ranges.isEmpty
        else { return nil }
        // The journal may have been tampered with: only a file of this download in this folder is accepted.
        let part = journal.header.part
        guard part.hasPrefix(key + "."), part.hasSuffix(".part"), !part.contains("/"),
            let status = try? files.status("\(folder)/\(part)"), status.kind == .file,
            status.size >= journal.ranges.end, journal.ranges.end <= journal.header.total ?? .max
        else { return nil }
        return Leftover(journal: journal, journalPath: "\(folder)/\(name)", part: "\(folder)/\(part)")
    }
}
