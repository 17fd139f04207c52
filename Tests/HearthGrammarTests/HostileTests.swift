import HearthGrammar
import HearthTestSupport
import Testing

/// Whatever comes in: an answer or an error within seconds, and no crash.
@Suite("Hostile constraints", .timeLimit(.minutes(20))) struct HostileTests {
    private func ends(_ work: () throws -> Void) throws {
        let seconds = try processorSeconds {
            do { try work() } catch is GrammarError {}
        }
        #expect(seconds < 60)
    }

    @Test("Repetitions, nested and huge")
    func repetitions() throws {
        try ends {
            try expect(try Grammar(regex: "(?:ab?){1000000}"), rejects: ["ab", String(repeating: "a", count: 5000)])
        }
        try ends { try expect(try Grammar(regex: "((a{1000}){1000}){1000}"), rejects: ["a"]) }
        try ends { try expect(try Grammar(regex: "(a|b)*a(a|b){500}"), rejects: [String(repeating: "ab", count: 400)]) }
        try ends { try expect(try Grammar(regex: "(((a*)*)*)*b"), rejects: [String(repeating: "a", count: 10_000)]) }
        for part in ["a?", "a*", "(ab?)?", "a+", "(a|b)?"] {
            let parts = String(repeating: part, count: 30_000)
            try ends { try expect(try Grammar(regex: parts), rejects: ["aac"]) }
            try ends { try expectSchema("{\"type\":\"string\",\"pattern\":\"^\(parts)$\"}", rejects: ["\"aac\""]) }
        }
        let rule = String(repeating: "\"a\"? [ab]* ", count: 30_000)
        try ends { try expect(try Grammar(gbnf: "root ::= \(rule)"), accepts: ["aab"], rejects: ["aac"]) }
        try ends { try expect(try Grammar(regex: "(a|aa){1,1000}"), accepts: [String(repeating: "a", count: 300)]) }
        try ends { try expect(try Grammar(gbnf: "root ::= (\"a\" root \"b\"){0,1000000} | \"\""), accepts: ["abab"]) }
        try ends {
            try expectSchema(#"{"type":"array","items":{},"minItems":999999,"maxItems":1000000}"#, rejects: ["[1]"])
        }
        try ends { try expectSchema(#"{"type":"string","maxLength":1e9,"pattern":"^(a|b)*$"}"#, accepts: ["\"ab\""]) }
        try ends {
            try expectSchema(#"{"type":"string","minLength":100000,"pattern":"^[a-f]*$"}"#, rejects: ["\"ab\""])
        }
        try ends { try expectSchema(#"{"type":"integer","minimum":1e1000000,"multipleOf":1e-999999}"#, rejects: ["1"]) }
    }

    @Test("Depth: of schemas, groups, rules and texts")
    func depth() throws {
        let n = 20_000
        try ends {
            _ = try Grammar(
                jsonSchema: String(repeating: "{\"items\":", count: n) + "{}" + String(repeating: "}", count: n))
        }
        try ends { _ = try Grammar(jsonSchema: String(repeating: "[", count: n)) }
        try ends { _ = try Grammar(regex: String(repeating: "(", count: n) + String(repeating: ")", count: n)) }
        try ends {
            _ = try Grammar(
                gbnf: "root ::= " + String(repeating: "(", count: n) + "\"a\"" + String(repeating: ")", count: n))
        }
        let rules = (0..<n).map { "r\($0) ::= r\($0 + 1) r\($0 + 1)" }.joined(separator: "\n")
        try ends { _ = try Grammar(gbnf: "root ::= r0\n\(rules)\nr\(n) ::= \"a\"") }
        try ends { try expect(try Grammar(jsonSchema: "true"), rejects: [String(repeating: "[", count: 300_000)]) }
        let nested = (0..<40).reduce("{}") { schema, _ in "{\"anyOf\":[{\"minimum\":1},{\"maximum\":2},\(schema)]}" }
        try ends { _ = try Grammar(jsonSchema: nested) }
        let product = (0..<30).map { "{\"anyOf\":[{\"minLength\":\($0)},{\"maxLength\":\(90 - $0)}]}" }.joined(
            separator: ",")
        try ends { _ = try Grammar(jsonSchema: "{\"allOf\":[\(product)]}") }
        try ends { _ = try Grammar(jsonSchema: ##"{"$ref":"#"}"##) }
        try ends { _ = try Grammar(jsonSchema: ##"{"anyOf":[{"$ref":"#"},{"type":"null"}]}"##) }
    }

    @Test("Width: values, properties, alternatives")
    func width() throws {
        let values = (0..<4_000).map { "\"value \($0)\"" }.joined(separator: ",")
        try ends { try expectSchema("{\"enum\":[\(values)]}", accepts: ["\"value 7\""], rejects: ["\"value 4000\""]) }
        let properties = (0..<500).map { "\"p\($0)\":{\"type\":\"integer\"}" }.joined(separator: ",")
        try ends {
            try expectSchema(
                "{\"properties\":{\(properties)}}", accepts: [#"{"p3":1,"p499":2}"#], rejects: [#"{"p3":""}"#])
        }
        let choices = (0..<5_000).map { "\"c\($0)\"" }.joined(separator: " | ")
        try ends { try expect(try Grammar(gbnf: "root ::= " + choices), accepts: ["c4999"], rejects: ["d"]) }
        let patterns = (0..<12).map { "\"p\($0)\":{}" }.joined(separator: ",")
        try ends { _ = try Grammar(jsonSchema: "{\"patternProperties\":{\(patterns)}}") }
    }
}
