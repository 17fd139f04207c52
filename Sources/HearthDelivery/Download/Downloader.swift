internal import Foundation
package import HearthSystem

/// Downloads files: resumed after interruptions, verified as they arrive, and only once however many callers ask.
///
///     let file = try await downloader.download(DownloadRequest(manifest.files[0]), into: partials) { progress in … }
///
/// The folder holds partial files between attempts and between processes; use one folder for all downloads. Nothing is written
/// anywhere else: `install` moves a verified file to its place.
package actor Downloader {
    private let limits: DeliveryLimits
    private let files: any FileOperations
    private let environment: [String: String]
    private var flights: [String: Flight] = [:]

    /// - Parameter environment: names proxies and certificate authorities.
    package init(
        limits: DeliveryLimits = DeliveryLimits(), files: any FileOperations = SystemFiles(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.limits = limits
        self.files = files
        self.environment = environment
    }

    /// Looks for a file that need not be downloaded.
    ///
    /// Called with the digest of its content: the request's, or that of the file that another process has just downloaded from
    /// the same address while this one waited; nil if neither is known. The second argument throws if the download was
    /// cancelled; a long lookup has to call it every 50 ms.
    package typealias Lookup = @Sendable (_ sha256: String?, _ check: () throws -> Void) throws -> DownloadedFile?

    /// Moves a verified file to its place. The second argument is the same as that of ``Lookup``.
    package typealias Install = @Sendable (DownloadedFile, _ check: () throws -> Void) throws -> DownloadedFile

    /// Downloads one file and verifies it.
    ///
    /// If two processes want the same file, one downloads it and the other waits, then calls `alreadyThere` with the digest of
    /// what the first one installed. Two tasks of one process share a download, which stops when the last of them is cancelled.
    /// What has arrived is kept, and the next call resumes from there.
    ///
    /// - Parameters:
    ///   - alreadyThere: called when it is this process's turn; a result ends the download.
    ///   - install: called with the verified file while the lock is held, on a thread that may be blocked. It moves the file (whose
    ///     bytes are not flushed to the disk yet) and returns it with its new path; the rest in the partial folder is then
    ///     removed. A file that it does not move stays. Without `install` everything stays, and the next call finds it.
    ///   - progress: called about ten times a second, on any thread.
    /// - Throws: `DeliveryError`, `CancellationError`, or what the closures throw.
    package func download(
        _ request: DownloadRequest, into folder: String,
        alreadyThere: @escaping Lookup = { _, _ in nil },
        install: Install? = nil,
        progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
    ) async throws -> DownloadedFile {
        try Task.checkCancellation()
        let key = PartialPlace(folder: folder, request: request, boot: "").lock
        let waiter = UUID()
        let flight = flights[key] ?? takeOff(request, folder, key, .init(alreadyThere: alreadyThere, install: install))
        flight.listeners.add(waiter, progress)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                flight.waiters[waiter] = continuation
                // Cancelled before the download began.
                if Task.isCancelled { leave(waiter, flight, key) }
            }
        } onCancel: {
            Task { await self.leave(waiter, flight, key) }
        }
    }

    /// Removes partial files in a folder that have not been modified for a while.
    package func removeLeftovers(in folder: String, olderThan seconds: Double) throws {
        let now = Date().timeIntervalSince1970
        do throws(FileFailure) {
            guard try files.status(folder) != nil else { return }
            for name in try files.list(folder)
            where name.hasSuffix(".part") || name.hasSuffix(".journal") || name.hasSuffix(".lock") {
                let path = "\(folder)/\(name)"
                guard let status = try files.status(path), now - status.modified > seconds else { continue }
                try files.unlink(path)
            }
        } catch {
            throw DeliveryError(error)
        }
    }

    // MARK: One download for all who ask

    private func takeOff(
        _ request: DownloadRequest, _ folder: String, _ key: String, _ steps: DownloadSession.Steps
    ) -> Flight {
        let flight = Flight()
        flights[key] = flight
        let listeners = flight.listeners
        let context = DownloadContext(
            request: request, limits: limits, files: files, environment: environment,
            cancellation: flight.cancellation, report: { listeners.tell($0) })
        // Transfers, locks and digests block, so they run on their own thread, not on one of the pool's.
        let thread = Thread {
            blockBrokenPipeSignal()
            let result = Result { try DownloadSession(context, folder: folder, steps: steps).run() }
            Task { await self.land(flight, key, result) }
        }
        thread.stackSize = 1 << 20
        thread.name = "hearth download"
        thread.start()
        return flight
    }

    private func land(_ flight: Flight, _ key: String, _ result: Result<DownloadedFile, any Error>) {
        if flights[key] === flight { flights[key] = nil }
        for waiter in flight.waiters.values { waiter.resume(with: result) }
        flight.waiters = [:]
    }

    private func leave(_ waiter: UUID, _ flight: Flight, _ key: String) {
        guard let continuation = flight.waiters[waiter] else { return }
        flight.listeners.remove(waiter)
        if flight.waiters.count > 1 {
            flight.waiters[waiter] = nil
            continuation.resume(throwing: CancellationError())
            return
        }
        // The last one. It returns when the thread has written what it holds, or shortly after.
        if flights[key] === flight { flights[key] = nil }
        flight.cancellation.cancel()
        Task {
            try? await Task.sleep(for: .milliseconds(120))
            self.abandon(waiter, flight)
        }
    }

    private func abandon(_ waiter: UUID, _ flight: Flight) {
        flight.waiters.removeValue(forKey: waiter)?.resume(throwing: CancellationError())
    }
}

/// A download in progress and its waiters, which belong to the downloader.
private final class Flight: @unchecked Sendable {
    let cancellation = Cancellation()
    let listeners = Listeners()
    var waiters: [UUID: CheckedContinuation<DownloadedFile, any Error>] = [:]
}

/// Receivers of progress.
private final class Listeners: @unchecked Sendable {
    private let lock = NSLock()
    private var listeners: [UUID: @Sendable (DownloadProgress) -> Void] = [:]

    func add(_ id: UUID, _ listener: @escaping @Sendable (DownloadProgress) -> Void) {
        lock.withLock { listeners[id] = listener }
    }

    func remove(_ id: UUID) { lock.withLock { listeners[id] = nil } }

    func tell(_ progress: DownloadProgress) {
        let all = lock.withLock { Array(listeners.values) }
        for listener in all { listener(progress) }
    }
}

/// A server that closes its connection must not end the program: SIGPIPE is sent to the writing thread.
private func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}
