/// A grammar composed of parts.
package indirect enum GrammarExpression: Sendable {
    /// The values of a JSON schema.
    case schema(JSONDocument, ValueNotation)
    /// Texts that a regular expression matches completely.
    case regex(String)
    case bytes([UInt8])
    case sequence([GrammarExpression])
    case choice([GrammarExpression])
    case repetition(GrammarExpression, least: Int, most: Int)

    package static func text(_ text: String) -> GrammarExpression { .bytes(Array(text.utf8)) }
}

extension Grammar {
    /// Creates a grammar from an expression.
    /// - Throws: the errors of the parts; JSON pointers are relative to the part's own schema.
    package init(_ expression: GrammarExpression) throws(GrammarError) {
        var builder = GrammarBuilder()
        let root = try builder.term(expression)
        try self.init(builder.terms, root, place: "#") { _ in "#: $ref" }
    }
}

/// Builds one automaton from the parts of an expression.
private struct GrammarBuilder {
    var terms = TermArena()
    private var encoder = ScalarEncoder()

    mutating func term(_ expression: GrammarExpression) throws(GrammarError) -> TermArena.Term {
        switch expression {
        case .bytes(let bytes): return terms.lexeme(terms.regex.literal(bytes))
        case .regex(let text):
            do {
                return terms.lexeme(
                    try PatternCompiler.node(PatternParser.parse(text), .whole, .plain, &encoder, &terms.regex))
            } catch {
                throw .malformed(place: "regular expression", problem: "\(error)")
            }
        case .schema(let document, let notation):
            var compiler = try SchemaCompiler(document, notation, terms: terms, encoder: encoder)
            let term = try compiler.compile()
            (terms, encoder) = (compiler.terms, compiler.encoder)
            return term
        case .sequence(let parts):
            var result = TermArena.empty
            for part in parts.reversed() { result = terms.sequence(try term(part), result) }
            return result
        case .choice(let parts):
            var choices: [TermArena.Term] = []
            for part in parts { choices.append(try term(part)) }
            return terms.choice(choices)
        case .repetition(let part, let least, let most):
            return terms.repetition(try term(part), Int32(least), Int32(most))
        }
    }
}
