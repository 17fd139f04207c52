import Foundation
import Testing

@Suite("Constraints without a model", .timeLimit(.minutes(20)))
struct GrammarCommandTests {
    private func answers(_ lines: [String]) throws -> [[String: Any]] {
        let outcome = try HearthProcess.run(
            ["grammar", "accept"], input: lines.map { $0 + "\n" }.joined(), environment: ["HEARTH_BACKGROUND": "0"])
        #expect(outcome.status == 0 && outcome.signal == nil && outcome.error.isEmpty, "\(outcome.error)")
        return outcome.jsonLines
    }

    @Test("grammar accept: a constraint that is null is absent, whichever it is")
    func nullConstraints() throws {
        let given = [
            "schema": #"{"enum":["a"]}"#, "grammar": #""root ::= \"\\\"a\\\"\"""#, "regex": #""\"a\"""#,
            "choices": #"["\"a\""]"#,
        ]
        let names = given.keys.sorted()
        let lines = names.map { name in
            let fields = names.map { #""\#($0)":\#($0 == name ? given[name] ?? "" : "null")"# }
            return "{\(fields.joined(separator: ",")),\"texts\":[\"\\\"a\\\"\",\"b\"]}"
        }
        let answers = try answers(lines)
        #expect(answers.count == names.count)
        for (name, answer) in zip(names, answers) {
            #expect(answer["accepted"] as? [Bool] == [true, false], "\(name): \(answer)")
        }
    }

    @Test("grammar accept: no constraint, also if all are null, two constraints, and one of another type are errors")
    func wrongConstraints() throws {
        let one = "exactly one of 'schema', 'grammar', 'regex' and 'choices'"
        let cases = [
            (#"{"texts":["a"]}"#, one), (#"{"schema":null,"regex":null,"texts":["a"]}"#, one),
            (#"{"regex":"a","choices":["a"],"grammar":null,"texts":["a"]}"#, one),
            (#"{"regex":false,"texts":["a"]}"#, "'regex' must be a string"),
            (#"{"regex":"a","texts":null}"#, "'texts' is not an array"),
        ]
        let answers = try answers(cases.map(\.0))
        #expect(answers.count == cases.count)
        for ((line, problem), answer) in zip(cases, answers) {
            #expect((answer["error"] as? String)?.contains(problem) == true, "\(line): \(answer)")
        }
    }
}
