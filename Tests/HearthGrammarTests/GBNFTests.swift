import HearthGrammar
import Testing

@Suite("GBNF", .timeLimit(.minutes(20))) struct GBNFTests {
    @Test("Rules, comments, repetition, classes, escapes")
    func forms() throws {
        let text = #"""
            # a list
            root ::= "[" ( item
                ("," item)* )? "]" # its end
            item ::= word{2,3} |
                "\x41\u00e4\U0001F600\n" | [^a-z\]\-0] | .{,2} "!" | hex{2}
            word ::= [a-c]+ "-"
            hex ::= [0-9A-F]
            """#
        try expect(
            try Grammar(gbnf: text),
            accepts: ["[]", "[ab-c-]", "[a-b-c-]", "[Aä😀\n]", "[😀]", "[!]", "[xy!]", "[0F]", "[a-b-,Z]"],
            rejects: ["[ab-]", "[a-b-c-a-]", "[]]", "[x]", "[xyz!]", "[0]"])
    }

    @Test("Recursion, also where a text can be read in many ways")
    func recursion() throws {
        try expect(
            try Grammar(gbnf: #"root ::= "a" root "b" | "a" root "c" | """#),
            accepts: ["", String(repeating: "a", count: 300) + String(repeating: "bc", count: 150)],
            rejects: ["aab", "ba"])
        try expect(
            try Grammar(gbnf: "root ::= e\ne ::= t (\"+\" t)*\nt ::= [0-9]+ | \"(\" e \")\""),
            accepts: ["1+(2+3)", "((7))"],
            rejects: ["1+", "(1", "()"])
        let doubled = #"root ::= "a" root root | "b""#
        try expect(
            try Grammar(gbnf: doubled), accepts: [String(repeating: "a", count: 40) + String(repeating: "b", count: 41)]
        )
    }

    @Test("As many rules, groups and quantifiers as a large grammar has")
    func size() throws {
        let rules = (0..<2000).map { "r\($0) ::= ( [a-c]+ \"-\"? ){0,3}" }
        let grammar = try Grammar(gbnf: "root ::= r7 | r1999* \"!\"\n" + rules.joined(separator: "\n"))
        try expect(grammar, accepts: ["", "ab-c", "a-b-c-a-b-!"], rejects: ["-", "a-b-c-d"])
        try expect(try Grammar(gbnf: "root ::= \"a\"{2}{3}?"), accepts: ["", "aaaaaa"], rejects: ["aa"])
    }

    @Test("What is wrong is said with its line")
    func errors() {
        for (text, place) in [
            ("root ::= other", "line 1"), ("root ::= \"a\"\nx ::= (", "line 2"), ("root ::= \"a", "line 1"),
            ("a ::= \"b\"", "line 1"),
            ("root ::= \"a\"\nroot ::= \"b\"", "line 2"), ("root = \"a\"", "line 1"), ("root ::= \"a\" )", "line 1"),
            ("root ::= [b-a]", "line 1"), ("root ::= \"a\"*+?*", "line 1"), ("root ::= \"a\"{3,2}", "line 1"),
        ] {
            do {
                _ = try Grammar(gbnf: text)
                Issue.record("\(text) is accepted")
            } catch {
                guard case .malformed(let found, _) = error else {
                    Issue.record("\(text): \(error)")
                    continue
                }
                #expect(found == place, "\(text)")
            }
        }
        #expect(throws: GrammarError.unsupported(["line 1: <think>"])) {
            _ = try Grammar(gbnf: "root ::= <think> \"a\"")
        }
        #expect(throws: GrammarError.self) { _ = try Grammar(gbnf: "root ::= root \"a\" | \"a\"") }
        #expect(throws: GrammarError.self) {
            _ = try Grammar(gbnf: "root ::= a\na ::= b? c\nb ::= \"x\"\nc ::= root \"y\" | \"z\"")
        }
    }
}
