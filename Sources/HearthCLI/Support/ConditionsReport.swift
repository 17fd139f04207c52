import HearthRuntime
import HearthSystem

/// The device's conditions and each policy's decision: the output of `hearth conditions`.
struct ConditionsReport: Encodable {
    struct Conditions: Encodable {
        @ExplicitNull var batteryLevel: Double?
        var isCharging: Bool
        var isLowPower: Bool
        @ExplicitNull var thermal: String?
        var memoryPressure: String
        @ExplicitNull var memoryTotal: Int?
        @ExplicitNull var memoryLimit: Int?
        @ExplicitNull var memoryAvailable: Int?
        var phase: String
        var recentSessions: Int
    }

    struct Decision: Encodable {
        var decision: String
        var reason: String
    }

    var conditions: Conditions
    var prewarm: Decision
    var residency: Decision
    var budget: String
    var tier: String

    private var budgetReason: String
    private var tierReason: String

    private enum CodingKeys: String, CodingKey { case conditions, prewarm, residency, budget, tier }

    /// - Parameter budget: already updated with these conditions.
    init(
        _ conditions: DeviceConditions, activity: UserActivity, isLoaded: Bool, budget: InferenceBudget,
        tierPolicy: ModelTierPolicy
    ) {
        self.conditions = Conditions(
            batteryLevel: conditions.batteryLevel, isCharging: conditions.isCharging, isLowPower: conditions.isLowPower,
            thermal: conditions.thermal?.rawValue, memoryPressure: conditions.memoryPressure.rawValue,
            memoryTotal: conditions.memoryTotal, memoryLimit: conditions.memoryLimit,
            memoryAvailable: conditions.memoryAvailable, phase: conditions.phase.rawValue,
            recentSessions: conditions.recentSessions)
        let ahead = PrewarmPolicy().decide(conditions)
        prewarm = Decision(decision: ahead.isAllowed ? "allow" : "refuse", reason: ahead.reason)
        let residence = ResidencyPolicy().decide(activity, conditions, isLoaded: isLoaded)
        residency = Decision(decision: residence.action.rawValue, reason: residence.reason)
        self.budget = budget.level.rawValue
        budgetReason = budget.reason
        let choice = tierPolicy.decide(conditions)
        tier = choice.tier.rawValue
        tierReason = choice.reason
    }
}

extension ConditionsReport {
    /// A row of the listing: name, value, and the value's source or reason.
    private typealias Row = (name: String, value: String, note: String)
    private static let unmeasured = "not measured here"

    /// A text table: readings with their sources, then decisions with their reasons.
    func table(sources: [String: String], dim: (String) -> String) -> String {
        func source(_ field: String) -> String { sources[field] ?? Self.unmeasured }
        let readings: [Row] = [
            ("battery", battery, conditions.batteryLevel == nil ? "no battery" : source("batteryLevel")),
            ("low power", conditions.isLowPower ? "on" : "off", source("isLowPower")),
            ("heat", conditions.thermal ?? "–", source("thermal")),
            ("memory pressure", conditions.memoryPressure, source("memoryPressure")),
            ("memory", Self.size(conditions.memoryTotal), source("memoryTotal")),
            ("memory limit", conditions.memoryLimit.map { Self.size($0) } ?? "none", sources["memoryLimit"] ?? ""),
            ("memory available", Self.size(conditions.memoryAvailable), source("memoryAvailable")),
            ("phase", conditions.phase, sources["phase"] ?? "a program in a terminal has no other"),
            ("recent sessions", String(conditions.recentSessions), source("recentSessions")),
        ]
        let decisions: [Row] = [
            ("prewarm", prewarm.decision, prewarm.reason), ("residency", residency.decision, residency.reason),
            ("budget", budget, budgetReason), ("tier", tier, tierReason),
        ]
        let all = readings + decisions
        let names = all.map(\.name.count).max() ?? 0
        let values = all.map(\.value.count).max() ?? 0
        func text(_ rows: [Row]) -> String {
            rows.map { row in
                let name = row.name.padded(to: names)
                return row.note.isEmpty
                    ? "\(name)  \(row.value)\n" : "\(name)  \(row.value.padded(to: values))  \(dim(row.note))\n"
            }.joined()
        }
        return text(readings) + "\n" + text(decisions)
    }

    /// Column titles for `line(after:)`.
    static let heading = columns(
        "time", ["heat", "memory", "power", "saving", "phase", "prewarm", "residency", "budget", "tier"])

    /// One line with everything that may change, with the elapsed seconds.
    func line(after seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return Self.columns(
            "\(tenths / 10).\(tenths % 10) s",
            [
                conditions.thermal ?? "–", conditions.memoryPressure, battery, conditions.isLowPower ? "on" : "off",
                conditions.phase, prewarm.decision, residency.decision, budget, tier,
            ])
    }

    /// Each column is as wide as its longest word.
    private static func columns(_ time: String, _ cells: [String]) -> String {
        let widths = [8, 8, 14, 6, 10, 7, 9, 9, 0]
        return ([time.leftPadded(to: 8)] + zip(cells, widths).map { $0.padded(to: $1) }).joined(separator: "  ")
    }

    private var battery: String {
        guard let level = conditions.batteryLevel else { return conditions.isCharging ? "mains" : "–" }
        return "\(Int((level * 100).rounded())) % \(conditions.isCharging ? "charging" : "battery")"
    }

    private static func size(_ bytes: Int?) -> String { bytes.map { ByteSize.binary($0) } ?? "–" }
}
