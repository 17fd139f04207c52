#if canImport(Darwin)
internal import Foundation
internal import HearthDelivery
public import HearthSystem
internal import Synchronization

/// Downloads that go on while the app is suspended or gone, by a background `URLSession`.
///
///     let downloads = BackgroundDownloads(identifier: "com.example.models", folders: folders) { source, _ in
///         Task { try await catalog.pull(source, name: "gemma") }      // verifies and installs what has arrived
///     }
///     try await downloads.begin("https://huggingface.co/ORG/REPO/resolve/main/FILE.gguf")
///
/// Make it at each start of the app, with the same identifier: it takes what arrived meanwhile. What arrives goes into the
/// partial files of `ModelCatalog.pull`, under the same journal; a pull that was cut off goes on here, and the other way
/// round. The system follows redirects itself, so the file's digest alone says whether it is the right one.
public final class BackgroundDownloads: Sendable {
    private let session: URLSession
    private let delegate: Delegate
    private let delivery: BackgroundDelivery

    /// - Parameters:
    ///   - identifier: the session's, the same at each start.
    ///   - onExpensiveNetworks: whether it may use mobile networks and hotspots.
    ///   - onEnd: told the address of each download that ended, whole (nil) or with an error, on any thread.
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

    /// Begins a download, unless it is under way or all of it is there.
    /// - Parameters:
    ///   - source: an address as `ModelCatalog.pull` takes it.
    ///   - sha256: that the file must have; the same that the pull will be given.
    /// - Throws: `DeliveryError`; `CancellationError` while a pull of the file is at work.
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

/// Takes what the system brings.
private final class Delegate: NSObject, URLSessionDownloadDelegate, Sendable {
    let onEnd: @Sendable (String, (any Error)?) -> Void
    let completion = Mutex<(@MainActor @Sendable () -> Void)?>(nil)
    private let delivery: BackgroundDelivery

    init(_ delivery: BackgroundDelivery, _ onEnd: @escaping @Sendable (String, (any Error)?) -> Void) {
        self.delivery = delivery
        self.onEnd = onEnd
    }

    /// The file is gone when this returns, so it is taken over before.
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
