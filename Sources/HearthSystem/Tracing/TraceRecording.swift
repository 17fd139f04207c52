internal import Foundation
internal import Synchronization

/// What a `Trace` recorded: intervals and instants in the order in which they ended, and as a Chrome trace.
package struct TraceRecording: Sendable {
    package struct Interval: Sendable {
        var name: String
        var arguments: [String: String]
        var begin: ContinuousClock.Instant
        var end: ContinuousClock.Instant
        /// nil for work that may have gone from thread to thread.
        var thread: Int?
        /// The recording ended first.
        var isUnfinished = false
    }

    package struct Instant: Sendable {
        var name: String
        var arguments: [String: String]
        var time: ContinuousClock.Instant
        var thread: Int
    }

    /// The maximum number of intervals and instants; later ones are only counted.
    package static let limit = 100_000

    let origin = ContinuousClock.now
    package private(set) var intervals: [Interval] = []
    package private(set) var instants: [Instant] = []
    package private(set) var dropped = 0
    /// Names of the threads that were seen.
    private(set) var threads: [Int: String] = [:]
    private var open: [UInt64: Interval] = [:]
    private var nextID: UInt64
    /// Identifiers differ between recordings, so that the end of an interval of an earlier one finds nothing.
    private static let identifiers = Mutex<UInt64>(0)

    init() {
        nextID = Self.identifiers.withLock { last in
            last += 1
            return last << 32
        }
    }

    private var hasRoom: Bool { intervals.count + instants.count + open.count < Self.limit }

    mutating func begin(
        _ name: String, _ arguments: [String: String], thread: Int?, at time: ContinuousClock.Instant
    ) -> UInt64? {
        guard hasRoom else {
            dropped += 1
            return nil
        }
        if let thread { note(thread) }
        nextID += 1
        open[nextID] = Interval(name: name, arguments: arguments, begin: time, end: time, thread: thread)
        return nextID
    }

    mutating func end(_ id: UInt64, at time: ContinuousClock.Instant) {
        guard var interval = open.removeValue(forKey: id) else { return }
        interval.end = time
        intervals.append(interval)
    }

    mutating func add(_ instant: Instant) {
        guard hasRoom else {
            dropped += 1
            return
        }
        note(instant.thread)
        instants.append(instant)
    }

    /// Called on the thread itself.
    private mutating func note(_ thread: Int) {
        if threads[thread] == nil { threads[thread] = ThreadIdentity.name }
    }

    mutating func closeOpenIntervals(at time: ContinuousClock.Instant) {
        for (_, interval) in open.sorted(by: { $0.key > $1.key }) {
            var interval = interval
            interval.end = time
            interval.isUnfinished = true
            intervals.append(interval)
        }
        open = [:]
    }

    /// A JSON object in the format that chrome://tracing and Perfetto read (Google, "Trace Event Format"): complete
    /// events (`X`), instants (`i`) and metadata (`M`); times in microseconds since `start`, in ascending order.
    package func chromeTrace() -> String { ChromeTrace(self).text }

    /// Writes the Chrome trace; the file appears complete or not at all.
    /// - Throws: `FileFailure`.
    package func write(to path: String) throws(FileFailure) {
        try WholeFile.replace(path, with: Array(chromeTrace().utf8))
    }
}
