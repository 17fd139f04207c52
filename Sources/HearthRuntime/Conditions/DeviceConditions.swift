/// What the device can bear at one moment. A plain value: policies take it and decide.
///
/// A field that a device cannot measure is nil, which is not the same as a reading that makes no sense
/// (`ThermalState.unknown`).
public struct DeviceConditions: Sendable, Equatable, Codable {
    /// 0 to 1; nil without a battery.
    public var batteryLevel: Double?
    /// Whether it runs on mains power.
    public var isCharging: Bool
    /// The user asked to save power.
    public var isLowPower: Bool
    /// How hot it is; nil without a sensor.
    public var thermal: ThermalState?
    /// How short of memory the system is.
    public var memoryPressure: MemoryPressure
    /// Bytes of memory that the device has; nil where nobody says.
    public var memoryTotal: Int?
    /// Bytes that this process may use in all, before the system acts; nil where nobody says.
    public var memoryLimit: Int?
    /// Bytes that could be taken now without anything else being pushed out.
    public var memoryAvailable: Int?
    /// Whether the user sees the app.
    public var phase: AppPhase
    /// Sessions that the user had lately (`UsageHistory.sessions(within:of:)`). No sensor knows this: monitors leave it
    /// at 0, and whoever keeps the history fills it in.
    public var recentSessions: Int

    /// A device on mains power that nothing troubles, used lately.
    public static let calm = DeviceConditions(recentSessions: 1)

    /// What is not said is calm, and not measured where that can be.
    public init(
        batteryLevel: Double? = nil, isCharging: Bool = true, isLowPower: Bool = false,
        thermal: ThermalState? = nil, memoryPressure: MemoryPressure = .normal, memoryLimit: Int? = nil,
        memoryAvailable: Int? = nil, phase: AppPhase = .active, memoryTotal: Int? = nil, recentSessions: Int = 0
    ) {
        self.batteryLevel = batteryLevel
        self.isCharging = isCharging
        self.isLowPower = isLowPower
        self.thermal = thermal
        self.memoryPressure = memoryPressure
        self.memoryTotal = memoryTotal
        self.memoryLimit = memoryLimit
        self.memoryAvailable = memoryAvailable
        self.phase = phase
        self.recentSessions = recentSessions
    }
}

/// Heat in the steps of Apple's `ProcessInfo.ThermalState`.
public enum ThermalState: String, Sendable, Codable, CaseIterable {
    case nominal, fair, serious, critical
    /// A sensor that says something nobody knows.
    case unknown
}

/// How short of memory the system is.
public enum MemoryPressure: String, Sendable, Codable, CaseIterable, Comparable {
    case normal, warning, critical

    private var rank: Int { self == .normal ? 0 : self == .warning ? 1 : 2 }

    /// More pressure is greater.
    public static func < (a: Self, b: Self) -> Bool {
        a.rank < b.rank
    }
}

/// Whether the user sees the app.
public enum AppPhase: String, Sendable, Codable, CaseIterable {
    case active, inactive, background
}
