/// What an Apple system has said so far, as conditions. A pure state machine: time is handed in.
///
///     var readings = DeviceReadings()
///     readings.apply(.battery(level: 0.6, state: 1), at: .zero)      // 60 %, not charging
///     readings.apply(.memoryWarning, at: .seconds(1))                // a warning until warningEnds
package struct DeviceReadings: Sendable, Equatable {
    /// How long a memory warning of UIKit counts, which says that there is one and never that it has passed.
    package static let warningDuration: Duration = .seconds(5)

    private var readings = DeviceConditions()
    private var pressure = MemoryPressure.normal
    /// When the last warning of UIKit ceases to count; nil if none does.
    package private(set) var warningEnds: Duration?

    /// A device of which nothing is known yet.
    package init() {}

    /// The conditions as far as they were reported.
    package var conditions: DeviceConditions {
        var conditions = readings
        conditions.memoryPressure = max(pressure, warningEnds == nil ? .normal : .warning)
        return conditions
    }

    /// Takes a reading of the system.
    /// - Parameter time: since any fixed moment.
    package mutating func apply(_ event: DeviceEvent, at time: Duration) {
        expire(at: time)
        switch event {
        case .battery(let level, let state): applyBattery(level, state)
        case .powerSource(let battery):
            readings.batteryLevel = battery?.level
            readings.isCharging = battery?.isOnMains ?? true
        case .lowPower(let isOn): readings.isLowPower = isOn
        case .thermal(let number): readings.thermal = Self.thermal(number)
        case .memoryWarning: warningEnds = time + Self.warningDuration
        case .memoryPressure(let bits):
            pressure = bits & 4 != 0 ? .critical : bits & 2 != 0 ? .warning : .normal
        case .lifecycle(let step): readings.phase = step.phase
        }
    }

    /// Ends conditions that hold only for a while.
    package mutating func expire(at time: Duration) {
        if let end = warningEnds, time >= end { warningEnds = nil }
    }

    private mutating func applyBattery(_ level: Float, _ state: Int) {
        readings.batteryLevel = (0...1).contains(level) ? Double(level) : nil
        // 0 unknown (a simulator, or nobody watches), 1 unplugged, 2 charging, 3 full. Only what is known to run on its
        // battery has to spare it.
        readings.isCharging = state != 1
    }

    private static func thermal(_ number: Int) -> ThermalState {
        switch number {
        case 0: .nominal
        case 1: .fair
        case 2: .serious
        case 3: .critical
        default: .unknown
        }
    }
}
