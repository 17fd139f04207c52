/// How long a memory warning counts.
///
/// Phones warn once: an event, answered by giving memory back. Other systems report a level that may last for hours. So each
/// warning is answered once: it counts for `holdOff`, then not until it passed and came again. Critical pressure
/// counts for as long as it lasts. A pure state machine; time is handed in.
package struct MemoryWarning: Sendable, Equatable {
    /// Long enough for released memory to be returned to the system, short enough for a listener to wait.
    package var holdOff: Duration = .seconds(3)
    private var since: Duration?
    private var now: Duration = .zero

    /// No warning so far.
    package init() {}

    /// Takes a reading and returns what it counts as.
    /// - Parameter time: since any fixed moment; time that goes back counts as standing still.
    package mutating func update(_ pressure: MemoryPressure, at time: Duration) -> MemoryPressure {
        now = max(now, time)
        guard pressure != .normal else {
            since = nil
            return .normal
        }
        guard pressure == .warning else {
            // What follows it is a warning that was answered long ago.
            since = now
            return .critical
        }
        let begin = since ?? now
        since = begin
        return now - begin < holdOff ? .warning : .normal
    }

    /// When a warning that lasts ceases to count; nil where none does.
    package var endsAt: Duration? { since.flatMap { now - $0 < holdOff ? $0 + holdOff : nil } }
}
