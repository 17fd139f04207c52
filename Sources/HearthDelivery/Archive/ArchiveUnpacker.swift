package import HearthSystem

/// Takes the Core ML model out of an archive: every name and every declared size is judged before the first byte is written.
package struct ArchiveUnpacker {
    /// A file that was unpacked.
    package struct File: Equatable {
        package var file: ModelRecord.File
        /// Where its bytes are.
        package var place: String
    }

    package enum Format: Equatable, Sendable {
        case zip, tar, packedTar

        /// The kind of an archive, by its first bytes; nil if it is none.
        package init?(_ first: some RandomAccessCollection<UInt8>) {
            let bytes = Array(first)
            if bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6]) {
                self = .zip
            } else if bytes.starts(with: [0x1F, 0x8B, 8]) {
                self = .packedTar
            } else if bytes.count >= 263, bytes[257..<262].elementsEqual("ustar".utf8) {
                self = .tar
            } else {
                return nil
            }
        }

        /// How many bytes it takes to tell.
        static let bytes = 512
    }

    let files: any FileOperations
    /// Kept free on the disk.
    let reserve: Int

    package init(files: any FileOperations, reserve: Int) { (self.files, self.reserve) = (files, reserve) }

    /// - Parameters:
    ///   - archive: its path.
    ///   - name: what it is called in messages.
    ///   - prefix: the files are written to `PREFIX.NUMBER.entry`.
    ///   - check: throws where the work has to end; called for every block.
    ///   - progress: called with bytes done and in all.
    /// - Throws: `DeliveryError.invalidArchive`, `diskFull`; `FileFailure`; what `check` throws. Nothing is left then.
    package func unpack(
        _ archive: String, _ format: Format, name: String, prefix: String, check: () throws -> Void,
        progress: (Int, Int) -> Void
    ) throws -> [File] {
        let file = try files.open(archive, .read, permissions: 0)
        defer { files.close(file) }
        let source = try ArchiveSource(file, files: files, name: name)
        let reader: any ArchiveReader =
            switch format {
            case .zip: try ZipArchive(source)
            case .tar: try TarArchive(source, isPacked: false)
            case .packedTar: try TarArchive(source, isPacked: true)
            }
        try check()
        let choice = try Self.choose(reader.entries, in: source)
        let total = choice.files.reduce(0) { $0 + reader.entries[$1.index].bytes }
        try checkRoom(total, for: prefix)
        var unpacked: [Int: Target] = [:]
        var isDone = false
        defer {
            for target in unpacked.values {
                files.close(target.file)
                if !isDone { try? files.unlink(target.place) }
            }
        }
        for chosen in choice.files {
            let place = "\(prefix).\(chosen.index).entry"
            try? files.unlink(place)
            unpacked[chosen.index] = Target(
                file: try files.open(place, .createNew, permissions: 0o644), place: place)
        }
        var done = 0
        try reader.read(Set(choice.files.map(\.index))) { index, bytes in
            try check()
            guard let target = unpacked[index] else { return }
            try files.writeAll(bytes, to: target.file, at: target.count)
            target.digest?.update(bytes)
            target.count += bytes.count
            done += bytes.count
            progress(done, total)
        }
        isDone = true
        return choice.files.compactMap { chosen in
            guard let target = unpacked[chosen.index] else { return nil }
            return File(
                file: .init(path: chosen.path, bytes: target.count, sha256: target.digest.take()?.finalize() ?? ""),
                place: target.place)
        }
    }

    private final class Target {
        let file: OpenFile
        let place: String
        var digest: SHA256? = SHA256()
        var count = 0

        init(file: OpenFile, place: String) { (self.file, self.place) = (file, place) }
    }

    private func checkRoom(_ total: Int, for prefix: String) throws {
        let folder = LibraryStore.parent(of: prefix)
        let available = try files.freeSpace(folder)
        guard available >= total + reserve else {
            throw DeliveryError.diskFull(path: folder, needed: total + reserve, available: available)
        }
    }

    /// Judges every name and size of an archive, those included that are left out. Pure.
    static func choose(_ entries: [ArchiveEntry], in source: ArchiveSource) throws(DeliveryError) -> PackageChoice {
        let limit = ArchiveLimits.unpackedBytes(archiveBytes: source.size)
        var total = 0
        var seen: [String: ArchiveEntry.Kind] = [:]
        for entry in entries where !entry.path.isEmpty {
            total += min(entry.bytes, limit + 1)
            guard total <= limit else {
                throw source.invalid(
                    entry.path,
                    "with it the archive has more than \(limit) bytes unpacked, which is too much for a model of this size"
                )
            }
            // These go nowhere; but they may not point elsewhere either.
            let isLeftOver = PackageChoice.isLeftOver(entry.path)
            if let objection = FilePathRule.objection(to: entry.path),
                !isLeftOver || entry.path.split(separator: "/").contains("..") || entry.path.hasPrefix("/")
            {
                throw source.invalid(entry.path, objection)
            }
            let folded = FilePathRule.foldedName(entry.path)
            let before = seen.updateValue(entry.kind, forKey: folded)
            if isLeftOver { continue }
            if let before, before != .folder || entry.kind != .folder {
                throw source.invalid(entry.path, "it occurs twice, or differs from another in case only")
            }
        }
        if let folder = FilePathRule.fileAmongFolders(Set(seen.filter { $0.value == .file }.keys)) {
            throw source.invalid(folder, "it is a file and a folder")
        }
        do throws(PackageChoice.Problem) {
            let files = entries.indices.filter { entries[$0].kind == .file && !entries[$0].path.isEmpty }
            let choice = try PackageChoice(files.map { entries[$0].path })
            return PackageChoice(files: choice.files.map { .init(index: files[$0.index], path: $0.path) })
        } catch {
            throw source.invalid(nil, error.reason)
        }
    }
}

extension PackageChoice {
    init(files: [File]) { self.files = files }
}
