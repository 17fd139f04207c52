import HearthRuntime
import Testing

/// Numbers as UIKit's and Foundation's documentation give them.
@Suite("What an Apple device says, as conditions")
struct DeviceReadingsTests {
    private func readings(_ events: DeviceEvent...) -> DeviceConditions {
        var readings = DeviceReadings()
        for event in events { readings.apply(event, at: .zero) }
        return readings.conditions
    }

    @Test(
        "The battery of a phone: an unknown level is none, and only what is unplugged runs on it",
        arguments: [
            (Float(0.6), 1, Double?(0.6), false), (0.6, 2, 0.6, true), (1, 3, 1, true), (0, 1, 0, false),
            (-1, 0, nil, true), (1.5, 1, nil, false), (.nan, 1, nil, false),
        ])
    func battery(_ level: Float, _ state: Int, _ expected: Double?, _ isCharging: Bool) {
        let conditions = readings(.battery(level: level, state: state))
        #expect(conditions.batteryLevel.map { Float($0) } == expected.map { Float($0) })
        #expect(conditions.isCharging == isCharging)
    }

    @Test("The battery of a Mac, by IOKit's descriptions")
    func macBattery() {
        let mouse: [String: Any] = ["Type": "UPS", "Current Capacity": 5, "Max Capacity": 100]
        func internalBattery(_ now: Int, _ full: Int, _ state: String) -> [String: Any] {
            ["Type": "InternalBattery", "Current Capacity": now, "Max Capacity": full, "Power Source State": state]
        }
        #expect(MacBattery(sources: [mouse]) == nil)
        let drained = MacBattery(sources: [mouse, internalBattery(40, 80, "Battery Power")])
        #expect(drained?.level == 0.5)
        #expect(drained?.isOnMains == false)
        #expect(MacBattery(sources: [internalBattery(101, 100, "AC Power")])?.level == 1)
        #expect(MacBattery(sources: [internalBattery(101, 100, "AC Power")])?.isOnMains == true)
        #expect(MacBattery(sources: [internalBattery(4, 0, "AC Power")])?.level == nil)

        #expect(readings(.powerSource(drained)).batteryLevel == 0.5)
        #expect(readings(.powerSource(drained)).isCharging == false)
        // Its battery was taken out, or there never was one: mains power.
        #expect(readings(.powerSource(drained), .powerSource(nil)).batteryLevel == nil)
        #expect(readings(.powerSource(drained), .powerSource(nil)).isCharging)
    }

    @Test("Heat by number; one that this version does not know is no reading to trust")
    func thermal() {
        let states = (0...4).map { readings(.thermal($0)).thermal }
        #expect(states == [.nominal, .fair, .serious, .critical, .unknown])
        #expect(readings(.lowPower(true)).isLowPower)
        #expect(!readings(.lowPower(true), .lowPower(false)).isLowPower)
    }

    @Test(
        "A memory warning counts for a while, pressure until the system says that it has passed; the worse of both counts"
    )
    func memory() {
        var readings = DeviceReadings()
        readings.apply(.memoryWarning, at: .seconds(10))
        #expect(readings.conditions.memoryPressure == .warning)
        #expect(readings.warningEnds == .seconds(15))
        readings.apply(.memoryPressure(4), at: .seconds(11))
        #expect(readings.conditions.memoryPressure == .critical)
        readings.apply(.memoryPressure(1), at: .seconds(12))
        #expect(readings.conditions.memoryPressure == .warning)
        // Another warning begins anew.
        readings.apply(.memoryWarning, at: .seconds(14))
        readings.expire(at: .seconds(16))
        #expect(readings.conditions.memoryPressure == .warning)
        readings.expire(at: .seconds(19))
        #expect(readings.conditions.memoryPressure == .normal)
        readings.apply(.memoryPressure(2), at: .seconds(20))
        readings.expire(at: .seconds(100))
        #expect(readings.conditions.memoryPressure == .warning)
    }

    @Test("With what a phone says, the policies hold")
    func policies() {
        var readings = DeviceReadings()
        func prewarm() -> PrewarmPolicy.Obstacle? {
            var conditions = readings.conditions
            conditions.recentSessions = 1
            return PrewarmPolicy().decide(conditions).obstacle
        }
        func residency() -> ResidencyPolicy.Decision {
            ResidencyPolicy().decide(.session, readings.conditions, isLoaded: true)
        }
        readings.apply(.battery(level: 0.15, state: 1), at: .zero)
        #expect(prewarm() == .battery)
        readings.apply(.battery(level: 0.15, state: 2), at: .zero)
        #expect(prewarm() == nil && residency().action == .keepWarm)
        readings.apply(.lowPower(true), at: .zero)
        #expect(prewarm() == .lowPower)
        readings.apply(.memoryWarning, at: .zero)
        #expect(residency().action == .release)
        readings.expire(at: .seconds(5))
        #expect(residency().action == .keepWarm)
        readings.apply(.lifecycle(.didEnterBackground), at: .seconds(6))
        #expect(residency().action == .release)
        readings.apply(.lifecycle(.didBecomeActive), at: .seconds(7))
        readings.apply(.thermal(3), at: .seconds(8))
        #expect(residency().action == .suspend)
    }

    @Test("The phase, in the order in which UIKit and AppKit tell it")
    func phases() {
        func phase(_ steps: DeviceEvent.Lifecycle...) -> AppPhase {
            var readings = DeviceReadings()
            for step in steps { readings.apply(.lifecycle(step), at: .zero) }
            return readings.conditions.phase
        }
        #expect(phase() == .active)
        #expect(phase(.willResignActive) == .inactive)
        #expect(phase(.willResignActive, .didEnterBackground) == .background)
        #expect(phase(.willResignActive, .didEnterBackground, .willEnterForeground) == .inactive)
        #expect(phase(.didEnterBackground, .willEnterForeground, .didBecomeActive) == .active)
        #expect(phase(.willResignActive, .didHide) == .background)
        #expect(phase(.didHide, .didUnhide) == .inactive)
    }
}
