import Foundation
import HearthRuntime
import Testing

@Suite("Scripts of conditions", .timeLimit(.minutes(20)))
struct DeviceScriptTests {
    @Test("The example of the manual, at every moment")
    func manual() throws {
        let script = try DeviceScript(
            parsing: "thermal=serious@5s,memory=warning@8s,lowpower=on@0s,battery=0.15@0s,phase=background@9s")
        var expected = DeviceScript.base
        expected.isLowPower = true
        expected.batteryLevel = 0.15
        expected.isCharging = false
        #expect(script.conditions(at: .zero) == expected)
        #expect(script.conditions(at: .seconds(4.999)) == expected)
        expected.thermal = .serious
        #expect(script.conditions(at: .seconds(5)) == expected)
        expected.memoryPressure = .warning
        #expect(script.conditions(at: .seconds(8)) == expected)
        expected.phase = .background
        #expect(script.conditions(at: .seconds(9)) == expected)
        #expect(script.conditions(at: .seconds(1_000_000)) == expected)
        #expect(script.end == .seconds(9))
        #expect(script.next(after: .zero) == .seconds(5))
        #expect(script.next(after: .seconds(8)) == .seconds(9))
        #expect(script.next(after: .seconds(9)) == nil)
    }

    /// Scripts, a time in milliseconds, and what differs from the base.
    static let table: [(script: String, at: Int, change: @Sendable (inout DeviceConditions) -> Void)] = [
        ("thermal=critical@500ms", 499, { _ in }),
        ("thermal=critical@500ms", 500, { $0.thermal = .critical }),
        ("thermal=unknown@1.5s", 1500, { $0.thermal = .unknown }),
        ("phase=inactive@2m", 120_000, { $0.phase = .inactive }),
        (" thermal = fair @ 0s , memory=critical@0s ", 0, { ($0.thermal, $0.memoryPressure) = (.fair, .critical) }),
        ("memory=warning@1s,memory=normal@2s", 2000, { _ in }),
        ("thermal=serious@1s,thermal=nominal@2s", 2000, { _ in }),
        ("phase=background@1s,phase=active@2s", 2000, { _ in }),
        ("lowpower=on@1s,lowpower=off@2s", 2000, { _ in }),
        ("thermal=serious@2s,thermal=fair@1s", 2000, { $0.thermal = .serious }),
        ("thermal=serious@1s,thermal=fair@1s", 1000, { $0.thermal = .fair }),
        ("thermal=fair@1s,thermal=serious@1s", 1000, { $0.thermal = .serious }),
        ("battery=0.5@0s", 0, { ($0.batteryLevel, $0.isCharging) = (0.5, false) }),
        ("battery=1@0s,charging=on@0s", 0, { $0.batteryLevel = 1 }),
        ("charging=on@0s,battery=0@0s", 0, { $0.batteryLevel = 0 }),
        ("battery=0.5@0s,charging=off@3s", 2000, { $0.batteryLevel = 0.5 }),
        ("battery=0.5@0s,charging=off@3s", 3000, { ($0.batteryLevel, $0.isCharging) = (0.5, false) }),
    ]

    @Test("What each entry does", arguments: table.indices)
    func entries(row: Int) throws {
        var expected = DeviceScript.base
        Self.table[row].change(&expected)
        let script = try DeviceScript(parsing: Self.table[row].script)
        #expect(script.conditions(at: .milliseconds(Self.table[row].at)) == expected, "\(Self.table[row].script)")
    }

    static let refused: [(script: String, error: DeviceScriptError)] = [
        ("", .empty(script: "")),
        ("thermal=fair@1s,", .empty(script: "thermal=fair@1s,")),
        ("thermal", .malformed(entry: "thermal")),
        ("thermal=fair", .malformed(entry: "thermal=fair")),
        ("thermal@5s", .malformed(entry: "thermal@5s")),
        ("termal=fair@1s", .unknownKey(entry: "termal=fair@1s", key: "termal")),
        (
            "memory=normal@0s,thermal=hot@1s",
            .unknownValue(
                entry: "thermal=hot@1s", key: "thermal", value: "hot",
                expected: "one of: nominal, fair, serious, critical, unknown")
        ),
        (
            "battery=1.5@1s",
            .unknownValue(entry: "battery=1.5@1s", key: "battery", value: "1.5", expected: "a number from 0 to 1")
        ),
        (
            "battery=nan@1s",
            .unknownValue(entry: "battery=nan@1s", key: "battery", value: "nan", expected: "a number from 0 to 1")
        ),
        (
            "lowpower=yes@1s",
            .unknownValue(entry: "lowpower=yes@1s", key: "lowpower", value: "yes", expected: "one of: on, off")
        ),
        ("thermal=fair@5", .unknownTime(entry: "thermal=fair@5", time: "5")),
        ("thermal=fair@", .unknownTime(entry: "thermal=fair@", time: "")),
        ("thermal=fair@-1s", .unknownTime(entry: "thermal=fair@-1s", time: "-1s")),
        ("thermal=fair@1h", .unknownTime(entry: "thermal=fair@1h", time: "1h")),
        ("thermal=fair@s", .unknownTime(entry: "thermal=fair@s", time: "s")),
        ("thermal=fair@1e3s", .unknownTime(entry: "thermal=fair@1e3s", time: "1e3s")),
        (
            "thermal=fair@99999999999999999999s",
            .unknownTime(entry: "thermal=fair@99999999999999999999s", time: "99999999999999999999s")
        ),
        ("thermal=fair@1.2.3s", .unknownTime(entry: "thermal=fair@1.2.3s", time: "1.2.3s")),
        (String(repeating: "x", count: 500), .malformed(entry: String(repeating: "x", count: 60) + "…")),
        (String(repeating: "phase=active@1s,", count: 5000), .tooLong(entries: 5001)),
    ]

    @Test("What cannot be understood is refused by name", arguments: refused.indices)
    func errors(row: Int) {
        #expect(throws: Self.refused[row].error) { try DeviceScript(parsing: Self.refused[row].script) }
        let text = Self.refused[row].error.localizedDescription
        #expect(text.hasSuffix(".") && !text.contains("\n"))
    }

    @Test("An error knows the words that could have been meant")
    func candidates() {
        let key = DeviceScriptError.unknownKey(entry: "termal=fair@1s", key: "termal")
        #expect(key.word == "termal")
        #expect(key.candidates == ["thermal", "memory", "lowpower", "battery", "charging", "phase"])
        let value = DeviceScriptError.unknownValue(
            entry: "phase=backround@1s", key: "phase", value: "backround", expected: "")
        #expect(value.word == "backround")
        #expect(value.candidates == ["active", "inactive", "background"])
        #expect(DeviceScriptError.malformed(entry: "x").candidates.isEmpty)
    }
}
