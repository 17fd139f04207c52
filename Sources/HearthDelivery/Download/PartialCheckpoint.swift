internal import Foundation
internal import HearthSystem
internal import Synchronization

/// Flushes a partial file and its journal to the disk from time to time, on a thread other than the receiving one; one `fsync`
/// at a time.
///
///     bytes are on the disk ─► the journal says so ─► the journal is on the disk
final class PartialCheckpoint: Sendable {
    /// A flush that has ended.
    struct Result: Sendable {
        /// The length of the journal's part whose bytes are all on the disk; nil if it was the journal that was flushed.
        var journalEnd: Int?
        var failure: FileFailure?
    }

    private struct State {
        var isRunning = false
        var result: Result?
        var lastBytes = 0
        var lastTime: Double?
    }

    private let files: any FileOperations
    private let leastBytes: Int
    private let leastSeconds: Double
    private let state = Mutex(State())

    init(_ limits: DeliveryLimits, files: any FileOperations) {
        self.files = files
        leastBytes = limits.checkpointBytes
        leastSeconds = limits.checkpointSeconds
    }

    /// The one that ended since the last call.
    func finished() -> Result? {
        state.withLock { state in
            defer { state.result = nil }
            return state.result
        }
    }

    /// Begins to flush a partial file, unless there is little new data.
    /// - Parameters:
    ///   - journalEnd: the journal's length; everything that it records was written before this call.
    ///   - bytes: how many bytes of the file have arrived.
    func startIfDue(_ path: String, journalEnd: Int, bytes: Int, now: Double) {
        let isDue = state.withLock { state in
            let last = state.lastTime ?? now
            state.lastTime = last
            let isDue =
                !state.isRunning && bytes > state.lastBytes
                && (bytes - state.lastBytes >= leastBytes || now - last >= leastSeconds)
            if isDue { (state.isRunning, state.lastBytes, state.lastTime) = (true, bytes, now) }
            return isDue
        }
        if isDue { force(path, journalEnd: journalEnd) }
    }

    /// Begins to flush the journal, once it covers the bytes that have arrived.
    func seal(_ journalPath: String) {
        state.withLock { $0.isRunning = true }
        force(journalPath, journalEnd: nil)
    }

    private func force(_ path: String, journalEnd: Int?) {
        DispatchQueue.global(qos: .utility).async { [self] in
            var failure: FileFailure?
            do throws(FileFailure) {
                // A separate descriptor, because the download may end while the disk is busy.
                let file = try files.open(path, .update, permissions: 0)
                defer { files.close(file) }
                try files.synchronize(file)
                var folder = LibraryStore.parent(of: path)
                try files.synchronizeFolder(folder)
                // The parent folders may have been created for this download; some may not be readable.
                while folder != "/" {
                    folder = LibraryStore.parent(of: folder)
                    try? files.synchronizeFolder(folder)
                }
            } catch {
                failure = error
            }
            state.withLock {
                $0.isRunning = false
                $0.result = Result(journalEnd: journalEnd, failure: failure)
            }
        }
    }
}
