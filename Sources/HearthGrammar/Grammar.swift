/// A set of allowed texts, as an automaton over their bytes.
package struct Grammar: Sendable {
    /// The automaton in its initial state; each reader uses a copy, which grows as it reads.
    package let machine: GrammarMachine

    /// Creates a grammar for the values of a JSON Schema (drafts 4 to 2020-12), written without white space.
    ///
    /// Object members come in this order: `properties`, names of `required` that are not among them, any others.
    ///
    /// - Throws: `GrammarError`; `.unsupported` if a keyword of the schema cannot be enforced.
    package init(jsonSchema text: String) throws(GrammarError) { try self.init(jsonSchema: JSONDocument(text.utf8)) }

    package init(jsonSchema document: JSONDocument) throws(GrammarError) {
        var compiler = try SchemaCompiler(document)
        let root = try compiler.compile()
        try self.init(compiler.terms, root, place: "#") { _ in "#: $ref" }
    }

    /// Creates a grammar from GBNF; texts match its rule `root`.
    package init(gbnf text: String) throws(GrammarError) {
        let (terms, root, names) = try GBNFCompiler.compile(text)
        try self.init(terms, root, place: "root") { "\(names[$0] ?? "root"): left recursion" }
    }

    /// Creates a grammar for texts that an ECMA-262 regular expression matches completely.
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

    /// Creates a grammar for a list of texts.
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

    /// The memory size, in terms and regular expression nodes.
    package var size: Int { machine.terms.size }

    /// The result of checking a text.
    package enum Verdict: Equatable, Sendable {
        case accepted
        /// The offset of the first byte that is not allowed; the length of the text if it is incomplete.
        case rejected(at: Int)
    }

    /// Checks a text.
    /// - Throws: `GrammarError.tooComplex` if checking needs too much memory.
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
