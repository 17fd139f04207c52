import HearthGrammar
import HearthText

/// The constraint on a generated text.
struct ConstraintOptions: ParsableArguments {
    @Option(
        valueName: "F",
        help: "File with a JSON Schema (drafts 4 to 2020-12) that the answer must satisfy; - reads standard input.")
    var schema: String?
    @Option(valueName: "F", help: "File with a GBNF grammar that the answer must follow; - reads standard input.")
    var grammar: String?
    @Option(valueName: "R", help: "Regular expression (ECMA-262) that the whole answer must match.")
    var regex: String?
    @Option(valueName: "S", help: "A text that the answer may be; several are allowed.")
    var choice: [String] = []

    func validate() throws {
        let given = [schema != nil, grammar != nil, regex != nil, !choice.isEmpty].count { $0 }
        guard given <= 1 else {
            throw UsageError(
                "more than one constraint", suggestion: "Pass at most one of --schema, --grammar, --regex and --choice."
            )
        }
    }

    /// The constraint; nil if there is none. Compiled here, so that an invalid one is reported before a model is
    /// loaded.
    func constraint() throws -> TextConstraint? {
        let constraint: TextConstraint
        let name: String
        if let schema {
            constraint = .jsonSchema(try InputFile.text(schema, option: "--schema"))
            name = schema
        } else if let grammar {
            constraint = .grammar(try InputFile.text(grammar, option: "--grammar"))
            name = grammar
        } else if let regex {
            constraint = .regularExpression(regex)
            name = "--regex"
        } else if !choice.isEmpty {
            constraint = .choices(choice)
            name = "--choice"
        } else {
            return nil
        }
        do {
            _ = try constraint.compiled()
        } catch {
            switch error {
            case .invalidConstraint(let place, let problem):
                throw CommandFailure(
                    .invalidInput, problem, at: "\(name): \(place)", todo: "Correct the constraint, or make it simpler."
                )
            case .unsupportedConstraint(let keywords):
                throw CommandFailure(
                    .invalidInput, "the constraint uses unsupported keywords: \(keywords.joined(separator: ", "))",
                    at: name, todo: "Remove these keywords, or express the constraint differently.")
            default: throw error
            }
        }
        return constraint
    }
}
