import HearthRuntime
import Testing

@Suite("Residency policy", .timeLimit(.minutes(20)))
struct ResidencyPolicyTests {
    typealias Action = ResidencyPolicy.Action
    typealias Change = @Sendable (inout DeviceConditions) -> Void

    /// Conditions, then the action for session, browsing, idle: first loaded, then not.
    static let table: [(name: String, change: Change, loaded: [Action], cold: [Action])] = [
        ("calm", { _ in }, [.keepWarm, .leave, .leave], [.keepWarm, .prewarm, .leave]),
        ("fair", { $0.thermal = .fair }, [.keepWarm, .leave, .leave], [.keepWarm, .prewarm, .leave]),
        ("inactive", { $0.phase = .inactive }, [.keepWarm, .leave, .leave], [.keepWarm, .prewarm, .leave]),
        ("low power", { $0.isLowPower = true }, [.keepWarm, .leave, .leave], [.keepWarm, .leave, .leave]),
        ("not used", { $0.recentSessions = 0 }, [.keepWarm, .leave, .leave], [.keepWarm, .leave, .leave]),
        (
            "low battery", { ($0.batteryLevel, $0.isCharging) = (0.1, false) }, [.keepWarm, .leave, .leave],
            [.keepWarm, .leave, .leave]
        ),
        ("unknown heat", { $0.thermal = .unknown }, [.keepWarm, .leave, .leave], [.keepWarm, .leave, .leave]),
        ("serious heat", { $0.thermal = .serious }, [.keepWarm, .release, .release], [.delay, .delay, .delay]),
        ("critical heat", { $0.thermal = .critical }, [.suspend, .suspend, .suspend], [.suspend, .suspend, .suspend]),
        (
            "memory warning", { $0.memoryPressure = .warning }, [.release, .release, .release],
            [.delay, .delay, .delay]
        ),
        (
            "critical memory", { $0.memoryPressure = .critical }, [.suspend, .suspend, .suspend],
            [.suspend, .suspend, .suspend]
        ),
        ("background", { $0.phase = .background }, [.release, .release, .release], [.delay, .delay, .delay]),
    ]

    @Test("The table of the documentation", arguments: table.indices)
    func rows(row: Int) {
        let (name, change, loaded, cold) = Self.table[row]
        var conditions = DeviceConditions.calm
        change(&conditions)
        for (index, activity) in [UserActivity.session, .browsing, .idle].enumerated() {
            for (isLoaded, expected) in [(true, loaded[index]), (false, cold[index])] {
                let decision = ResidencyPolicy().decide(activity, conditions, isLoaded: isLoaded)
                #expect(decision.action == expected, "\(name), \(activity), loaded: \(isLoaded)")
                #expect(isOneSentence(decision.reason))
            }
        }
    }

    @Test("A worse condition never makes a model more resident")
    func monotonic() {
        /// What an action leaves in memory, most first.
        let order: [Action] = [.keepWarm, .prewarm, .leave, .delay, .release, .suspend]
        func rank(_ conditions: DeviceConditions, _ activity: UserActivity, _ isLoaded: Bool) -> Int {
            let action = ResidencyPolicy().decide(activity, conditions, isLoaded: isLoaded).action
            return order.firstIndex(of: action) ?? -1
        }
        for (activity, isLoaded) in product(UserActivity.allCases, [true, false]) {
            for (pressure, phase) in product(MemoryPressure.allCases, AppPhase.allCases) {
                let base = DeviceConditions(memoryPressure: pressure, phase: phase, recentSessions: 1)
                let ranks = [ThermalState.nominal, .fair, .serious, .critical].map { heat in
                    var conditions = base
                    conditions.thermal = heat
                    return rank(conditions, activity, isLoaded)
                }
                #expect(ranks == ranks.sorted(), "\(base) \(activity)")
            }
        }
    }

    @Test("Nothing that is not loaded is released, nothing that is loaded is delayed")
    func consistent() {
        for (thermal, pressure) in product(ThermalState.allCases, MemoryPressure.allCases) {
            for (phase, activity) in product(AppPhase.allCases, UserActivity.allCases) {
                let conditions = DeviceConditions(thermal: thermal, memoryPressure: pressure, phase: phase)
                let loaded = ResidencyPolicy().decide(activity, conditions, isLoaded: true).action
                let cold = ResidencyPolicy().decide(activity, conditions, isLoaded: false).action
                #expect(loaded != .delay && loaded != .prewarm)
                #expect(cold != .release)
                // Loading something only to release it at once would flap.
                if cold.allowsLoading { #expect(loaded == .keepWarm || loaded == .leave) }
            }
        }
    }

    @Test("Sessions may be made to give way to serious heat")
    func setting() {
        var policy = ResidencyPolicy()
        policy.sessionsOutlastSeriousHeat = false
        var conditions = DeviceConditions.calm
        conditions.thermal = .serious
        #expect(policy.decide(.session, conditions, isLoaded: true).action == .release)
    }
}
