internal import Foundation
internal import HearthSystem

/// Installs a model from an address into the library, and has it compiled.
///
/// The model is downloaded, verified, rejected if it is not a model, installed, compiled and made current, in this order, so
/// that the previous version is used until the new one is ready. An interrupted installation can be resumed at any step.
package struct ModelInstaller: Sendable {
    let library: ModelLibrary
    let downloader: Downloader
    private let compilers: [ModelEngineKind: any ModelCompiler]
    private let memory: Int

    /// Creates an installer.
    /// - Parameters:
    ///   - compilers: one for each engine of this program.
    ///   - memory: bytes of memory that the device has; nil finds them out.
    package init(
        library: ModelLibrary, downloader: Downloader, compilers: [ModelEngineKind: any ModelCompiler],
        memory: Int? = nil
    ) {
        self.memory = memory ?? Int(clamping: ProcessInfo.processInfo.physicalMemory)
        self.library = library
        self.downloader = downloader
        self.compilers = compilers
    }

    /// - Throws: `DeliveryError`, `CancellationError`, and errors of the compiler.
    package func pull(
        _ request: PullRequest, progress: @escaping @Sendable (PullProgress) -> Void = { _ in }
    ) async throws -> PullResult {
        let name = try request.modelName()
        // Before anything is downloaded: a model that cannot run here is not worth it.
        if case .manifest(let manifest, _, _) = request.origin, let needed = manifest.leastMemory, needed > memory,
            !request.allowLittleMemory
        {
            throw DeliveryError.tooLittleMemory(name: name, needed: needed, available: memory)
        }
        let storage = try await OwnThread.run { _ in try prepare(request, name: name) }
        let target = Target(
            name: name, source: request.recordedAddress, revision: request.revision, storage: storage)
        let arrival: Arrival
        do {
            arrival = try await fetch(request, target, progress)
            await release(request)
        } catch {
            await release(request)
            throw error
        }
        progress(PullProgress(phase: .installing, bytes: 0, total: nil, bytesPerSecond: 0, secondsLeft: nil))
        let record = try await OwnThread.run { _ in try library.install(target.candidate(arrival.model)) }
        let notice = try await activate(record, request, storage, progress)
        withExtendedLifetime(arrival.holds) {}
        return PullResult(
            record: record, downloadedBytes: arrival.model.archive?.bytes ?? record.bytes,
            downloadedSHA256: arrival.model.archive?.sha256 ?? record.sha256, resumedFrom: arrival.resumedFrom,
            isCurrent: library.current(name)?.version == record.version, notice: notice.text,
            isHeldByPin: notice.isHeldByPin)
    }

    /// What is installed, but for the files.
    struct Target: Sendable {
        var name: String
        var source: String
        var revision: ModelVersion?
        var storage: StorageClass

        func candidate(_ model: ArrivedModel) -> ModelLibrary.Candidate {
            ModelLibrary.Candidate(
                name: name, version: revision?.description ?? String(model.sha256.prefix(12)), files: model.files,
                engine: model.engine, archive: model.archive, source: source, revision: revision, storage: storage,
                staged: [:])
        }
    }

    // MARK: - Steps

    /// Releases what a source holds for the files: they have been installed in the library, or are not needed.
    private func release(_ request: PullRequest) async {
        if case .manifest(_, let source, _) = request.origin { await source.release() }
    }

    private func fetch(
        _ request: PullRequest, _ target: Target, _ progress: @escaping @Sendable (PullProgress) -> Void
    ) async throws -> Arrival {
        let wanted = try await wanted(request, name: target.name)
        do {
            return wanted.count == 1
                ? try await fetchModel(wanted[0], declared: request.engine, target, progress)
                : try await fetchFiles(wanted, engine: request.engine ?? .text, target, progress)
        } catch DeliveryError.refusedByServer(let url, let status) {
            guard case .files(let files) = request.origin, let hub = files.hub else {
                throw DeliveryError.refusedByServer(url: url, status: status)
            }
            throw DeliveryError.hubRefused(repository: hub.repository, status: status, hasToken: hub.hasToken)
        } catch let error as DeliveryError {
            switch error {
            // The downloaded and unpacked files are no longer needed.
            case .notAModel, .invalidArchive, .unsafeManifest:
                try? await OwnThread.run { _ in try library.removeLeftovers() }
            default: break
            }
            throw error
        }
    }

    /// Refuses what can be refused before anything is downloaded, and removes leftovers.
    private func prepare(_ request: PullRequest, name: String) throws -> StorageClass {
        let storage = request.storage ?? library.storage(of: name) ?? .kept
        let declared = request.declaredFiles
        try library.check(
            name: name, version: nil, files: declared, engine: request.engine ?? .text, revision: request.revision,
            storage: storage, allowDowngrade: request.allowDowngrade)
        if request.engine == .coreml, declared.count > 1 {
            do throws(PackageChoice.Problem) { _ = try PackageChoice(declared.map(\.path)) } catch {
                throw DeliveryError.unsafeManifest(name: name, reason: error.reason)
            }
        }
        try library.removeLeftovers(except: Set(declared.map(\.sha256) + [request.sha256].compactMap(\.self)))
        try library.makePartialFolder(storage)
        return storage
    }

    private func wanted(_ request: PullRequest, name: String) async throws -> [WantedFile] {
        switch request.origin {
        case .url(let url):
            let address = PullRequest.fileAddress(url)
            return [WantedFile(path: nil, request: DownloadRequest(urls: [address], sha256: request.sha256))]
        case .files(let files): return files.files
        case .manifest(let manifest, let source, _):
            var wanted: [WantedFile] = []
            for file in manifest.files {
                wanted.append(
                    WantedFile(path: file.path, request: try await source.location(of: file).request(for: file)))
            }
            return wanted
        }
    }

    /// The compiler of an engine.
    /// - Throws: `DeliveryError.noEngine` if this program does not have the engine.
    func compiler(for engine: ModelEngineKind, name: String) throws(DeliveryError) -> any ModelCompiler {
        guard let compiler = compilers[engine] else { throw .noEngine(name: name, engine: engine.rawValue) }
        return compiler
    }

    /// Compiles the version, and makes it current if that succeeds.
    /// - Returns: what the user should know, and whether another version is pinned.
    private func activate(
        _ record: ModelRecord, _ request: PullRequest, _ storage: StorageClass,
        _ progress: @escaping @Sendable (PullProgress) -> Void
    ) async throws -> (text: String?, isHeldByPin: Bool) {
        let path = library.path(of: record, storage: storage)
        let compiler = try compiler(for: record.engine, name: record.name)
        let outcome = try await OwnThread.run { isCancelled in
            try compiler.compile(path, sha256: record.sha256) {
                if isCancelled() { throw CancellationError() }
                progress(
                    PullProgress(phase: .compiling, bytes: $0, total: $1, bytesPerSecond: 0, secondsLeft: nil))
            }
        }
        let (name, version) = (record.name, record.version)
        var notice: String?
        if case .notRunnable(let reason) = outcome {
            // It becomes current if there is no other version, but it never replaces a working model.
            let current = library.current(name)
            if let current, current.version != version {
                return ("\(name) stays at \(current.version): this build does not run \(version): \(reason)", false)
            }
            notice = "this build does not run the model: \(reason)"
        }
        try await OwnThread.run { _ in
            if request.pins {
                try library.pin(name: name, version: version)
            } else {
                try library.activate(name: name, version: version)
            }
        }
        if let current = library.current(name), current.version != version {
            return ("\(name) stays at \(current.version), which is pinned", true)
        }
        return (notice, false)
    }
}
