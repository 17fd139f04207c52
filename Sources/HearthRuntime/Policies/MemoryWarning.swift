/// For how long a memory warning is in effect.
///
/// Phones warn once, and apps respond by freeing memory. Other systems report a level that may last for hours. So each warning
/// is handled once: it is in effect for `holdOff`, and again only after it has ended and returned. Critical pressure is in
/// effect for as long as it lasts. A pure state machine; the time is an argument.
package struct MemoryWarning: Sendable, Equatable {
    /// Long enough for released memory to be returned to the system, short enough for a listener to wait.
    package var holdOff: Duration = .seconds(3)
    private var since: Duration?
    private var now: Duration = .zero

    /// No warning so far.
    package init() {}

    /// Takes a reading and returns the pressure that is in effect.
    /// - Parameter time: since any fixed moment; a time before the last one counts as the last one.
    package mutating func update(_ pressure: MemoryPressure, at time: Duration) -> MemoryPressure {
        now = max(now, time)
        guard pressure != .normal else {
            since = nil
            return .normal
        }
        guard pressure == .warning else {
            // A warning that follows was handled long ago.
            since = now
            return .critical
        }
        let begin = since ?? now
        since = begin
        return now - begin < holdOff ? .warning : .normal
    }

    /// When the current warning ceases to be in effect; nil if there is none.
    package var endsAt: Duration? { since.flatMap { now - $0 < holdOff ? $0 + holdOff : nil } }
}
