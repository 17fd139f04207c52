internal import Foundation
internal import HearthSystem

extension ModelLibrary {
    /// A version to be installed, and the paths of its verified files.
    package struct Candidate: Sendable {
        /// The name to install it under.
        package var name: String
        /// The publisher's version, or a short digest.
        package var version: String
        /// The files, as in the record of the version.
        package var files: [ModelRecord.File]
        /// What runs it.
        package var engine: ModelEngineKind
        /// The archive that the files came in.
        package var archive: ModelRecord.File?
        /// The address or file that it came from.
        package var source: String
        /// The revision in its publisher's manifest; nil without a manifest.
        package var revision: ModelVersion?
        /// The storage class to install it in.
        package var storage: StorageClass
        /// Paths of verified files by digest; the files are moved. Files with other digests must be in the library.
        package var staged: [String: String]

        package init(
            name: String, version: String, files: [ModelRecord.File], engine: ModelEngineKind = .text,
            archive: ModelRecord.File? = nil, source: String, revision: ModelVersion? = nil,
            storage: StorageClass = .kept, staged: [String: String]
        ) {
            (self.engine, self.archive) = (engine, archive)
            self.name = name
            self.version = version
            self.files = files
            self.source = source
            self.revision = revision
            self.storage = storage
            self.staged = staged
        }

        /// A record, for properties that depend only on the content.
        var content: ModelRecord {
            ModelRecord(
                name: name, version: version, files: files, engine: engine, archive: archive, source: source,
                installed: 0, sequence: 0)
        }
    }

    /// The folder for partial downloads, on the same file system as the library.
    package func partialFolder(_ storage: StorageClass) -> String { store(storage).root.partial }

    func makePartialFolder(_ storage: StorageClass) throws(DeliveryError) {
        do throws(FileFailure) { try files.makeFolders(partialFolder(storage)) } catch { throw DeliveryError(error) }
    }

    /// The storage class of a model; nil if no version is installed.
    package func storage(of name: String) -> StorageClass? { versions(of: name).first?.storage }

    /// Refuses what cannot be installed, before anything is downloaded.
    /// - Throws: for names, versions and paths that are not safe, a name that differs from an installed one in case only,
    ///   and a revision older than one that was active (unless `allowDowngrade`).
    package func check(
        name: String, version: String?, files: [ModelRecord.File], engine: ModelEngineKind = .text,
        revision: ModelVersion?, storage: StorageClass, allowDowngrade: Bool
    ) throws(DeliveryError) {
        guard ModelName.isValid(name), FilePathRule.objection(toName: name) == nil else { throw .invalidName(name) }
        if let version, !ModelName.isValidVersion(version) { throw .invalidVersion(name: name, version: version) }
        if !files.isEmpty, let problem = ModelRecord.problem(of: files, engine: engine) {
            throw .unsafeManifest(name: name, reason: problem)
        }
        for store in stores {
            var findings = LibraryStore.Findings()
            let names = store.names(in: store.root.manifests, &findings)
            let twins = names.filter { $0 != name && $0.lowercased() == name.lowercased() }
            do throws(FileFailure) {
                _ = try findings.checked()
                for twin in twins where try !store.scan(twin).checked().versions.isEmpty {
                    throw FileFailure(operation: "", path: twin, code: EEXIST)
                }
            } catch  where error.operation.isEmpty {
                throw .nameTwin(name: name, installed: error.path)
            } catch {
                throw DeliveryError(error)
            }
        }
        if let there = try knownStorage(of: name), there != storage {
            throw .otherStorage(name: name, storage: there)
        }
        if let revision, !allowDowngrade, case .value(let selection) = try storedSelection(name, in: store(storage)),
            let newest = selection.newestRevision, revision < newest
        {
            throw .olderRevision(name: name, offered: revision.description, newest: newest.description)
        }
    }

    private func knownStorage(of name: String) throws(DeliveryError) -> StorageClass? {
        try knownVersions(of: name).first?.storage
    }

