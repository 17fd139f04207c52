internal import Foundation
package import HearthRuntime

/// The contents of the debug panel as rows of text: the model's state, the device's conditions and the latest starts. A plain
/// value, for developers and in English only.
package struct DebugReport: Sendable, Equatable {
    /// A name, its value, and an optional explanation.
    package struct Row: Sendable, Equatable, Identifiable {
        package let id: String
        package var name: String
        package var value: String
        package var note: String

        init(_ name: String, _ value: String, note: String = "", id: String? = nil) {
            self.id = id ?? name
            (self.name, self.value, self.note) = (name, value, note)
        }

        /// The row's value as read by VoiceOver.
        package var spoken: String { note.isEmpty ? value : "\(value), \(note)" }
    }

    package var model: [Row]
    package var device: [Row]
    package var starts: [Row]

    /// The maximum number of starts listed.
    private static let mostStarts = 20

    /// Creates a report.
    /// - Parameters:
    ///   - samples: entries of the startup log, oldest first.
    ///   - system: availability of the system's own model.
    package init(
        state: ModelState, activity: UserActivity, budget: InferenceBudget, notice: String?,
        conditions: DeviceConditions, samples: [StartupSample], system: SystemModelAvailability = .noFramework
    ) {
        let tier = ModelTierPolicy().decide(conditions, system: system)
        model = [
            Row("state", state.name, note: Self.detail(state)), Row("activity", activity.rawValue),
            Row("budget", budget.level.rawValue, note: budget.reason),
            Row("tier", tier.tier.rawValue, note: tier.reason),
            Row("system model", system.rawValue, note: system.reason),
        ]
        if let notice { model.append(Row("notice", notice)) }
        device = [
            Row("battery", Self.battery(conditions)), Row("low power", conditions.isLowPower ? "on" : "off"),
            Row("heat", conditions.thermal?.rawValue ?? "not measured"),
            Row("memory pressure", conditions.memoryPressure.rawValue),
            Row("memory", Self.size(conditions.memoryTotal)),
            Row("memory limit", conditions.memoryLimit.map { ByteText.text($0) } ?? "none"),
            Row("memory available", Self.size(conditions.memoryAvailable)), Row("phase", conditions.phase.rawValue),
            Row("recent sessions", String(conditions.recentSessions)),
        ]
        starts = samples.suffix(Self.mostStarts).enumerated().reversed().map { index, sample in
            Row(
                sample.kind.rawValue, Self.time(sample.totalMS),
                note: "compile \(Self.time(sample.compileMS)), load \(Self.time(sample.loadMS)), first inference "
                    + "\(Self.time(sample.firstInferenceMS)), \(ByteText.text(sample.dirtyBytes)) dirty",
                id: "start \(index)")
        }
    }

    private static func detail(_ state: ModelState) -> String {
        switch state {
        case .cold, .ready: ""
        case .warming(let progress): "\(Int((min(1, max(0, progress)) * 100).rounded(.down))) %"
        case .unavailable(let reason): reason
        case .failed(let message): message
        }
    }

    private static func battery(_ conditions: DeviceConditions) -> String {
        guard let level = conditions.batteryLevel else { return conditions.isCharging ? "mains" : "not measured" }
        return "\(Int((level * 100).rounded())) %, \(conditions.isCharging ? "charging" : "discharging")"
    }

    private static func size(_ bytes: Int?) -> String { bytes.map { ByteText.text($0) } ?? "not measured" }

    /// A time in milliseconds, or in seconds from ten seconds on.
    private static func time(_ milliseconds: Double) -> String {
        guard milliseconds.isFinite else { return "–" }
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        if milliseconds < 10_000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\((milliseconds / 100).rounded() / 10) s"
    }
}
