import Foundation
import HearthRuntime
import Testing

@Suite("Prewarm policy", .timeLimit(.minutes(20)))
struct PrewarmPolicyTests {
    typealias Obstacle = PrewarmPolicy.Obstacle

    /// Calm conditions with one thing changed, and what should speak against prewarming.
    static let table: [(change: @Sendable (inout DeviceConditions) -> Void, expected: Obstacle?)] = [
        ({ _ in }, nil),
        ({ $0.recentSessions = 0 }, .notUsedLately),
        ({ $0.recentSessions = 12 }, nil),
        ({ ($0.batteryLevel, $0.isCharging) = (0.21, false) }, nil),
        ({ ($0.batteryLevel, $0.isCharging) = (0.20, false) }, .battery),
        ({ ($0.batteryLevel, $0.isCharging) = (0.05, true) }, nil),
        ({ ($0.batteryLevel, $0.isCharging) = (0, false) }, .battery),
        ({ ($0.batteryLevel, $0.isCharging) = (.nan, false) }, .battery),
        ({ ($0.batteryLevel, $0.isCharging) = (nil, false) }, nil),
        ({ $0.isLowPower = true }, .lowPower),
        ({ $0.thermal = .nominal }, nil),
        ({ $0.thermal = .fair }, nil),
        ({ $0.thermal = .serious }, .heat),
        ({ $0.thermal = .critical }, .heat),
        ({ $0.thermal = .unknown }, .heat),
        ({ $0.memoryPressure = .warning }, .memory),
        ({ $0.memoryPressure = .critical }, .memory),
        ({ $0.phase = .inactive }, nil),
        ({ $0.phase = .background }, .background),
    ]

    @Test("Each condition by itself", arguments: table.indices)
    func single(row: Int) {
        var conditions = DeviceConditions.calm
        Self.table[row].change(&conditions)
        let decision = PrewarmPolicy().decide(conditions)
        #expect(decision.obstacle == Self.table[row].expected)
        #expect(decision.isAllowed == (Self.table[row].expected == nil))
        #expect(isOneSentence(decision.reason))
    }

    @Test("Allowed exactly where every condition allows it")
    func combinations() {
        var count = 0
        for thermal in [nil] + ThermalState.allCases.map(Optional.some) {
            for (pressure, phase) in product(MemoryPressure.allCases, AppPhase.allCases) {
                for bits in 0..<16 {
                    let conditions = DeviceConditions(
                        batteryLevel: bits & 1 == 0 ? 0.9 : 0.1, isCharging: bits & 2 == 0, isLowPower: bits & 4 != 0,
                        thermal: thermal, memoryPressure: pressure, phase: phase, recentSessions: bits & 8 == 0 ? 1 : 0)
                    let expected =
                        bits & 8 == 0 && bits & 4 == 0 && (bits & 1 == 0 || bits & 2 == 0) && pressure == .normal
                        && phase != .background && [nil, .nominal, .fair].contains(thermal)
                    #expect(PrewarmPolicy().decide(conditions).isAllowed == expected, "\(conditions)")
                    count += 1
                }
            }
        }
        #expect(count == 6 * 9 * 16)
    }

    @Test("Thresholds are settings")
    func thresholds() {
        var policy = PrewarmPolicy()
        policy.minimumBattery = 0.5
        policy.minimumSessions = 3
        var conditions = DeviceConditions(batteryLevel: 0.4, isCharging: false, recentSessions: 3)
        #expect(policy.decide(conditions).obstacle == .battery)
        conditions.batteryLevel = 0.6
        #expect(policy.decide(conditions).isAllowed)
        conditions.recentSessions = 2
        #expect(policy.decide(conditions).obstacle == .notUsedLately)
    }

    @Test("The reason names what a person can see")
    func reasons() {
        var conditions = DeviceConditions.calm
        conditions.thermal = .serious
        #expect(
            PrewarmPolicy().decide(conditions).reason
                == "The device is too warm (serious); the model is not loaded ahead of use.")
        conditions = DeviceConditions(batteryLevel: 0.149, isCharging: false, recentSessions: 1)
        #expect(
            PrewarmPolicy().decide(conditions).reason
                == "The battery is low (15 %); the model is not loaded ahead of use.")
    }
}

/// One line that begins with a capital and ends with a full stop.
func isOneSentence(_ text: String) -> Bool {
    text.first?.isUppercase == true && text.hasSuffix(".") && !text.contains("\n") && text.count < 160
}

/// Every pair.
func product<A, B>(_ first: [A], _ second: [B]) -> [(A, B)] {
    first.flatMap { a in second.map { (a, $0) } }
}
