/// `hearth grammar`: checks constraints without a model.
struct GrammarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grammar",
        abstract: "Judges texts by a JSON Schema, a grammar or a regular expression.",
        discussion: """
            'grammar accept' reads constraints and texts, and says which texts 'generate' could write under each
            constraint. No model runs.
            """,
        examples: [("grammar accept < cases.jsonl", "Judges the texts of each line.")])
    static var subcommands: [any ParsableCommand.Type] { [GrammarAcceptCommand.self] }

    mutating func run() async throws {
        throw UsageError("missing subcommand", command: "grammar", suggestion: "Try 'hearth grammar accept'.")
    }
}
