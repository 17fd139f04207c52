import Foundation
import Testing

/// `hearth filter`, `chunk` and `sanitize` as programs: a line in, a line out, whatever the line is.
@Suite("Filters as programs", .timeLimit(.minutes(20)))
struct FilterProgramTests {
    /// Lines that are wrong in some way, and none of which may end the program.
    private static let wrong = [
        "", "not JSON", "[1, 2]", "null", "{\"text\": 5}", "{\"text\": \"\\ud800\"}", "{\"text\": [\"a\"]}",
        "{}", "{\"text\": null}", "{\"text\": \"unclosed", "\u{0}", String(repeating: "[", count: 5000),
    ]

    @Test(
        "Each line is answered in its place, the wrong ones with an error", arguments: ["filter", "chunk", "sanitize"])
    func wrongLines(_ command: String) throws {
        let good = "{\"text\": \"Good night, little duck.\", \"lang\": \"en\", \"later\": 1}"
        let outcome = try HearthProcess.run(
            [command], input: (Self.wrong.flatMap { [$0, good] }).map { $0 + "\n" }.joined())
        #expect(outcome.status == 0 && outcome.signal == nil, "\(outcome.error)")
        let answers = outcome.jsonLines
        #expect(answers.count == 2 * Self.wrong.count)
        for (index, answer) in answers.enumerated() {
            #expect((answer["error"] != nil) == (index % 2 == 0), "\(command) \(index): \(answer)")
        }
    }

    @Test(
        "A line beyond all measure is answered, and the next one is read", arguments: ["filter", "chunk", "sanitize"])
    func longLine(_ command: String) throws {
        let long = "{\"text\": \"" + String(repeating: "duck ", count: 3_500_000) + "\"}"
        let outcome = try HearthProcess.run([command], input: long + "\n{\"text\": \"A duck.\"}\n")
        #expect(outcome.status == 0 && outcome.signal == nil)
        #expect(outcome.jsonLines.count == 2)
        #expect(outcome.jsonLines.first?["error"] != nil)
        #expect(outcome.jsonLines.last?["error"] == nil)
    }

    @Test("Ten megabytes to clean are cleaned")
    func longWish() throws {
        let long = "{\"input\": \"" + String(repeating: "<bos>duck ", count: 1_000_000) + "\", \"kind\": \"name\"}"
        let outcome = try HearthProcess.run(["sanitize"], input: long + "\n")
        #expect(outcome.jsonLines.first?["text"] as? String == "duck duck duck duck duck duck")
    }

    @Test("Unknown languages are judged by what needs none")
    func unknownLanguages() throws {
        let lines = ["", "tlh", "xx-Latn-XX", "-", "日本"].map { "{\"lang\": \"\($0)\", \"text\": \"Die 🔫!\"}\n" }
        let outcome = try HearthProcess.run(["filter"], input: (lines + lines).joined() + "{\"text\": \"🔫\"}\n")
        #expect(outcome.status == 0 && outcome.jsonLines.count == 2 * lines.count + 1)
        for answer in outcome.jsonLines { #expect(answer["action"] as? String == "swap") }
        // Each is noted once.
        let notes = outcome.error.split(separator: "\n").filter { $0.hasPrefix("hearth: note: ") }
        #expect(notes.count == lines.count && notes.contains { $0.contains("\"tlh\"") }, "\(outcome.error)")
        let loose = "{\"lang\": \" English\", \"text\": \"A gun.\"}\n"
        let resolved = try HearthProcess.run(["filter"], input: loose)
        #expect(resolved.jsonLines.first?["action"] as? String == "swap" && resolved.error.isEmpty)
        for words in [["--text", "A gun."], ["--text", "A gun.", "--explain"], ["--entries"]] {
            let refused = try HearthProcess.run(["filter", "--language", "tlh"] + words)
            #expect(refused.status == 2 && refused.output.isEmpty && refused.error.contains("'tlh'"))
        }
    }

    @Test("What is wrong with a line is said")
    func reasons() throws {
        let lines = [
            ("", "the line is not a JSON object"), ("[]", "the line is not a JSON object"),
            ("{\"text\": 5}", "'text' is not a string"), ("{\"pieces\": \"a\"}", "'pieces' is not an array of strings"),
            ("{\"pieces\": [\"a\", 5]}", "'pieces[1]' is not a string"),
            ("{\"pieces\": [null]}", "'pieces[0]' is not a string"),
            ("{\"text\": \"a\", \"lang\": 5}", "'lang' is not a string"),
        ]
        let answers = try HearthProcess.run(["chunk"], input: lines.map { $0.0 + "\n" }.joined()).jsonLines
        #expect(answers.map { $0["error"] as? String } == lines.map(\.1))
    }

    @Test("Options that would have no effect are refused")
    func withoutEffect() throws {
        for words in [
            ["filter", "--language", "de"], ["filter", "--entries", "--text", "a"],
            ["filter", "--statistics", "--text", "a"], ["filter", "--entries", "--statistics"],
            ["sanitize", "--kind", "name"],
        ] {
            let outcome = try HearthProcess.run(words, input: "{\"text\": \"A duck.\"}\n")
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(words): \(outcome.output)")
        }
        #expect(try HearthProcess.run(["filter", "--language", "es", "--text", "una pistola"]).status == 0)
        #expect(try HearthProcess.run(["sanitize", "--kind", "name", "--text", "Mia"]).output == "Mia\n")
    }

    @Test("What judging cost is said apart from the answers")
    func statistics() throws {
        let outcome = try HearthProcess.run(
            ["filter", "--statistics"],
            input: "{\"lang\": \"en\", \"text\": \"A gun.\"}\n{\"lang\": \"en\", \"text\": \"A duck.\"}\n")
        #expect(outcome.jsonLines.map { $0["action"] as? String } == ["swap", "pass"])
        let report = try JSONSerialization.jsonObject(with: Data(outcome.error.utf8)) as? [String: Any]
        #expect(report?["sentences"] as? Int == 2)
        #expect(report?["swapped"] as? Int == 1)
        #expect((report?["p99MS"] as? Double ?? 0) > 0)
    }
}
