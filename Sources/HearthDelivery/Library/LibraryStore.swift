internal import Foundation
internal import HearthSystem

/// Reads the folders of one storage class. An unexpected file does not stop it, but becomes a notice.
struct LibraryStore: Sendable {
    let root: LibraryRoot
    let files: any FileOperations

    /// A record that could be read and is valid.
    struct Version {
        var record: ModelRecord
        /// Paths of files that are missing.
        var missing: [String]

        var candidate: VersionSelection.Candidate {
            .init(version: record.version, sequence: record.sequence, isWhole: missing.isEmpty)
        }
    }

    /// The result of reading some folders.
    struct Findings {
        var versions: [Version] = []
        var notices: [String] = []
        /// Whether everything could be read, or is known not to be a record. Only then is a blob without a record a leftover.
        var isComplete = true
        /// The first failure of a read. What was not seen may exist anyway, so changes stop here.
        var failure: FileFailure?
        /// Versions by the names of their files, those that could not be read included.
        var names: [String] = []

        mutating func note(_ path: String, _ what: String) { notices.append("\(what) (\(path))") }
        mutating func note(_ failure: FileFailure) {
            note(failure.path, "cannot be read: \(failure.reason)")
            isComplete = false
            self.failure = self.failure ?? failure
        }

        /// - Throws: if not everything could be read.
        func checked() throws(FileFailure) -> Findings {
            if let failure { throw failure }
            return self
        }
    }

    // MARK: - Records

    /// All versions of all models.
    func scan() -> Findings {
        var findings = Findings()
        for name in names(in: root.manifests, &findings) {
            guard isFolder(root.folder(name), &findings) else { continue }
            guard ModelName.isValid(name) else {
                findings.note(root.folder(name), "is not the name of a model")
                continue
            }
            scan(name, into: &findings)
        }
        return findings
    }

    /// All versions of one model.
    func scan(_ name: String) -> Findings {
        var findings = Findings()
        scan(name, into: &findings)
        return findings
    }

    private func scan(_ name: String, into findings: inout Findings) {
        for file in names(in: root.folder(name), &findings) where !file.hasSuffix(".tmp") {
            let path = "\(root.folder(name))/\(file)"
            guard let version = LibraryRoot.stem(file), ModelName.isValidVersion(version) else {
                findings.note(path, "does not belong here")
                continue
            }
            findings.names.append(version)
            do throws(FileFailure) {
                guard let status = try files.status(path) else { continue }
                guard status.kind == .file, status.size <= ModelRecord.byteLimit else {
                    findings.note(path, "is not a record of a model")
                    continue
                }
                let bytes = try files.readFile(path, limit: ModelRecord.byteLimit)
                if let found = decoded(name, version, bytes, path, &findings) {
                    findings.versions.append(Version(record: found, missing: missing(of: found, &findings)))
                }
            } catch  where error.isGone {
                // Another process has just removed the version.
                findings.names.removeAll { $0 == version }
            } catch {
                findings.note(error)
            }
        }
    }

    private func decoded(
        _ name: String, _ version: String, _ bytes: [UInt8], _ path: String, _ findings: inout Findings
    ) -> ModelRecord? {
        struct Format: Decodable { var format: Int }
        let data = Data(bytes)
        if let format = try? JSONDecoder().decode(Format.self, from: data).format, format > ModelRecord.currentFormat {
            // A later version of Hearth uses its files.
            findings.note(path, "was written by a later version of Hearth")
            findings.isComplete = false
            return nil
        }
        guard let record = try? JSONDecoder().decode(ModelRecord.self, from: data) else {
            findings.note(path, "is not a record of a model")
            return nil
        }
        if let problem = record.problem(name: name, version: version) {
            findings.note(path, "is not a valid record: \(problem)")
            return nil
        }
        return record
    }

