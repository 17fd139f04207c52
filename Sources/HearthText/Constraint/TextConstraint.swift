package import HearthGrammar

/// What a generated text has to be. Every token that could not lead to it is left out of the choice, so that the text is complete
/// where generation stops for `.end`, and a valid beginning where it stops for `.length`.
public enum TextConstraint: Sendable, Equatable, Codable {
    /// A value of a JSON Schema (draft 2020-12, or 7), written without blanks. The text of the schema.
    case jsonSchema(String)
    /// A text of a GBNF grammar, from its rule `root`.
    case grammar(String)
    /// A text that a regular expression of ECMA-262 matches as a whole.
    case regularExpression(String)
    /// One of some texts.
    case choices([String])

    /// The automaton of the constraint.
    /// - Throws: `TextError.invalidConstraint`, `.unsupportedConstraint`, also for what can only be seen as a whole.
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
