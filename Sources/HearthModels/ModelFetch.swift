internal import Dispatch
package import HearthCompute
package import HearthDelivery
internal import Synchronization

/// Fetches a model in the background of a program that does not wait for it, with the same verification as
/// ``ModelCatalog/pull(_:name:sha256:progress:)`` and into the same library.
package final class ModelFetch: Sendable {
    /// Whether a model has to be fetched.
    package enum Need {
        /// The model is a file, or the name of an existing one.
        case none
        /// It was fetched before, and is installed under this name.
        case installed(name: String)
        case fetch(ModelFetch)
    }

    /// The model's expected name.
    package let name: String
    private let origin: PullOrigin
    private let chosenName: String?
    private let installer: ModelInstaller
    private let attempt = Mutex<Attempt?>(nil)

    /// A running attempt, and a semaphore that signals its end.
    private struct Attempt {
        var work: Task<PullResult, any Error>
        var ended = DispatchSemaphore(value: 0)
    }

    /// Time for an interrupted attempt to save partial downloads.
    private static let lastWords = DispatchTimeInterval.milliseconds(100)

    private init(_ origin: PullOrigin, name: String?, _ kernels: KernelSet) throws {
        self.origin = origin
        chosenName = name
        self.name = name ?? PullRequest.suggestedName(for: origin.source) ?? "model"
        let compilers = ModelCompilers.all(folders: try InstalledModels.folders(), kernels: kernels)
        installer = ModelInstaller(library: origin.library, downloader: origin.downloader, compilers: compilers)
    }

    /// Whether a string is something to fetch: an address, or a manifest.
    package static func isSource(_ model: String) -> Bool {
        model.contains("://") || model.lowercased().hasSuffix(".json")
    }

    /// Finds out whether a model has to be fetched.
    /// - Parameter kernels: the kernel set that the model is compiled for.
    /// - Throws: ``ModelCatalogError``, ``DeliveryError``: all errors that can be detected without a network.
    package static func ifNeeded(
        for model: String, sha256: String?, name: String?, kernels: KernelSet
    ) async throws -> Need {
        guard isSource(model) else { return try removed(model, kernels).map { .fetch($0) } ?? .none }
        if case .address = try PullOrigin.kind(of: model, exists: { _ in false }) {
            try PullRequest.check(address: model)
        }
        let library = try InstalledModels.library()
        let address = PullRequest.recordedAddress(model)
        // `sha256` is the digest of the file at the address; so is the record's, unless the address is that of a
        // manifest.
        let known = library.listing().models.first {
            $0.isCurrent && $0.isWhole && $0.record.source == address && (name ?? $0.name) == $0.name
                && (sha256 == nil || $0.record.revision != nil || $0.sha256 == sha256)
        }
        if let known { return .installed(name: known.name) }
        let origin = PullOrigin(source: model, sha256: sha256, library: library, downloader: Downloader())
        // A local manifest is checked at once.
        if !model.contains("://") { _ = try await origin.resolve() }
        return .fetch(try ModelFetch(origin, name: name, kernels))
    }

    /// The fetch of an installed model whose files are gone, for example because the system removed them to free space:
    /// it is fetched again from its source. nil for any other name.
    private static func removed(_ name: String, _ kernels: KernelSet) throws -> ModelFetch? {
        guard ModelName.isValid(name), let library = try? InstalledModels.library(), library.current(name) == nil,
            (try? ModelLocator.current.path(of: name)) == nil
        else { return nil }
        let versions = library.versions(of: name).filter { !$0.isWhole && isSource($0.record.source) }
        guard let model = versions.first(where: \.isCurrent) ?? versions.first else { return nil }
        let sha256 = model.record.revision == nil ? model.sha256 : nil
        let origin = PullOrigin(
            source: model.record.source, sha256: sha256, library: library, downloader: Downloader())
        return try ModelFetch(origin, name: name, kernels)
    }

    /// Makes one attempt to install the model.
    /// - Throws: ``DeliveryError`` and other errors of an installation, `CancellationError`.
    package func bring(_ progress: @escaping @Sendable (PullProgress) -> Void) async throws -> PullResult {
        let work = Task { [origin, installer, chosenName] in
            try await installer.pull(try await origin.request(name: chosenName), progress: progress)
        }
        let ended = attempt.withLock { attempt in
            let new = Attempt(work: work)
            attempt = new
            return new.ended
        }
        defer {
            attempt.withLock { $0 = nil }
            ended.signal()
        }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    /// Saves partial downloads when the process is about to end. Returns within 100 ms.
    /// - Returns: whether an attempt was running.
    package func interrupt() -> Bool {
        guard let attempt = attempt.withLock({ $0 }) else { return false }
        attempt.work.cancel()
        _ = attempt.ended.wait(timeout: .now() + Self.lastWords)
        return true
    }
}
