/// Watches a download's bytes go by: is it standing still, how fast is it, what is told to the outside.
///
/// Times are seconds of any steady clock.
struct ProgressWatch: Sendable {
    private let limits: DeliveryLimits
    /// Everything that arrived, fetched twice or not.
    private(set) var received = 0
    /// When and at how many bytes there was progress worth the name.
    private var mark: (time: Double, received: Int)
    private var rate = 0.0
    private var sample: (time: Double, received: Int)
    /// The most that was ever told.
    private var told = 0

    init(now: Double, limits: DeliveryLimits) {
        self.limits = limits
        mark = (now, 0)
        sample = (now, 0)
    }

    mutating func receive(_ bytes: Int, now: Double) {
        received += bytes
        if received - mark.received >= limits.leastProgress { mark = (now, received) }
    }

    /// A new beginning, for another mirror or another fetch of the file.
    mutating func restartPatience(now: Double) { mark = (now, received) }

    /// Seconds without progress.
    func idle(now: Double) -> Double { now - mark.time }

    /// - Parameters:
    ///   - bytes: of the file, that are on the disk.
    /// - Returns: what to tell; its bytes never go back.
    mutating func progress(bytes: Int, total: Int?, now: Double) -> DownloadProgress {
        let elapsed = now - sample.time
        if elapsed >= 0.1 {
            let current = Double(received - sample.received) / elapsed
            // Exponential decay with a time constant of three seconds.
            let weight = rate == 0 ? 1 : 1 - 1 / (1 + elapsed / 3)
            rate += weight * (current - rate)
            sample = (now, received)
        }
        told = max(told, min(bytes, total ?? .max))
        let left = total.flatMap { rate > 0 ? Double($0 - told) / rate : nil }
        return DownloadProgress(bytes: told, total: total, bytesPerSecond: rate, secondsLeft: left)
    }

    var bytesPerSecond: Double { rate }
}
