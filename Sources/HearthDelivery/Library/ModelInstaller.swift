internal import Foundation
internal import HearthSystem
internal import Synchronization

/// Brings a model from an address into the library, and has it compiled.
///
/// Downloaded, verified, refused if it is no model, installed, compiled, made current: in this order, so that the version
/// before answers until the new one can. Whatever ends this in the middle, doing it again goes on from there.
package struct ModelInstaller: Sendable {
    private let library: ModelLibrary
    private let downloader: Downloader
    private let compiler: any ModelCompiler
    private let memory: Int

    /// Puts together what a pull needs.
    /// - Parameter memory: bytes of memory that the device has; nil finds them out.
    package init(
        library: ModelLibrary, downloader: Downloader, compiler: any ModelCompiler,
        memory: Int? = nil
    ) {
        self.memory = memory ?? Int(clamping: ProcessInfo.processInfo.physicalMemory)
        self.library = library
        self.downloader = downloader
        self.compiler = compiler
    }

    /// A file to fetch, and what is known of it.
    private struct Wanted {
        var path: String
        var request: DownloadRequest
    }

    /// One file's part of all that is fetched, where a manifest says how much that is.
    private struct Share: Sendable {
        var before: Int
        var all: Int

        /// A file's progress as that of the whole.
        func widened(_ progress: PullProgress) -> PullProgress {
            guard all > 0 else { return progress }
            var progress = progress
            progress.bytes += before
            progress.total = all
            if progress.bytesPerSecond > 0 {
                progress.secondsLeft = Double(max(0, all - progress.bytes)) / progress.bytesPerSecond
            }
            return progress
        }
    }

    private struct Fetched: Sendable {
        var file: ModelRecord.File
        var resumedFrom: Int
        /// Keeps the bytes from being tidied away until the record names them.
        var hold: ModelLease?
    }

    /// - Throws: `DeliveryError`, `CancellationError`, and what the compiler throws.
    package func pull(
        _ request: PullRequest, progress: @escaping @Sendable (PullProgress) -> Void = { _ in }
    ) async throws -> PullResult {
        let name = try Self.name(of: request)
        // Before a byte is fetched: what cannot run here is not worth a download.
        if case .manifest(let manifest, _, _) = request.origin, let needed = manifest.leastMemory, needed > memory,
            !request.allowLittleMemory
        {
            throw DeliveryError.tooLittleMemory(name: name, needed: needed, available: memory)
        }
        let storage = try await OwnThread.run { _ -> StorageClass in
            let storage = request.storage ?? library.storage(of: name) ?? .kept
            try library.check(
                name: name, version: nil, files: Self.declared(request), revision: Self.revision(request),
                storage: storage, allowDowngrade: request.allowDowngrade)
            try library.removeLeftovers()
            try library.makePartialFolder(storage)
            return storage
        }
        let wanted = try await wanted(request, name: name)
        var fetched: [Fetched] = []
        let declared = Self.declared(request).map(\.bytes)
        for (index, want) in wanted.enumerated() {
            let share = Share(before: declared.prefix(index).reduce(0, +), all: declared.reduce(0, +))
            fetched.append(
                try await fetch(want, isModel: index == 0, storage: storage) { progress(share.widened($0)) })
        }
        let files = fetched.map(\.file)
        progress(PullProgress(phase: .installing, bytes: 0, total: nil, bytesPerSecond: 0, secondsLeft: nil))
        let version = Self.revision(request)?.description ?? String(files.first?.sha256.prefix(12) ?? "")
        let record = try await OwnThread.run { _ in
            try library.install(
                .init(
                    name: name, version: version, files: files, source: Self.address(request),
                    revision: Self.revision(request), storage: storage, staged: [:]))
        }
        let notice = try await activate(record, request, storage, progress)
        withExtendedLifetime(fetched) {}
        return PullResult(
            record: record, resumedFrom: fetched.reduce(0) { $0 + $1.resumedFrom },
            isCurrent: library.current(name)?.version == record.version, notice: notice)
    }

    // MARK: - Steps

    private func fetch(
        _ want: Wanted, isModel: Bool, storage: StorageClass, _ progress: @escaping @Sendable (PullProgress) -> Void
    ) async throws -> Fetched {
        let holds = Mutex<[ModelLease]>([])
        let (library, compiler) = (library, compiler)
        let path = want.path
        let address = DownloadAddress.withoutSecrets(want.request.urls.first ?? "")
        let done = try await downloader.download(
            want.request, into: library.partialFolder(storage),
            alreadyThere: { sha256, check in
                guard let sha256 else { return nil }
                let blob = library.blobPath(sha256, storage: storage)
                guard let status = try library.files.status(blob), status.kind == .file,
                    let hold = library.holdBlob(
                        .init(path: path, bytes: status.size, sha256: sha256), storage: storage),
                    // Pulling again is how a damaged file is repaired.
                    try FileDigest.sha256(blob, progress: { _ in try check() }) == sha256
                else { return nil }
                holds.withLock { $0.append(hold) }
                return DownloadedFile(path: blob, bytes: status.size, sha256: sha256, resumedFrom: 0)
            },
            install: { file in
                if isModel {
                    do { try compiler.validate(file.path) } catch {
                        try? library.files.unlink(file.path)
                        // What it is called here is nobody's business.
                        let reason = error.localizedDescription.replacing(file.path, with: path)
                        throw DeliveryError.notAModel(url: address, reason: reason)
                    }
                }
                let record = ModelRecord.File(path: path, bytes: file.bytes, sha256: file.sha256)
                let hold = try library.stage(record, at: file.path, storage: storage)
                holds.withLock { $0.append(hold) }
                var moved = file
                moved.path = library.blobPath(file.sha256, storage: storage)
                return moved
            },
            progress: {
                progress(
                    PullProgress(
                        phase: $0.isWaiting ? .waiting : .downloading, bytes: $0.bytes, total: $0.total,
                        bytesPerSecond: $0.bytesPerSecond,
                        secondsLeft: $0.secondsLeft))
            })
        let file = ModelRecord.File(path: path, bytes: done.bytes, sha256: done.sha256)
        // Another task of this process may have done the work; then the file is held here for the first time.
        let hold = holds.withLock { $0.first } ?? library.holdBlob(file, storage: storage)
        return Fetched(file: file, resumedFrom: done.resumedFrom, hold: hold)
    }

    /// Compiles, and makes the version current where that succeeds.
    /// - Returns: what the user should know.
    private func activate(
        _ record: ModelRecord, _ request: PullRequest, _ storage: StorageClass,
        _ progress: @escaping @Sendable (PullProgress) -> Void
    ) async throws -> String? {
        guard let main = record.main else { return nil }
        let path = library.blobPath(main.sha256, storage: storage)
        let compiler = compiler
        let outcome = try await OwnThread.run { isCancelled in
            try compiler.compile(path, sha256: main.sha256) {
                if isCancelled() { throw CancellationError() }
                progress(
                    PullProgress(phase: .compiling, bytes: $0, total: $1, bytesPerSecond: 0, secondsLeft: nil))
            }
        }
        let (name, version) = (record.name, record.version)
        var notice: String?
        if case .notRunnable(let reason) = outcome {
            // Whoever has nothing better may still look at it; but it takes no working model's place.
            let current = library.current(name)
            if let current, current.version != version {
                return "\(name) stays at \(current.version): this build does not run \(version): \(reason)"
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
            notice = "\(name) stays at \(current.version), which is pinned; 'hearth models --unpin \(name)' ends that"
        }
        return notice
    }

    // MARK: - What is asked for

    private func wanted(_ request: PullRequest, name: String) async throws -> [Wanted] {
        switch request.origin {
        case .url(let url):
            let address = PullRequest.fileAddress(url)
            return [Wanted(path: name + ".gguf", request: DownloadRequest(urls: [address], sha256: request.sha256))]
        case .manifest(let manifest, let source, _):
            var wanted: [Wanted] = []
            for file in manifest.files {
                wanted.append(
                    Wanted(path: file.path, request: try await source.location(of: file).request(for: file)))
            }
            return wanted
        }
    }

    private static func name(of request: PullRequest) throws(DeliveryError) -> String {
        if let name = request.name { return name }
        switch request.origin {
        case .manifest(let manifest, _, _): return manifest.name
        case .url(let url):
            let path = PullRequest.path(of: PullRequest.fileAddress(url))
            guard let name = ModelName.suggested(forPath: path) else { throw .noNameInAddress(url) }
            return name
        }
    }

    private static func declared(_ request: PullRequest) -> [ModelRecord.File] {
        guard case .manifest(let manifest, _, _) = request.origin else { return [] }
        return manifest.files.map { .init(path: $0.path, bytes: $0.bytes, sha256: $0.sha256) }
    }

    private static func revision(_ request: PullRequest) -> ModelVersion? {
        guard case .manifest(let manifest, _, _) = request.origin else { return nil }
        return manifest.version
    }

    private static func address(_ request: PullRequest) -> String {
        switch request.origin {
        case .url(let url): DownloadAddress.withoutSecrets(PullRequest.fileAddress(url))
        case .manifest(_, _, let address): DownloadAddress.withoutSecrets(address)
        }
    }
}
