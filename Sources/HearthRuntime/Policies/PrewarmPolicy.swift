package import Foundation

/// Decides whether a model may be loaded before it is requested.
///
/// Prewarming spends power, heat and memory on a guess, so all conditions must be met:
///
/// | condition | allowed if |
/// |---|---|
/// | use | there was a session within the last week |
/// | phase | not in the background |
/// | memory | no pressure |
/// | heat | nominal, fair, or no sensor; an implausible reading counts as serious |
/// | low power | off |
/// | battery | above 20 %, or charging, or no battery |
///
/// The reason of a refusal is the first condition that is not met.
public struct PrewarmPolicy: Sendable, Equatable {
    /// The battery has to be above this level, unless it is charging; 0 to 1. Below a fifth, systems warn their users.
    package var minimumBattery = 0.20
    /// This many recent sessions make another one likely enough.
    package var minimumSessions = 1
    /// How long a session counts as recent, in seconds. A week covers users who use the app only on weekends.
    package var sessionWindow: TimeInterval = 7 * 24 * 3600

    /// The policy as documented.
    public init() {}

    /// A reason against loading ahead of use.
    package enum Obstacle: String, Sendable, Codable, CaseIterable {
        case notUsedLately, background, memory, heat, lowPower, battery
    }

    /// The decision, and why.
    package struct Decision: Sendable, Equatable {
        /// nil if loading is allowed.
        package var obstacle: Obstacle?
        /// One sentence for the user.
        package var reason: String

        /// Whether loading is allowed.
        package var isAllowed: Bool { obstacle == nil }
    }

    /// The decision for these conditions: the first obstacle, or none.
    package func decide(_ conditions: DeviceConditions) -> Decision {
        func no(_ obstacle: Obstacle, _ why: String) -> Decision {
            Decision(obstacle: obstacle, reason: why + "; the model is not loaded ahead of use.")
        }
        if conditions.recentSessions < minimumSessions {
            return no(.notUsedLately, "There was no recent session")
        }
        if conditions.phase == .background { return no(.background, "The app is in the background") }
        if conditions.memoryPressure != .normal {
            return no(.memory, "The system is short of memory (\(conditions.memoryPressure.rawValue))")
        }
        switch conditions.thermal {
        case nil, .nominal, .fair: break
        case .unknown: return no(.heat, "The heat sensor says nothing that can be trusted")
        case .serious, .critical:
            return no(.heat, "The device is too warm (\(conditions.thermal?.rawValue ?? ""))")
        }
        if conditions.isLowPower { return no(.lowPower, "The device saves power") }
        // Written so that NaN does not pass.
        if let level = conditions.batteryLevel, !conditions.isCharging, !(level > minimumBattery) {
            return no(.battery, "The battery is low (\(Self.percent(level)) %)")
        }
        return Decision(
            obstacle: nil, reason: "It was used lately and the device is fine; the model may be loaded ahead.")
    }

    private static func percent(_ level: Double) -> String {
        level.isFinite ? String(Int((min(max(level, 0), 1) * 100).rounded())) : "unknown"
    }
}
