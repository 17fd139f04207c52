/// Watches a download: whether it has stalled, how fast it is, and which progress is reported.
///
/// Times are seconds of any steady clock.
package struct ProgressWatch: Sendable {
    private let limits: DeliveryLimits
    /// Everything that arrived, fetched twice or not.
    private(set) var received = 0
    /// The time and the number of bytes at the last significant progress.
    private var mark: (time: Double, received: Int)
    /// Seconds for which earlier attempts stalled at their ends, since the file last grew.
    private var lost = 0.0
    private var grown = 0
    private var rate = 0.0
    private var sample: (time: Double, received: Int)
    /// The highest number of bytes that was reported.
    private var told = 0

    package init(now: Double, limits: DeliveryLimits) {
        self.limits = limits
        mark = (now, 0)
        sample = (now, 0)
    }

    package mutating func receive(_ bytes: Int, now: Double) {
        received += bytes
        if received - mark.received >= limits.leastProgress { mark = (now, received) }
    }

    /// Starts again, for another mirror or another fetch of the file.
    package mutating func restartPatience(now: Double) {
        mark = (now, received)
        (lost, grown) = (0, 0)
    }

    /// Records the end of an attempt. Bytes that the next one fetches again show that the server works. But the time for which
    /// this attempt stalled is forgotten only when the file has grown: otherwise a server that always stops at the same place
    /// would be asked forever.
    package mutating func endAttempt(now: Double) {
        lost += standing(now: now)
        mark = (now, received)
    }

    /// Leaves out seconds for which this program itself stood still: stopped, behind others on a busy machine, or waiting for
    /// its disk. The server is not to blame for them.
    package mutating func leaveOut(_ seconds: Double, now: Double) {
        if seconds > 0 { mark.time = min(now, mark.time + seconds) }
    }

    /// Seconds without significant progress in this attempt.
    package func standing(now: Double) -> Double { now - mark.time }

    /// Seconds without progress, including those of earlier attempts.
    package func idle(now: Double) -> Double { lost + standing(now: now) }

    /// - Parameters:
    ///   - bytes: how many bytes of the file are on the disk.
    /// - Returns: the progress to report; its bytes never decrease.
    package mutating func progress(bytes: Int, total: Int?, now: Double) -> DownloadProgress {
        let elapsed = now - sample.time
        if elapsed >= 0.1 {
            let current = Double(received - sample.received) / elapsed
            // Exponential decay with a time constant of three seconds.
            let weight = rate == 0 ? 1 : 1 - 1 / (1 + elapsed / 3)
            rate += weight * (current - rate)
            sample = (now, received)
        }
        if bytes - grown >= limits.leastProgress { (grown, lost) = (bytes, 0) }
        told = max(told, min(bytes, total ?? .max))
        let left = total.flatMap { rate > 0 ? Double($0 - told) / rate : nil }
        return DownloadProgress(bytes: told, total: total, bytesPerSecond: rate, secondsLeft: left)
    }

    var bytesPerSecond: Double { rate }
}
