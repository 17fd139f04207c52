import Foundation
import Testing

@Suite("hearth simulate", .timeLimit(.minutes(20)))
struct SimulateCommandTests {
    private func run(_ words: String...) throws -> HearthProcess.Outcome {
        try HearthProcess.run(["simulate"] + words)
    }

    @Test("Another process lives the same life, whatever its hash seed is")
    func replay() throws {
        let first = try run("--seed", "4", "--events", "2000", "--json")
        let again = try run("--seed", "4", "--events", "2000", "--json")
        #expect(first.status == 0, "\(first.output)\(first.error)")
        #expect(first.json["events"] as? Int == 2000 && first.json["seed"] as? Int == 4)
        #expect((first.json["violations"] as? [Any])?.isEmpty == true)
        let digest = try #require(first.json["digest"] as? String)
        #expect(again.json["digest"] as? String == digest)
        #expect(try run("--seed", "5", "--events", "2000", "--json").json["digest"] as? String != digest)
        // Not the digest alone: everything that is printed, but for the time that it took.
        #expect(try timeless(first.json) == timeless(again.json))
    }

    private func timeless(_ result: [String: Any]) throws -> Data {
        var result = result
        result["seconds"] = nil
        return try JSONSerialization.data(withJSONObject: result, options: .sortedKeys)
    }

    @Test("A broken rule is status 1, with what is needed to see it again")
    func violation() throws {
        let words = ["--seed", "1", "--fault", "unproven-ready"]
        let first = try HearthProcess.run(["simulate", "--events", "20000", "--json"] + words)
        #expect(first.status == 1)
        let found = try #require((first.json["violations"] as? [[String: Any]])?.first)
        let event = try #require(found["event"] as? Int)
        #expect(found["rule"] as? String == "the state tells the truth")
        #expect(first.error.contains("hearth simulate --seed 1 --events \(event) --fault unproven-ready"))
        let again = try HearthProcess.run(["simulate", "--events", "\(event)"] + words)
        #expect(again.status == 1 && again.output.contains("the last events:"))
        #expect(again.output.contains("\nshrunk "))
    }

    @Test("A broken rule is shrunk to a few events, numbered, which another process lives alone")
    func shrunk() throws {
        let first = try run("--seed", "2", "--events", "100000", "--fault", "forgotten-caller", "--json")
        let steps = try #require(first.json["shrunk"] as? [[String: Any]])
        #expect((1...16).contains(steps.count))
        let words = try #require(first.json["replay"] as? String).split(separator: " ").map(String.init)
        let only = steps.compactMap { $0["event"] as? Int }.map(String.init).joined(separator: ",")
        #expect(words == ["hearth", "simulate", "--seed", "2", "--only", only, "--fault", "forgotten-caller"])
        let again = try HearthProcess.run(Array(words.dropFirst()))
        #expect(again.status == 1)
        for step in steps { #expect(again.output.contains(try #require(step["line"] as? String))) }
        let whole = try HearthProcess.run(Array(words[1..<4]) + ["--only", only])
        #expect(whole.status == 0 && whole.output.contains("violations  none"))
        let healthy = try run("--seed", "4", "--events", "200", "--json")
        #expect((healthy.json["shrunk"] as? [Any])?.isEmpty == true && healthy.json["replay"] == nil)
    }

    @Test("Impossible counts are refused")
    func usage() throws {
        for words in [
            ["--events", "0"], ["--events", "-1"], ["--seed", "-1"], ["--fault", "none-such"],
            ["--only", "1,2", "--events", "5"], ["--only", "1,x"], ["--only", "0"], ["--only", "1,"],
            ["--only", "1,100000"],
        ] {
            #expect(try HearthProcess.run(["simulate"] + words).status == 2)
        }
        #expect(try run("--only", "\(Int.max)").status == 0)
    }
}
