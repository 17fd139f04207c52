/// How much a model may compute, depending on heat and low-power mode. It has hysteresis, so that it does not flap.
///
/// | reading | level |
/// |---|---|
/// | nominal, fair, no sensor | full |
/// | serious, unknown | reduced |
/// | critical | suspended |
/// | low power | reduced at best |
///
/// A worse reading takes effect at once. The level recovers when all readings of the recovery time (ten seconds) were better;
/// it is then the level of the worst of them. A reading holds until the next one arrives.
public struct InferenceBudget: Sendable, Equatable {
    /// How long readings must have been better. Heat moves within tens of seconds, and a sensor at a threshold swings
    /// within seconds.
    package var recovery: Duration = .seconds(10)
    /// Share of the time in which a reduced budget computes, 0 to 1. Half the work is about half the heat.
    package var reducedShare = 0.5
    /// Whether saving power reduces the budget: fewer watts at a time, and the rest of the device stays quick.
    package var lowPowerReduces = true

    /// The current level.
    public private(set) var level: Level = .full
    private var reading: Level?
    private var now: Duration?
    /// Until when a reading asked for the level.
    private var lastReduced: Duration?
    private var lastSuspended: Duration?

    /// A full budget without readings.
    public init() {}

    /// How much may be computed.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        /// Compute without pauses.
        case full
        /// Compute for part of the time, and pause in between.
        case reduced
        /// Do not compute.
        case suspended

        private var rank: Int { self == .full ? 0 : self == .reduced ? 1 : 2 }
        /// A greater level allows less computation.
        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    }

    /// The level for one reading, without regard to earlier ones.
    package func level(thermal: ThermalState?, isLowPower: Bool = false) -> Level {
        let byHeat: Level =
            switch thermal {
            case nil, .nominal, .fair: .full
            case .serious, .unknown: .reduced
            case .critical: .suspended
            }
        return isLowPower && lowPowerReduces ? max(byHeat, .reduced) : byHeat
    }

    /// Takes a reading. To be called for each change, and again at `recoversAt`.
    /// - Parameter time: since any fixed moment; a time before the last one counts as the last one.
    @discardableResult
    package mutating func update(thermal: ThermalState?, isLowPower: Bool = false, at time: Duration) -> Level {
        let time = max(time, now ?? time)
        let next = level(thermal: thermal, isLowPower: isLowPower)
        for asked in [reading, next] {
            if asked == .suspended { lastSuspended = time }
            if asked == .reduced { lastReduced = time }
        }
        (reading, now) = (next, time)
        if holds(lastSuspended, next, .suspended) {
            level = .suspended
        } else {
            level = holds(lastReduced, next, .reduced) ? .reduced : .full
        }
        return level
    }

    /// Takes a reading of everything.
    @discardableResult
    package mutating func update(_ conditions: DeviceConditions, at time: Duration) -> Level {
        update(thermal: conditions.thermal, isLowPower: conditions.isLowPower, at: time)
    }

    /// When the level gets better if the readings stay as they are; nil if it does not.
    package var recoversAt: Duration? {
        guard let reading, level > reading else { return nil }
        return (level == .suspended ? lastSuspended : lastReduced).map { $0 + recovery }
    }

    /// The fraction of time in which to compute, 0 to 1.
    package var share: Double {
        switch level {
        case .full: 1
        case .reduced: min(max(reducedShare, 0), 1)
        case .suspended: 0
        }
    }

    /// How long to pause after `work` in order to stay within the share; nil if nothing may be computed.
    package func pause(after work: Duration) -> Duration? {
        let share = share
        guard share > 0 else { return nil }
        return share < 1 ? max(.zero, work) * (1 / share - 1) : .zero
    }

    /// Why, in one sentence for a person.
    package var reason: String {
        switch level {
        case .full: return "Nothing speaks against full speed."
        case .reduced:
            let why =
                reading == .full
                ? "The device was warm or saved power a moment ago" : "The device is warm or saves power"
            return "\(why); \(Int((share * 100).rounded())) % of the time is computed."
        case .suspended:
            let why = reading == .suspended ? "The device is too hot (critical)" : "The device was too hot a moment ago"
            return "\(why); nothing is computed until it cools down."
        }
    }

    private func holds(_ last: Duration?, _ next: Level, _ level: Level) -> Bool {
        guard let last, let now else { return false }
        return next == level || now - last < recovery
    }
}
