#if canImport(Darwin)
internal import Foundation
internal import HearthDelivery
public import HearthSystem
internal import Synchronization

/// Downloads that continue while the app is suspended or terminated, using a background `URLSession`.
///
///     let downloads = BackgroundDownloads(identifier: "com.example.models", folders: folders) { source, _ in
///         Task { try await catalog.pull(source, name: "gemma") }      // verifies and installs what has arrived
///     }
///     try await downloads.begin("https://huggingface.co/ORG/REPO/resolve/main/FILE.gguf")
///
/// Create it at each start of the app with the same identifier, to receive downloads that completed meanwhile. Data is written
/// to the partial files of `ModelCatalog.pull` with the same journal, so that either can resume what the other started. The
/// system follows redirects itself; the file is therefore verified by its digest only.
public final class BackgroundDownloads: Sendable {
    private let session: URLSession
    private let delegate: Delegate
    private let delivery: BackgroundDelivery

    /// Creates the session.
    /// - Parameters:
    ///   - identifier: the session's identifier, the same at each start.
    ///   - onExpensiveNetworks: whether mobile networks and hotspots may be used.
    ///   - onEnd: called on any thread with the address of each download that ended, and its error; nil if it is complete.
    public init(
        identifier: String, folders: HearthFolders, onExpensiveNetworks: Bool = false,
        onEnd: @escaping @Sendable (_ source: String, _ error: (any Error)?) -> Void
    ) {
        delivery = BackgroundDelivery(folder: ModelLibrary(folders: folders).partialFolder(.kept))
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sessionSendsLaunchEvents = true
        configuration.isDiscretionary = false
        configuration.allowsExpensiveNetworkAccess = onExpensiveNetworks
        configuration.allowsConstrainedNetworkAccess = onExpensiveNetworks
        configuration.httpShouldSetCookies = false
        delegate = Delegate(delivery, onEnd)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Starts a download, unless it is in progress or complete.
    /// - Parameters:
    ///   - source: an address as accepted by `ModelCatalog.pull`.
    ///   - sha256: the expected digest of the file; the same as passed to the pull.
    /// - Throws: `DeliveryError`; `CancellationError` while a pull of the file is running.
    public func begin(_ source: String, sha256: String? = nil) async throws {
        let request = DownloadRequest(urls: [PullRequest.fileAddress(source)], sha256: sha256?.lowercased())
        let underWay = await session.allTasks.compactMap { BackgroundTransfer(description: $0.taskDescription) }
        switch try await OwnThread.run({ [delivery] _ in try delivery.plan(request, underWay: underWay) }) {
        case .begin(let transfer): try Self.begin(transfer, in: session)
        case .complete: delegate.onEnd(request.urls[0], nil)
        case .underWay: break
        }
    }

    /// Call it from `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    public func handleEvents(completion: @escaping @MainActor @Sendable () -> Void) {
        delegate.completion.withLock { $0 = completion }
    }

    fileprivate static func begin(_ transfer: BackgroundTransfer, in session: URLSession) throws {
        guard let url = URL(string: transfer.url) else {
            throw DeliveryError.invalidAddress(url: transfer.url, reason: "it is not a URL")
        }
        var message = URLRequest(url: url)
        for (name, value) in transfer.headers { message.setValue(value, forHTTPHeaderField: name) }
        let task = session.downloadTask(with: message)
        task.taskDescription = transfer.description
        task.resume()
    }
}

/// Handles the session's events.
private final class Delegate: NSObject, URLSessionDownloadDelegate, Sendable {
    let onEnd: @Sendable (String, (any Error)?) -> Void
    let completion = Mutex<(@MainActor @Sendable () -> Void)?>(nil)
    private let delivery: BackgroundDelivery

    init(_ delivery: BackgroundDelivery, _ onEnd: @escaping @Sendable (String, (any Error)?) -> Void) {
        self.delivery = delivery
        self.onEnd = onEnd
    }

    /// Takes over the file before returning, because the system then deletes it.
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let transfer = BackgroundTransfer(description: downloadTask.taskDescription),
            let response = downloadTask.response as? HTTPURLResponse
        else { return }
        do {
            switch try delivery.adopt(transfer, TransferResponse(response), body: location.path) {
            case .complete: onEnd(transfer.url, nil)
            case .refused(let error): onEnd(transfer.url, error)
            case .again(let reason):
                let request = DownloadRequest(urls: [transfer.url], sha256: transfer.sha256, bytes: transfer.bytes)
                guard let next = try delivery.next(after: transfer, request) else {
                    throw DeliveryError.unreachable(url: transfer.shownAddress, reason: reason)
                }
                try BackgroundDownloads.begin(next, in: session)
            }
        } catch {
            onEnd(transfer.url, error)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error, let transfer = BackgroundTransfer(description: task.taskDescription) else { return }
        onEnd(transfer.url, error)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        if let completion { Task { @MainActor in completion() } }
    }
}
#endif
