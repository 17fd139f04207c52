/// When the next frame of a feed is due: one after the other at an even pace. Who is late does not catch up, as a camera does
/// not either. A value.
package struct FramePacer {
    /// The time between two frames.
    package let interval: Duration
    private var due: Duration?

    /// - Parameter framesPerSecond: above 0.
    package init(framesPerSecond: Double) { interval = .nanoseconds(Int64(1e9 / framesPerSecond)) }

    /// When the next frame is due.
    /// - Parameter now: since any fixed moment, like the result.
    package mutating func next(at now: Duration) -> Duration {
        let time = due.map { max($0, now) } ?? now
        due = time + interval
        return time
    }
}
