import Foundation
import Testing

@Suite("hearth simulate", .timeLimit(.minutes(15)))
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
    }

    @Test("Impossible counts are refused")
    func usage() throws {
        for words in [["--events", "0"], ["--events", "-1"], ["--seed", "-1"], ["--fault", "none-such"]] {
            #expect(try HearthProcess.run(["simulate"] + words).status == 2)
        }
    }
}
