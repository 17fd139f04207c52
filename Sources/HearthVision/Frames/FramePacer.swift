/// Schedules the frames of a feed at a constant rate. Delays are not caught up, as with a camera. A plain value.
package struct FramePacer {
    /// The time between two frames.
    package let interval: Duration
    private var due: Duration?

    /// Creates a pacer.
    /// - Parameter framesPerSecond: above 0.
    package init(framesPerSecond: Double) { interval = .nanoseconds(Int64(1e9 / framesPerSecond)) }

    /// The time at which the next frame is due.
    /// - Parameter now: the current time since any fixed moment; the result uses the same origin.
    package mutating func next(at now: Duration) -> Duration {
        let time = due.map { max($0, now) } ?? now
        due = time + interval
        return time
    }
}