    /// Paths of files that are missing, do not have the size in the record, or cannot be examined.
    private func missing(of record: ModelRecord, _ findings: inout Findings) -> [String] {
        var missing: [String] = []
        for file in record.files {
            do throws(FileFailure) {
                if try isThere(file) { continue }
            } catch {
                findings.note(error)
            }
            missing.append(file.path)
        }
        if missing.isEmpty {
            do throws(FileFailure) {
                if try !isLaidOut(record) { missing.append("packages/\(LibraryRoot.packageName(record) ?? "")") }
            } catch {
                findings.note(error)
                missing.append("packages/\(LibraryRoot.packageName(record) ?? "")")
            }
        }
        return missing
    }

    /// Whether there is a file of that digest's name and of that size.
    func isThere(_ file: ModelRecord.File) throws(FileFailure) -> Bool {
        guard let status = try files.status(root.blob(file.sha256)) else { return false }
        return status.kind == .file && status.size == file.bytes
    }

    /// Whether a file is certainly missing, rather than just not accessible now.
    func isCertainlyIncomplete(_ record: ModelRecord) -> Bool {
        record.files.contains { (try? isThere($0)) == false }
    }

    // MARK: - Selections

    /// For readers.
    func selection(_ name: String) -> VersionSelection.Stored {
        do throws(FileFailure) { return try storedSelection(name) } catch { return .unreadable }
    }

    /// For callers that replace it: a damaged selection may be replaced, but not one that cannot be read now, because it contains
    /// pins and the newest revision.
    func storedSelection(_ name: String) throws(FileFailure) -> VersionSelection.Stored {
        let path = root.selection(name)
        guard let status = try files.status(path) else { return .missing }
        guard status.kind == .file, status.size <= ModelRecord.byteLimit else { return .unreadable }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try files.readFile(path, limit: ModelRecord.byteLimit)
        } catch  where error.isGone {
            return .missing
        }
        guard let selection = try? JSONDecoder().decode(VersionSelection.self, from: Data(bytes)),
            selection.format == VersionSelection.currentFormat
        else { return .unreadable }
        return .value(selection)
    }

    // MARK: - Uses

    /// When a version was used last.
    func lastUse(_ name: String, _ version: String) throws(FileFailure) -> LastUse? {
        try lastUse(at: root.use(name, version))
    }

    private func lastUse(at path: String) throws(FileFailure) -> LastUse? {
        guard let status = try files.status(path), status.kind == .file, status.size <= LastUse.byteLimit else {
            return nil
        }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try files.readFile(path, limit: LastUse.byteLimit)
        } catch  where error.isGone {
            return nil
        }
        return LastUse(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Numbers of all uses, for the clock.
    func useNumbers() -> [Int] {
        ((try? files.list(root.uses)) ?? []).compactMap { name in
            ((try? lastUse(at: "\(root.uses)/\(name)")) ?? nil)?.sequence
        }
    }

    /// Records a use. It is not flushed, so that a start never waits for the disk; after a power loss the order of eviction is
    /// slightly outdated.
    func noteUse(_ name: String, _ version: String, _ use: LastUse) throws(FileFailure) {
        try files.makeFolders(root.uses)
        let file = try files.open(root.use(name, version), .create, permissions: 0o644)
        defer { files.close(file) }
        try files.writeAll(Array(use.text.utf8), to: file)
    }

    // MARK: - Folders

    /// The names in a folder; none if it does not exist.
    func names(in folder: String, _ findings: inout Findings) -> [String] {
        do throws(FileFailure) {
            guard let status = try files.status(folder) else { return [] }
            // A link is followed here: people move such folders to another disk.
            guard status.kind == .folder || status.kind == .link else {
                findings.note(folder, "is not a folder")
                return []
            }
            return try files.list(folder)
        } catch  where error.isGone {
            return []
        } catch {
            findings.note(error)
            return []
        }
    }

    private func isFolder(_ path: String, _ findings: inout Findings) -> Bool {
        do throws(FileFailure) {
            guard let status = try files.status(path) else { return false }
            if status.kind == .folder { return true }
            findings.note(path, "does not belong here")
        } catch {
            findings.note(error)
        }
        return false
    }
}
