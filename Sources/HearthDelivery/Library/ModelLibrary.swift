internal import Foundation
package import HearthSystem

/// The installed models: which there are, where their files are, and which version is current.
///
/// Files are stored under their digest and never change; a version is a record that names them, written last; which version a
/// name stands for is one more file. Each change is a rename of a file that is on the disk already, so a crash at any moment
/// leaves the library as it was before or as it is after. Several processes may use one library.
///
/// Reading never throws for unexpected files in the folders; they become notices. Functions that change something block while
/// they wait for the disk, so do not call them on the threads of Swift's concurrency pool.
package struct ModelLibrary: Sendable {
    let stores: [LibraryStore]
    let artifacts: ArtifactCache
    let files: any FileOperations
    let now: @Sendable () -> Double

    /// - Parameters:
    ///   - folders: the folders of the library; created when something is installed.
    ///   - artifacts: the compiled artifacts; by default those in the cache of `folders`.
    ///   - files: the file system.
    ///   - now: seconds since 1970.
    package init(
        folders: HearthFolders, artifacts: ArtifactCache? = nil, files: any FileOperations = SystemFiles(),
        now: @escaping @Sendable () -> Double = ModelLibrary.systemTime
    ) {
        stores = [
            LibraryStore(root: LibraryRoot(path: folders.models, storage: .kept), files: files),
            LibraryStore(root: LibraryRoot(path: folders.purgeableModels, storage: .purgeable), files: files),
        ]
        self.artifacts = artifacts ?? ArtifactCache(folder: folders.artifacts, files: files)
        self.files = files
        self.now = now
    }

    /// Seconds since 1970 by the system's clock.
    package static let systemTime: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    func store(_ storage: StorageClass) -> LibraryStore { stores[storage == .kept ? 0 : 1] }

    // MARK: - Reading

    /// Everything that is installed.
    package func listing() -> LibraryListing {
        var models: [InstalledModel] = []
        var notices: [String] = []
        var failure: FileFailure?
        for store in stores {
            var findings = store.scan()
            for (name, versions) in Dictionary(grouping: findings.versions, by: \.record.name) {
                let selection = selection(name, in: store, &findings)
                if selection == .unreadable {
                    notices.append("cannot be read, so the latest version is used (\(store.root.selection(name)))")
                }
                models += installed(versions, selection, in: store, &findings)
            }
            notices += findings.notices
            failure = failure ?? findings.failure
        }
        for model in models where !model.isWhole {
            notices.append(
                "\(model.name) \(model.version) is incomplete: \(model.missing.joined(separator: ", ")) "
                    + "(\(store(model.storage).root.path)). Pull it again, or prune")
        }
        models.sort {
            ($0.name, $1.record.sequence, $0.version, $0.storage.rawValue)
                < ($1.name, $0.record.sequence, $1.version, $1.storage.rawValue)
        }
        return LibraryListing(models: models, notices: notices, failure: failure)
    }

    /// The name of the installed Core ML model whose package is at an absolute path, links resolved; nil for every other path.
    package static func modelName(ofPackage path: String, files: any FileOperations = SystemFiles()) -> String? {
        LibraryStore.modelName(ofPackage: path, files: files)
    }

    /// All versions of a model.
    package func versions(of name: String) -> [InstalledModel] {
        look(for: name).models
    }

    /// All versions of one model, for callers that change something.
    /// - Throws: if something could not be read, because it may exist anyway.
    func knownVersions(of name: String) throws(DeliveryError) -> [InstalledModel] {
        let (models, failure) = look(for: name)
        if let failure { throw DeliveryError(failure) }
        return models
    }

    private func look(for name: String) -> (models: [InstalledModel], failure: FileFailure?) {
        guard ModelName.isValid(name) else { return ([], nil) }
        var models: [InstalledModel] = []
        var failure: FileFailure?
        for store in stores {
            var findings = store.scan(name)
            let selection = selection(name, in: store, &findings)
            models += installed(findings.versions, selection, in: store, &findings)
            failure = failure ?? findings.failure
        }
        return (models, failure)
    }

    private func selection(
        _ name: String, in store: LibraryStore, _ findings: inout LibraryStore.Findings
    ) -> VersionSelection.Stored {
        do throws(FileFailure) { return try store.storedSelection(name) } catch {
            findings.note(error)
            return .unreadable
        }
    }

    /// The current version of a model, complete and compiled; nil if there is none.
    ///
    /// Reads a few small files; used at every start.
    package func current(_ name: String) -> InstalledModel? {
        guard ModelName.isValid(name) else { return nil }
        for store in stores {
            // Most names are not installed, which costs only this call.
            guard files.exists(store.root.folder(name)) else { continue }
            var findings = store.scan(name)
            let selection = store.selection(name)
            let found = installed(findings.versions, selection, in: store, &findings).first {
                $0.isCurrent && $0.isWhole
            }
            if let found { return found }
        }
        return nil
    }

    /// The digest that an installed model must have, by its file or package; nil for paths outside the library.
    /// - Parameter path: links are followed.
    package func sha256(ofFileAt path: String) -> String? {
        guard let real = RealPath.of(path), let slash = real.lastIndex(of: "/") else { return nil }
        let (folder, name) = (String(real[..<slash]), String(real[real.index(after: slash)...]))
        let digest = String(name.prefix { $0 != "." })
        let isOurs = stores.contains { store in
            RealPath.of(name == digest ? store.root.blobs : store.root.packages) == folder
        }
        return ModelName.isDigest(digest) && isOurs ? digest : nil
    }

    private func installed(
        _ versions: [LibraryStore.Version], _ selection: VersionSelection.Stored, in store: LibraryStore,
        _ findings: inout LibraryStore.Findings
    ) -> [InstalledModel] {
        let current = VersionSelection.current(of: selection, among: versions.map(\.candidate))
        var pinned: String?
        if case .value(let value) = selection { pinned = value.pinned }
        return versions.map { version in
            let record = version.record
            var use: LastUse?
            do throws(FileFailure) { use = try store.lastUse(record.name, record.version) } catch {
                findings.note(error)
            }
            return InstalledModel(
                record: record, storage: store.root.storage,
                path: path(of: record, storage: store.root.storage),
                missing: version.missing, isCurrent: record.version == current, isPinned: record.version == pinned,
                lastUsed: use?.time, sequence: max(use?.sequence ?? 0, record.sequence))
        }
    }

    // MARK: - Using

    /// Leases a version and records its use.
    /// - Returns: nil if no lease can be had: the version is being removed, or the library is read-only and the version was never
    ///   leased before.
    package func use(_ model: InstalledModel) -> ModelLease? {
        let store = store(model.storage)
        let lease = store.lease(model.name, model.version)
        let time = now()
        let use = LastUse(sequence: UsageClock.next(after: numbers(), now: time), time: time)
        // A use that cannot be recorded must not prevent a start.
        try? store.noteUse(model.name, model.version, use)
        return lease
    }

    /// The current version of a model, leased so that nobody removes it.
    /// - Returns: nil if there is none. There is no lease if the library is read-only, such as another user's; its models can
    ///   still be used.
    package func useCurrent(_ name: String) -> (model: InstalledModel, lease: ModelLease?)? {
        for _ in 0..<3 {
            guard let model = current(name) else { return nil }
            if let lease = use(model) { return (model, lease) }
            // It may be in the process of being removed.
            if current(name) != nil { return (model, nil) }
        }
        return nil
    }

    /// The next number in the order of installations and uses.
    func nextSequence() -> Int {
        UsageClock.next(after: numbers() + listing().models.map(\.record.sequence), now: now())
    }

    private func numbers() -> [Int] { stores.flatMap { $0.useNumbers() } }
}
