package import HearthSystem

/// Maps memory readings to a level of memory pressure. Pure.
package struct MemoryScale: Sendable {
    /// Percent of the last ten seconds in which some work waited for memory. A tenth is felt.
    var warningSome = 10.0
    /// Percent of the last ten seconds in which everything waited: the device stutters.
    var criticalFull = 10.0
    /// Less than this share of all memory left, or less than so many bytes, whichever is less: a share alone would
    /// raise alarm on a large device with gigabytes to spare.
    var warningLeft = (share: 0.10, bytes: 512 << 20)
    var criticalLeft = (share: 0.05, bytes: 256 << 20)
    /// Reaching a group's limit is no news while this share of it can be dropped: files that are read fill every limit.
    var unconcernedShare = 0.25
    /// How long an event of a group counts, as counters say only that something has happened.
    var eventLasts: Duration = .seconds(10)

    package init() {}

    /// Readings at one moment.
    package struct Reading: Sendable, Equatable {
        var stalls: [PressureStall] = []
        /// All memory, or the limit of this process if that is less.
        var capacity: Int?
        var available: Int?
        var didReachLimit = false
        var didRunOut = false

        package init(
            stalls: [PressureStall] = [], capacity: Int? = nil, available: Int? = nil, didReachLimit: Bool = false,
            didRunOut: Bool = false
        ) {
            self.stalls = stalls
            self.capacity = capacity
            self.available = available
            self.didReachLimit = didReachLimit
            self.didRunOut = didRunOut
        }
    }

    package func pressure(_ reading: Reading) -> MemoryPressure {
        func isBelow(_ bound: (share: Double, bytes: Int)) -> Bool {
            guard let capacity = reading.capacity, let available = reading.available else { return false }
            return Double(available) < min(Double(capacity) * bound.share, Double(bound.bytes))
        }
        if reading.didRunOut || isBelow(criticalLeft) || reading.stalls.contains(where: { $0.full >= criticalFull }) {
            return .critical
        }
        let isConcerned = isBelow((share: unconcernedShare, bytes: .max))
        if reading.didReachLimit && isConcerned || isBelow(warningLeft)
            || reading.stalls.contains(where: { $0.some >= warningSome })
        {
            return .warning
        }
        return .normal
    }
}

/// Remembers when a group's counters last rose.
struct MemoryEventMemory: Sendable {
    private var last: ControlGroups.Events?
    private var reachedAt: Duration?
    private var ranOutAt: Duration?

    /// Whether a limit was reached, and whether memory ran out, within the last `window`. Counts made before the first call
    /// are history.
    mutating func update(_ events: ControlGroups.Events, at time: Duration, window: Duration) -> (Bool, Bool) {
        if let last {
            if events.reached > last.reached { reachedAt = time }
            if events.outOfMemory > last.outOfMemory { ranOutAt = time }
        }
        last = events
        func isRecent(_ moment: Duration?) -> Bool { moment.map { time - $0 < window } ?? false }
        return (isRecent(reachedAt), isRecent(ranOutAt))
    }
}
