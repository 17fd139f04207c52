/// The condition of the device at one moment: a value that policies take to decide.
///
/// A field that a device cannot measure is nil, which is not the same as a reading that makes no sense
/// (`ThermalState.unknown`).
public struct DeviceConditions: Sendable, Equatable, Codable {
    /// Battery level, 0 to 1; nil without a battery.
    public var batteryLevel: Double?
    /// Whether the device is on mains power.
    public var isCharging: Bool
    /// Whether the user switched low-power mode on.
    public var isLowPower: Bool
    /// Thermal state; nil without a sensor.
    public var thermal: ThermalState?
    /// Memory pressure of the system.
    public var memoryPressure: MemoryPressure
    /// Memory of the device, in bytes; nil if unknown.
    public var memoryTotal: Int?
    /// Memory that this process may use before the system ends it, in bytes; nil if unknown.
    public var memoryLimit: Int?
    /// Memory that can be allocated now without displacing anything else, in bytes; nil if unknown.
    public var memoryAvailable: Int?
    /// Whether the app is visible to the user.
    public var phase: AppPhase
    /// Recent sessions of the user. No sensor measures this: monitors leave it at 0, and ``ModelStore`` fills it in from its
    /// ``UsageHistory``.
    public var recentSessions: Int

    /// A device on mains power without problems, used recently.
    public static let calm = DeviceConditions(recentSessions: 1)

    /// Conditions with the given values; the defaults describe a device on mains power without problems.
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
    /// Normal.
    case nominal
    /// Slightly warm; nothing has to change.
    case fair
    /// Hot: work should be reduced.
    case serious
    /// Too hot: work should stop.
    case critical
    /// The sensor's reading makes no sense.
    case unknown
}

/// Memory pressure of the system.
public enum MemoryPressure: String, Sendable, Codable, CaseIterable, Comparable {
    /// Memory is available.
    case normal
    /// The system asks processes to free memory.
    case warning
    /// The system is about to end processes.
    case critical

    private var rank: Int { self == .normal ? 0 : self == .warning ? 1 : 2 }

    /// More pressure is greater.
    public static func < (a: Self, b: Self) -> Bool {
        a.rank < b.rank
    }
}

/// Whether the app is visible to the user.
public enum AppPhase: String, Sendable, Codable, CaseIterable {
    /// In front, and receiving input.
    case active
    /// In front, and not receiving input, for example below a notification.
    case inactive
    /// Not visible.
    case background
}
