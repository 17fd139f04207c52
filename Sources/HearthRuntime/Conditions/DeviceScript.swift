internal import Foundation

/// Conditions that change at given times, for demonstrations and tests.
///
///     thermal=serious@5s,memory=warning@8s,lowpower=on@0s,battery=0.15@0s,phase=background@9s
///
/// | key | value |
/// |---|---|
/// | `thermal` | nominal, fair, serious, critical, unknown |
/// | `memory` | normal, warning, critical |
/// | `lowpower`, `charging` | on, off |
/// | `battery` | 0 to 1; the device is unplugged unless the script speaks of charging |
/// | `phase` | active, inactive, background |
///
/// Times are numbers with `ms`, `s` or `m`, from the beginning. Events are applied in the order of their times, and in the order
/// written where times are the same.
package struct DeviceScript: Sendable, Equatable {
    /// Far more than anybody writes, far less than would take time.
    package static let mostEntries = 1000
    /// What a script begins from: a cool device on mains power with memory to spare, used lately.
    package static let base = DeviceConditions(thermal: .nominal, recentSessions: 1)

    /// What changes.
    package enum Change: Sendable, Equatable {
        case thermal(ThermalState)
        case memory(MemoryPressure)
        case lowPower(Bool)
        case battery(Double)
        case charging(Bool)
        case phase(AppPhase)
    }

    /// A change and its time.
    package struct Event: Sendable, Equatable {
        /// From the beginning of the script.
        package var time: Duration
        /// What becomes of the conditions.
        package var change: Change

        /// A change at a time.
        package init(time: Duration, change: Change) {
            self.time = time
            self.change = change
        }
    }

    /// In the order in which they happen.
    package let events: [Event]

    /// Events in any order; those of the same time keep theirs.
    package init(events: [Event]) {
        // Swift's sort is stable, though it does not promise to be.
        self.events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
            \.element)
    }

    /// Reads a script. Spaces around entries and signs are ignored.
    package init(parsing text: String) throws(DeviceScriptError) {
        let entries = text.split(separator: ",", omittingEmptySubsequences: false)
        guard entries.count <= Self.mostEntries else { throw .tooLong(entries: entries.count) }
        var events: [Event] = []
        for entry in entries { events.append(try Self.event(entry, of: text)) }
        self.init(events: events)
    }

    /// When the last event happens; nothing changes afterwards.
    package var end: Duration { events.last?.time ?? .zero }

    /// When the next event happens; nil after the last one.
    package func next(after time: Duration) -> Duration? { events.first { $0.time > time }?.time }

    /// The conditions when `time` has passed; an event counts from its very moment.
    package func conditions(at time: Duration, base: DeviceConditions = base) -> DeviceConditions {
        let speaksOfCharging = events.contains { if case .charging = $0.change { true } else { false } }
        var conditions = base
        for event in events.prefix(while: { $0.time <= time }) {
            switch event.change {
            case .thermal(let state): conditions.thermal = state
            case .memory(let pressure): conditions.memoryPressure = pressure
            case .lowPower(let isOn): conditions.isLowPower = isOn
            case .charging(let isOn): conditions.isCharging = isOn
            case .phase(let phase): conditions.phase = phase
            case .battery(let level):
                conditions.batteryLevel = level
                if !speaksOfCharging { conditions.isCharging = false }
            }
        }
        return conditions
    }
}

extension DeviceScript {
    /// What an entry begins with.
    enum Key: String, CaseIterable {
        case thermal, memory, lowpower, battery, charging, phase

        /// The accepted words; none if it takes a number.
        var words: [String] {
            switch self {
            case .thermal: ThermalState.allCases.map(\.rawValue)
            case .memory: MemoryPressure.allCases.map(\.rawValue)
            case .lowpower, .charging: ["on", "off"]
            case .phase: AppPhase.allCases.map(\.rawValue)
            case .battery: []
            }
        }

        func change(_ word: String) -> Change? {
            switch self {
            case .thermal: ThermalState(rawValue: word).map(Change.thermal)
            case .memory: MemoryPressure(rawValue: word).map(Change.memory)
            case .lowpower: Self.isOn(word).map(Change.lowPower)
            case .charging: Self.isOn(word).map(Change.charging)
            case .phase: AppPhase(rawValue: word).map(Change.phase)
            case .battery: Double(word).flatMap { (0...1).contains($0) ? Change.battery($0) : nil }
            }
        }

        private static func isOn(_ word: String) -> Bool? { word == "on" ? true : word == "off" ? false : nil }
    }

    private static func event(_ written: Substring, of script: String) throws(DeviceScriptError) -> Event {
        func trimmed(_ text: Substring) -> String { text.trimmingCharacters(in: .whitespaces) }
        func short(_ text: String) -> String { text.count > 60 ? text.prefix(60) + "…" : text }
        let entry = trimmed(written)
        guard !entry.isEmpty else { throw .empty(script: short(script)) }
        let sides = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let at = sides[1].lastIndex(of: "@") else { throw .malformed(entry: short(entry)) }
        let name = trimmed(sides[0])
        let value = trimmed(sides[1][..<at])
        let moment = trimmed(sides[1][sides[1].index(after: at)...])
        guard let key = Key(rawValue: name) else { throw .unknownKey(entry: short(entry), key: short(name)) }
        guard let change = key.change(value) else {
            let expected = key.words.isEmpty ? "a number from 0 to 1" : "one of: " + key.words.joined(separator: ", ")
            throw .unknownValue(entry: short(entry), key: name, value: short(value), expected: expected)
        }
        guard let time = time(moment) else { throw .unknownTime(entry: short(entry), time: short(moment)) }
        return Event(time: time, change: change)
    }

    /// `500ms`, `5s`, `1.5s`, `2m`; at most a day.
    private static func time(_ text: String) -> Duration? {
        let number = text.prefix { $0.isNumber || $0 == "." }
        let units: [Substring: Double] = ["ms": 0.001, "s": 1, "m": 60]
        guard let unit = units[text.dropFirst(number.count)], let value = Double(number),
            (0...86400).contains(value * unit)
        else { return nil }
        return .milliseconds(Int((value * unit * 1000).rounded()))
    }
}
