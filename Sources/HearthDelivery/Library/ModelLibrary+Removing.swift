internal import HearthSystem

/// The result of removing or pruning.
package struct LibraryCleaning: Sendable, Equatable {
    /// A version that was removed.
    package struct Version: Sendable, Equatable {
        /// The model's name.
        package var name: String
        /// The version's name.
        package var version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// Versions that were removed.
    package var removed: [Version] = []
    /// Digests of compiled artifacts that were removed.
    package var artifacts: [String] = []
    /// Bytes that were freed.
    package var freedBytes = 0
    /// Bytes of models and artifacts that are left.
    package var remainingBytes = 0
}

extension ModelLibrary {
    /// Removes a model, or one version of it, and what was compiled from it.
    /// - Throws: `inUse` if a running process has leased one of the versions; nothing is removed then.
    package func remove(name: String, version: String? = nil) throws(DeliveryError) -> LibraryCleaning {
        let targets = try knownVersions(of: name).filter { version == nil || $0.version == version }
        guard !targets.isEmpty else { throw .notInstalled(name: name, version: version) }
        var cleaning = LibraryCleaning()
        let before = totalBytes()
        for store in stores {
            let here = targets.filter { $0.storage == store.root.storage }
            guard !here.isEmpty else { continue }
            try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
                var locks: [OpenFile] = []
                defer { locks.forEach { files.close($0) } }
                // All or nothing: every lease is taken before anything is removed.
                for target in here { locks.append(try lockForRemoval(target, in: store)) }
                for target in here {
                    try withdraw(target, in: store)
                    cleaning.removed.append(.init(name: target.name, version: target.version))
                }
                try tidy(store)
            }
        }
        cleaning.artifacts = removeArtifacts(of: targets)
        cleaning.remainingBytes = totalBytes()
        cleaning.freedBytes = max(0, before - cleaning.remainingBytes)
        return cleaning
    }

    /// Removes leftovers of ended processes, incomplete versions, artifacts that are damaged or whose models are gone, and abandoned
    /// downloads; then the least recently used versions, and last what was compiled from models that are not installed, until the
    /// rest fits `budget`.
    ///
    /// Leased and pinned versions are never removed, nor artifacts in use, so more than `budget` may remain.
    /// - Parameter budget: bytes of models and their artifacts; nil evicts nothing.
    package func prune(to budget: Int? = nil) throws(DeliveryError) -> LibraryCleaning {
        var cleaning = LibraryCleaning()
        let before = totalBytes()
        for store in stores where files.exists(store.root.path) {
            try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
                for version in store.scan().versions where store.isCertainlyIncomplete(version.record) {
                    let record = version.record
                    if try evict(record.name, record.version, in: store) {
                        cleaning.removed.append(.init(name: record.name, version: record.version))
                    }
                }
                try tidy(store)
                // A package that was removed manually is rebuilt from the blobs.
                for version in store.scan().versions where !version.missing.isEmpty {
                    do throws(FileFailure) { try store.layOut(version.record) } catch { throw DeliveryError(error) }
                }
            }
            PartialDownloads.removeAbandoned(in: store.root.partial, files: files)
        }
        sweepCache()
        artifacts.removeSetAside()
        cleaning.artifacts = removeStaleArtifacts()
        if let budget {
            try evict(to: budget, &cleaning)
            cleaning.artifacts += evictArtifacts(to: budget)
        }
        cleaning.remainingBytes = totalBytes()
        cleaning.freedBytes = max(0, before - cleaning.remainingBytes)
        return cleaning
    }

    /// Removes leftovers of processes that were killed, and nothing else; called when something is installed.
    package func removeLeftovers() throws(DeliveryError) { try removeLeftovers(except: []) }

    /// - Parameter kept: digests of files that are about to be installed; a killed pull may have downloaded some of them.
    func removeLeftovers(except kept: Set<String>) throws(DeliveryError) {
        for store in stores where files.exists(store.root.path) {
            try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
                try tidy(store, except: kept)
            }
            PartialDownloads.removeAbandoned(
                in: store.root.partial, files: files, olderThan: PartialDownloads.patience)
        }
        sweepCache()
    }

    /// Total size in bytes of all versions, their compiled artifacts, partial downloads and leftovers.
    package func totalBytes() -> Int {
        let blobs = stores.reduce(0) { $0 + bytes(in: $1.root.blobs) + bytes(in: $1.root.partial) }
        return blobs + artifacts.totalBytes()
    }

    private func bytes(in folder: String) -> Int {
        ((try? files.list(folder)) ?? []).reduce(0) { sum, name in
            let status = (try? files.status("\(folder)/\(name)")) ?? nil
            return sum + (status?.kind == .file ? status?.size ?? 0 : 0)
        }
    }

    /// Leftovers of compiling, and temporary files of the small files in Hearth's own folders.
    private func sweepCache() {
        artifacts.sweep()
        let folders = [artifacts.folder] + stores.map(\.root.path)
        for folder in Set(folders.map(LibraryStore.parent)) {
            for name in (try? files.list(folder)) ?? [] where Self.isTemporary(name) {
                // Writing one takes milliseconds.
                guard let status = try? files.status("\(folder)/\(name)"), status.kind == .file,
                    now() - status.modified > 60
                else { continue }
                try? files.unlink("\(folder)/\(name)")
            }
        }
    }

    /// Whether it may be the temporary file of a killed process. Earlier versions wrote with Foundation, which calls such files
    /// `.dat.nosync…`.
    package static func isTemporary(_ name: String) -> Bool {
        if name.hasPrefix(".dat.nosync") { return true }
        return name.hasSuffix(".tmp") && (name.hasPrefix("sources.json.") || name.hasPrefix("usage.json."))
    }

    // MARK: - Eviction

    private func evict(to budget: Int, _ cleaning: inout LibraryCleaning) throws(DeliveryError) {
        let listing = listing()
        // An unreadable record might be the current or most used version: nothing is removed on a guess.
        if let failure = listing.failure { throw DeliveryError(failure) }
        let models = listing.models
        let summaries = artifacts.list()
        var candidates = models.map { model in
            EvictionPlan.Candidate(
                name: model.name, version: model.version, storage: model.storage,
                blobs: Dictionary(model.record.files.map { ($0.sha256, $0.bytes) }) { $1 },
                artifactBytes: artifacts(of: model, in: summaries).reduce(0) { $0 + $1.bytes },
                sequence: model.sequence, isCurrent: model.isCurrent, isPinned: model.isPinned)
        }
        // Only an attempt to lock its lease shows whether a version is in use: if it is, the plan is made again without it.
        var gone: Set<Int> = []
        while true {
            let left = candidates.indices.filter { !gone.contains($0) }
            let plan = EvictionPlan(left.map { candidates[$0] }, budget: budget)
            guard let first = plan.evicted.first else { return }
            let index = left[first]
            let model = models[index]
            let store = store(model.storage)
            let isGone = try LibraryLock.withLock(store.root, files: files) { () throws(DeliveryError) in
                guard try evict(model.name, model.version, in: store) else { return false }
                try tidy(store)
                return true
            }
            guard isGone else {
                candidates[index].isLeased = true
                continue
            }
            gone.insert(index)
            cleaning.removed.append(.init(name: model.name, version: model.version))
            cleaning.artifacts += removeArtifacts(of: [model])
        }
    }

    /// Removes artifacts of models that are not installed, the least recently used first, until the rest fits `budget`. They are
    /// compiled again when they are needed.
    private func evictArtifacts(to budget: Int) -> [String] {
        let summaries = artifacts.list()
        let kept = Set(listing().models.flatMap { artifacts(of: $0, in: summaries) }.map(\.digest))
        var left = totalBytes()
        var removed: [String] = []
        for artifact in summaries.reversed() where left > budget && !kept.contains(artifact.digest) {
            guard artifacts.remove(artifact.digest) else { continue }
            left -= artifact.bytes
            removed.append(artifact.digest)
        }
        return removed
    }

    /// Removes a version unless it is leased; false then.
    private func evict(_ name: String, _ version: String, in store: LibraryStore) throws(DeliveryError) -> Bool {
        do throws(FileFailure) {
            guard let lock = try store.lockForRemoval(name, version) else { return false }
            defer { files.close(lock) }
            try store.withdraw(name, version)
            try? files.unlink(lock.path)
            return true
        } catch {
            throw DeliveryError(error)
        }
    }

    private func lockForRemoval(_ model: InstalledModel, in store: LibraryStore) throws(DeliveryError) -> OpenFile {
        do throws(FileFailure) {
            if let lock = try store.lockForRemoval(model.name, model.version) { return lock }
        } catch {
            throw DeliveryError(error)
        }
        throw .inUse(name: model.name, version: model.version)
    }

    private func withdraw(_ model: InstalledModel, in store: LibraryStore) throws(DeliveryError) {
        do throws(FileFailure) {
            let stored = try store.storedSelection(model.name)
            try store.withdraw(model.name, model.version)
            try? files.unlink(store.root.lease(model.name, model.version))
            // With its last version, the model's selection and pin are removed as well.
            let left = store.scan(model.name)
            if left.versions.isEmpty, left.isComplete {
                try? files.unlink(store.root.selection(model.name))
            } else if case .value(var selection) = stored {
                selection.forget(model.version)
                try store.select(model.name, selection)
            }
        } catch {
            throw DeliveryError(error)
        }
    }

    func tidy(_ store: LibraryStore, except kept: Set<String> = []) throws(DeliveryError) {
        do throws(FileFailure) { _ = try store.removeLeftovers(except: kept) } catch { throw DeliveryError(error) }
    }

    // MARK: - Artifacts

    /// All compiled artifacts.
    package func artifactList() -> [ArtifactSummary] { artifacts.list() }

    /// The artifacts of a model.
    package func artifacts(of model: InstalledModel, in summaries: [ArtifactSummary]) -> [ArtifactSummary] {
        summaries.filter { $0.profile["modelSHA256"] == model.sha256 || $0.source.path == model.path }
    }

    /// Removes the artifacts of models, unless another version has the same content.
    private func removeArtifacts(of models: [InstalledModel]) -> [String] {
        let listing = listing()
        guard listing.failure == nil else { return [] }
        let left = Set(listing.models.map(\.sha256))
        let summaries = artifacts.list()
        return models.filter { !left.contains($0.sha256) }.flatMap { artifacts(of: $0, in: summaries) }
            .map(\.digest).filter { artifacts.remove($0) }
    }

    /// An artifact is stale when the file that it was made from is gone.
    private func removeStaleArtifacts() -> [String] {
        artifacts.list().filter { files.isCertainlyGone($0.source.path) }.map(\.digest).filter { artifacts.remove($0) }
    }
}
