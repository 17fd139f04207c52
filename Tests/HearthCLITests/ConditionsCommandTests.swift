import Foundation
import HearthCLI
import Testing

@Suite("hearth conditions", .timeLimit(.minutes(20)))
struct ConditionsCommandTests {
    private func run(_ words: String..., environment: [String: String] = [:]) throws -> HearthProcess.Outcome {
        let outcome = try HearthProcess.run(["conditions"] + words, environment: environment)
        #expect(outcome.signal == nil)
        return outcome
    }

    private func decision(_ field: String, _ object: [String: Any]) -> String? {
        (object[field] as? [String: Any])?["decision"] as? String
    }

    @Test("The fields of the contract, every reading present, null where nobody measures")
    func fields() throws {
        let outcome = try run("--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(Set(outcome.json.keys) == ["conditions", "prewarm", "residency", "budget", "tier"])
        let conditions = try #require(outcome.json["conditions"] as? [String: Any])
        #expect(
            Set(conditions.keys) == [
                "batteryLevel", "isCharging", "isLowPower", "thermal", "memoryPressure", "memoryTotal", "memoryLimit",
                "memoryAvailable", "phase", "recentSessions",
            ])
        #if os(Linux)
        let total = try #require(conditions["memoryTotal"] as? Int)
        let available = try #require(conditions["memoryAvailable"] as? Int)
        #expect(total >= available && available > 0)
        #endif
        #expect(["full", "reduced", "suspended"].contains(outcome.json["budget"] as? String))
        #expect(["large", "small", "libraryOnly"].contains(outcome.json["tier"] as? String))
        #expect(["allow", "refuse"].contains(decision("prewarm", outcome.json)))
    }

    /// A script as it stands at its beginning, and the decisions: prewarm, residency of what is not loaded, budget.
    static let scripts: [(script: String, prewarm: String, residency: String, budget: String)] = [
        ("thermal=nominal@0s", "allow", "prewarm", "full"),
        ("thermal=serious@3000s", "allow", "prewarm", "full"),  // not yet
        ("thermal=fair@0s", "allow", "prewarm", "full"),
        ("thermal=serious@0s", "refuse", "delay", "reduced"),
        ("thermal=critical@0s", "refuse", "suspend", "suspended"),
        ("thermal=unknown@0s", "refuse", "leave", "reduced"),
        ("memory=warning@0s", "refuse", "delay", "full"),
        ("memory=critical@0s", "refuse", "suspend", "full"),
        ("lowpower=on@0s", "refuse", "leave", "reduced"),
        ("battery=0.15@0s", "refuse", "leave", "full"),
        ("battery=0.15@0s,charging=on@0s", "allow", "prewarm", "full"),
        ("phase=background@0s", "refuse", "delay", "full"),
    ]

    @Test("Decisions of a simulated device", arguments: scripts.indices)
    func simulated(row: Int) throws {
        let (script, prewarm, residency, budget) = Self.scripts[row]
        let outcome = try run("--simulate", script, "--json")
        #expect(decision("prewarm", outcome.json) == prewarm, "\(script)")
        #expect(decision("residency", outcome.json) == residency, "\(script)")
        #expect(outcome.json["budget"] as? String == budget, "\(script)")
    }

    @Test("Residency follows what the user does, and whether the model is loaded")
    func residency() throws {
        let background = try run(
            "--simulate", "phase=background@0s", "--activity", "session", "--loaded", "--json")
        #expect(decision("residency", background.json) == "release")
        let session = try run("--simulate", "thermal=fair@0s", "--activity", "session", "--json")
        #expect(decision("residency", session.json) == "keepWarm")
    }

    @Test("Watching follows the script and ends with it, once the budget has recovered as well")
    func watch() throws {
        let outcome = try run(
            "--watch", "--json", "--simulate", "memory=warning@100ms,lowpower=on@0s,phase=background@200ms")
        #expect(outcome.status == 0, "\(outcome.error)")
        let pressures = outcome.jsonLines.compactMap {
            ($0["conditions"] as? [String: Any])?["memoryPressure"] as? String
        }
        // A slow machine may overtake a step; the last one is never missed.
        #expect(pressures.first == "normal" || pressures.first == "warning")
        #expect(pressures.last == "warning")
        let last = try #require(outcome.jsonLines.last)
        #expect((last["conditions"] as? [String: Any])?["phase"] as? String == "background")
        #expect(last["budget"] as? String == "reduced")
        #expect((1...3).contains(outcome.jsonLines.count))
    }

    @Test("Watching this device goes on until it is interrupted")
    func interrupted() throws {
        let outcome = try HearthProcess.run(
            ["conditions", "--watch", "--json"], signal: SIGINT, when: { $0.output.contains("\n") })
        #expect(outcome.status == 130)
        #expect(outcome.jsonLines.count >= 1)
        #expect(outcome.jsonLines.allSatisfy { $0["budget"] is String })
    }

    @Test("A script that cannot be understood is an error of usage, with the nearest word")
    func usage() throws {
        for (script, parts) in [
            ("termal=fair@1s", ["'termal=fair@1s'", "'thermal'"]), ("thermal=seriuos@1s", ["'serious'"]),
            ("thermal=fair@5", ["'5'", "5s"]), ("thermal", ["key=value@time"]), ("", ["empty"]),
        ] {
            let outcome = try run("--simulate", script)
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            for part in parts { #expect(outcome.error.contains(part), "\(outcome.error)") }
        }
    }

    @Test("A session is remembered, and speaks for loading ahead of the next one")
    func recentUse() throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let environment = ["HEARTH_HOME": home]
        func recent() throws -> Int? {
            let outcome = try run("--json", environment: environment)
            return (outcome.json["conditions"] as? [String: Any])?["recentSessions"] as? Int
        }
        #expect(try recent() == 0)
        let generated = try HearthProcess.run(
            [
                "generate", "--model", HearthProcess.fixture("gemma3-q8_0.gguf"), "--prompt", "x", "--max-tokens", "1",
            ], environment: environment)
        #expect(generated.status == 0, "\(generated.error)")
        #expect(try recent() == 1)
        try "{\"sessions\": \"no\"}".write(toFile: home + "/usage.json", atomically: true, encoding: .utf8)
        #expect(try recent() == 0)
    }

    @Test("The listing is aligned and says what nobody measures")
    func listing() throws {
        let outcome = try run("--simulate", "thermal=serious@0s")
        #expect(
            outcome.output.contains("heat              serious   simulated\n") || outcome.output.contains("serious"))
        #expect(outcome.output.contains("not measured here"))
        #expect(outcome.output.contains("The device is too warm (serious)"))
        #expect(!outcome.output.contains("\u{1B}"))
        let watched = try run("--watch", "--simulate", "thermal=fair@0s")
        let lines = watched.output.split(separator: "\n")
        #expect(lines.count == 2)
        let column = try #require(lines.first?.range(of: "budget")).lowerBound.utf16Offset(in: lines[0])
        #expect(lines[1].dropFirst(column).hasPrefix("full"))
    }
}
