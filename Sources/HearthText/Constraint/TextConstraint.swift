package import HearthGrammar

/// A constraint on generated text. Tokens that cannot lead to a valid text are excluded from sampling, so the text is complete
/// if generation stops with `.end`, and a valid prefix if it stops with `.length`.
public enum TextConstraint: Sendable, Equatable, Codable {
    /// A JSON value valid under a JSON Schema (drafts 4 to 2020-12), written without whitespace; the schema as text.
    case jsonSchema(String)
    /// A text of a GBNF grammar, starting from its rule `root`.
    case grammar(String)
    /// A text that an ECMA-262 regular expression matches in full.
    case regularExpression(String)
    /// One of several texts.
    case choices([String])

    /// Compiles the constraint to an automaton.
    /// - Throws: `TextError.invalidConstraint`, `.unsupportedConstraint`, including errors that show only in the complete
    ///   automaton.
    package func compiled() throws(TextError) -> Grammar {
        try GrammarCache.shared.grammar(self) { () throws(GrammarError) in
            switch self {
            case .jsonSchema(let text): try Grammar(jsonSchema: text)
            case .grammar(let text): try Grammar(gbnf: text)
            case .regularExpression(let text): try Grammar(regex: text)
            case .choices(let texts): try Grammar(choices: texts)
            }
        }
    }
}

extension TextError {
    package init(_ error: GrammarError) {
        switch error {
        case .malformed(let place, let problem): self = .invalidConstraint(place: place, problem: problem)
        case .unsupported(let keywords): self = .unsupportedConstraint(keywords: keywords)
        case .allowsNothing(let place):
            self = .invalidConstraint(place: place, problem: "nothing satisfies the constraint")
        case .tooComplex(let place): self = .invalidConstraint(place: place, problem: "the constraint is too complex")
        }
    }
}
