/// Texts that are allowed, as an automaton over their bytes.
package struct Grammar: Sendable {
    /// At its beginning; each reader of a text has a copy, which grows with what it reads.
    package let machine: GrammarMachine

    /// Values of a JSON Schema (draft 2020-12, and 7), written without blanks.
    ///
    /// Names come in the order of `properties`, then those of `required` that are not there, then others.
    ///
    /// - Throws: `GrammarError`; `.unsupported` where a keyword of the schema is not enforced.
    package init(jsonSchema text: String) throws(GrammarError) { try self.init(jsonSchema: JSONDocument(text.utf8)) }

    package init(jsonSchema document: JSONDocument) throws(GrammarError) {
        var compiler = try SchemaCompiler(document)
        let root = try compiler.compile()
        try self.init(compiler.terms, root, place: "#") { _ in "#: $ref" }
    }

    /// Texts of a GBNF grammar, from its rule `root`.
    package init(gbnf text: String) throws(GrammarError) {
        let (terms, root, names) = try GBNFCompiler.compile(text)
        try self.init(terms, root, place: "root") { "\(names[$0] ?? "root"): left recursion" }
    }

    /// Texts that a regular expression of ECMA-262 matches as a whole.
    package init(regex text: String) throws(GrammarError) {
        var terms = TermArena()
        var encoder = ScalarEncoder()
        let node: RegexArena.Node
        do {
            node = try PatternCompiler.node(
                PatternParser.parse(text), .whole, .plain, &encoder, &terms.regex)
        } catch {
            switch error {
            case .malformed(let problem): throw .malformed(place: "regular expression", problem: problem)
            case .unsupported(let what): throw .unsupported(["regular expression: \(what)"])
            }
        }
        let root = terms.lexeme(node)
        try self.init(terms, root, place: "regular expression") { _ in "" }
    }

    /// One of some texts.
    package init(choices: [String]) throws(GrammarError) {
        var terms = TermArena()
        let literals = choices.map { terms.regex.literal(Array($0.utf8)) }
        let root = terms.lexeme(terms.regex.union(literals))
        try self.init(terms, root, place: "choices") { _ in "" }
    }

    init(
        _ terms: TermArena, _ root: TermArena.Term, place: String, leftRecursion: (Int32) -> String
    ) throws(GrammarError) {
        var terms = terms
        guard !terms.isExhausted, !terms.regex.isExhausted else { throw .tooComplex(place) }
        if let rule = terms.close() { throw .unsupported([leftRecursion(rule)]) }
        machine = try GrammarMachine(terms, root: root, place: place)
    }

    /// How much memory it takes, in terms and parts of regular expressions.
    package var size: Int { machine.terms.size }

    /// What becomes of a text.
    package enum Verdict: Equatable, Sendable {
        case accepted
        /// The first byte that cannot follow; the length of a text that is only a beginning.
        case rejected(at: Int)
    }

    /// - Throws: `GrammarError.tooComplex` where reading takes too much.
    package func verdict(of text: some Sequence<UInt8>) throws(GrammarError) -> Verdict {
        var machine = machine
        var state = machine.start
        var count = 0
        for byte in text {
            state = machine.next(state, byte)
            if machine.isExhausted { throw .tooComplex("byte \(count) of the text") }
            if state == GrammarMachine.dead { return .rejected(at: count) }
            if machine.stateCells > 20_000_000 { state = machine.forget(keeping: state) }
            count += 1
        }
        return machine.isComplete(state) ? .accepted : .rejected(at: count)
    }
}
