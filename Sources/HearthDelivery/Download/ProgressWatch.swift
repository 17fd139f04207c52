/// Watches a download: whether it has stalled, how fast it is, and which progress is reported.
///
/// Times are seconds of any steady clock.
package struct ProgressWatch: Sendable {
    private let limits: DeliveryLimits
    /// Everything that arrived, fetched twice or not.
    private(set) var received = 0
    /// When and at how many bytes there was progress worth the name.
    private var mark: (time: Double, received: Int)
    /// Seconds that earlier attempts stood still at their ends, since the file last grew.
    private var lost = 0.0
    private var grown = 0
    private var rate = 0.0
    private var sample: (time: Double, received: Int)
    /// The most that was ever told.
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

    /// A new beginning, for another mirror or another fetch of the file.
    package mutating func restartPatience(now: Double) {
        mark = (now, received)
        (lost, grown) = (0, 0)
    }

    /// An attempt is over. Bytes that the next one fetches again show that the server lives; that the attempt before stood
    /// still is forgotten when there is more of the file than ever, or a server that always stops at one place would be
    /// asked forever.
    package mutating func endAttempt(now: Double) {
        lost += standing(now: now)
        mark = (now, received)
    }

    /// Seconds without a byte worth the name.
    package func standing(now: Double) -> Double { now - mark.time }

    /// Seconds without progress, those of earlier attempts included.
    package func idle(now: Double) -> Double { lost + standing(now: now) }

    /// - Parameters:
    ///   - bytes: of the file, that are on the disk.
    /// - Returns: what to tell; its bytes never go back.
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