    private func storedSelection(
        _ name: String, in store: LibraryStore
    ) throws(DeliveryError) -> VersionSelection.Stored {
        do throws(FileFailure) { return try store.storedSelection(name) } catch { throw DeliveryError(error) }
    }

    private func scan(_ name: String, in store: LibraryStore) throws(DeliveryError) -> LibraryStore.Findings {
        do throws(FileFailure) { return try store.scan(name).checked() } catch { throw DeliveryError(error) }
    }

    /// Installs verified files as a version. It is not current yet: see `activate`.
    ///
    /// If this content is already installed under this name, nothing changes. If the version's name is taken by other content, a
    /// part of the digest is added to the name: an installed version is never replaced.
    package func install(_ candidate: Candidate) throws(DeliveryError) -> ModelRecord {
        try check(
            name: candidate.name, version: candidate.version, files: candidate.files, engine: candidate.engine,
            revision: candidate.revision, storage: candidate.storage, allowDowngrade: true)
        if candidate.files.isEmpty { throw .unsafeManifest(name: candidate.name, reason: "it lists no files") }
        let store = store(candidate.storage)
        return try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
            // Otherwise a version that could not be read would be overwritten.
            let findings = try scan(candidate.name, in: store)
            let same = findings.versions.first {
                $0.record.files == candidate.files && $0.record.engine == candidate.engine
            }
            if let same, same.missing.isEmpty {
                // Files may have been repaired since the package was made.
                do throws(FileFailure) { try store.layOut(same.record) } catch { throw DeliveryError(error) }
                return same.record
            }
            let record =
                same?.record
                ?? ModelRecord(
                    name: candidate.name,
                    version: Self.freeVersion(candidate, taken: findings.names),
                    files: candidate.files, engine: candidate.engine, archive: candidate.archive,
                    source: candidate.source, revision: candidate.revision, installed: now(),
                    sequence: nextSequence())
            // If locks do not work, another process may clean up in between; then the work is repeated.
            for attempt in 1... {
                do throws(FileFailure) {
                    try store.publish(record, staged: candidate.staged)
                    break
                } catch  where error.code == ENOENT && attempt < 4 {
                    continue
                } catch {
                    throw DeliveryError(error)
                }
            }
            return record
        }
    }

    private static func freeVersion(_ candidate: Candidate, taken: [String]) -> String {
        let isTaken = taken.contains { $0.lowercased() == candidate.version.lowercased() }
        guard isTaken, !candidate.files.isEmpty else { return candidate.version }
        let digest = candidate.content.sha256.prefix(8)
        return "\(candidate.version.prefix(ModelName.versionLimit - 9))+\(digest)"
    }

    /// Moves verified files to the paths of their digests, before their version is installed.
    /// - Parameter staged: the files and their current paths; they are moved.
    /// - Returns: objects that keep the files from being removed as leftovers while they exist.
    func stage(
        _ staged: [(file: ModelRecord.File, path: String)], storage: StorageClass
    ) throws(DeliveryError) -> [ModelLease] {
        let store = store(storage)
        return try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
            do throws(FileFailure) {
                try store.prepare()
                var holds: [ModelLease] = []
                for (file, path) in staged {
                    try store.publishBlob(file, from: path)
                    holds.append(try store.hold(file.sha256))
                }
                return holds
            } catch {
                throw DeliveryError(error)
            }
        }
    }

    /// Builds the package from blobs that are locked, before their version is installed.
    /// - Returns: the path that its engine reads.
    func layOut(_ candidate: Candidate) throws(DeliveryError) -> String {
        let store = store(candidate.storage)
        let record = candidate.content
        return try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
            do throws(FileFailure) { try store.layOut(record) } catch { throw DeliveryError(error) }
            return path(of: record, storage: candidate.storage)
        }
    }

    /// A version from the archive with this digest, under any name; all its bytes are verified.
    /// - Parameter check: throws to end the work.
    /// - Returns: the version, and objects that keep its files from being removed; nil if there is no valid one.
    func version(
        fromArchive sha256: String, storage: StorageClass, check: () throws -> Void
    ) throws -> (record: ModelRecord, holds: [ModelLease])? {
        let found = store(storage).scan().versions.first {
            $0.record.archive?.sha256 == sha256 && $0.missing.isEmpty
        }
        guard let record = found?.record else { return nil }
        var holds: [ModelLease] = []
        for file in record.files {
            guard let hold = holdBlob(file, storage: storage),
                try FileDigest.sha256(blobPath(file.sha256, storage: storage), progress: { _ in try check() })
                    == file.sha256
            else { return nil }
            holds.append(hold)
        }
        return (record, holds)
    }

    /// Keeps an existing, complete file from being removed; nil if there is none.
    func holdBlob(_ file: ModelRecord.File, storage: StorageClass) -> ModelLease? {
        let store = store(storage)
        guard (try? store.isThere(file)) == true, let hold = try? store.hold(file.sha256),
            // It is locked now, but may have been removed just before.
            (try? store.isThere(file)) == true
        else { return nil }
        return hold
    }

    func blobPath(_ sha256: String, storage: StorageClass) -> String { store(storage).root.blob(sha256) }

    /// The path that a version's engine reads.
    func path(of record: ModelRecord, storage: StorageClass) -> String {
        let root = store(storage).root
        return root.package(record) ?? root.blob(record.main?.sha256 ?? "")
    }

    /// Makes an installed version current, unless another one is pinned.
    ///
    /// Called when the version is compiled; until then the previous version stays current.
    package func activate(name: String, version: String) throws(DeliveryError) {
        try select(name, version) { selection, record, installed in
            selection.activate(version, revision: record.revision, installed: installed)
        }
    }

    /// Makes a version current and pins it, so that it stays current whatever is installed later.
    package func pin(name: String, version: String) throws(DeliveryError) {
        try select(name, version) { selection, record, installed in
            selection.activate(version, revision: nil, installed: installed)
            selection.pinned = version
        }
    }

    /// Ends the pin: the version that was activated last is current again.
    package func unpin(name: String) throws(DeliveryError) {
        try select(name, nil) { selection, _, _ in selection.pinned = nil }
    }

    /// Returns to the previous version, or to a given one. A pin moves with it.
    /// - Returns: the version that is current now.
    package func rollBack(name: String, to version: String? = nil) throws(DeliveryError) -> String {
        guard let there = try knownStorage(of: name) else { throw .notInstalled(name: name, version: version) }
        let store = store(there)
        let previous = VersionSelection.previous(
            of: try storedSelection(name, in: store), among: try scan(name, in: store).versions.map(\.candidate))
        guard let target = version ?? previous else { throw .nothingBefore(name: name) }
        try select(name, target) { selection, _, installed in
            selection.activate(target, revision: nil, installed: installed)
            if selection.pinned != nil { selection.pinned = target }
        }
        return target
    }

    /// Changes a model's selection; `version`, if given, must be installed and complete.
    private func select(
        _ name: String, _ version: String?,
        _ change: (inout VersionSelection, ModelRecord, Set<String>) -> Void
    ) throws(DeliveryError) {
        guard let there = try knownStorage(of: name) else { throw .notInstalled(name: name, version: version) }
        let store = store(there)
        try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
            let versions = try scan(name, in: store).versions
            guard let found = versions.first(where: { version == nil || $0.record.version == version }) else {
                throw .notInstalled(name: name, version: version)
            }
            guard version == nil || found.missing.isEmpty else {
                throw .incomplete(name: name, version: found.record.version, missing: found.missing)
            }
            let before = try storedSelection(name, in: store)
            var selection = before.orEmpty
            change(&selection, found.record, Set(versions.map(\.record.version)))
            if before == .value(selection) { return }
            do throws(FileFailure) {
                try store.prepare()
                try store.select(name, selection)
            } catch {
                throw DeliveryError(error)
            }
        }
    }
}
