import Foundation
import HearthGrammar
import HearthModels
import HearthText
import HearthTokenizer

/// `hearth grammar accept`: whether constraints accept texts, as JSON Lines.
struct GrammarAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grammar accept",
        abstract: "Says which texts a constraint accepts.",
        discussion: """
            Reads one JSON object per line: "schema" (a JSON Schema), "grammar" (GBNF), "regex" or "choices", and
            "texts"; a constraint that is null counts as absent. Answers each with "accepted" and, for each text,
            "rejectedAt": the first byte that cannot follow, the text's length if more is needed, or null. A schema
            with unsupported keywords is answered with "unsupported", a list of JSON pointers and keywords; a line that
            cannot be used with "error". With --model, the texts are read token by token, through the masks that
            'generate' applies; the vocabulary of a GGUF file is enough.
            """,
        examples: [
            (
                "grammar accept < cases.jsonl",
                "Answers {\"schema\": {\"type\": \"integer\"}, \"texts\": [\"7\", \"x\"]} with [true, false]."
            ),
            ("grammar accept --model gemma.gguf < cases.jsonl", "The same, through the masks of a tokenizer."),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model, whose tokens are used.")
    var model: String?

    mutating func run() async throws {
        var tokenizer: TextTokenizer?
        if let model {
            let path = try ModelLocator.current.path(of: model)
            tokenizer = try ModelOpening(kernels: EngineOptions.kernels()).tokenizer(path)
        }
        try LineProgram.run { Self.answer($0, tokenizer) }
    }

    private static func answer(_ line: String, _ tokenizer: TextTokenizer?) -> JSONDocument {
        var id: JSONDocument?
        func reply(_ name: String, _ value: JSONDocument) -> JSONDocument {
            .object((id.map { [("id", $0)] } ?? []) + [(name, value)])
        }
        do {
            let request = try JSONDocument(line.utf8)
            guard case .object = request else { return reply("error", .string("the line is not a JSON object")) }
            id = request["id"]
            guard case .array(let texts)? = request["texts"] else {
                return reply("error", .string("'texts' is not an array"))
            }
            let grammar = try grammar(request)
            var accepted: [JSONDocument] = []
            var places: [JSONDocument] = []
            for text in texts {
                guard case .string(let text) = text else { return reply("error", .string("a text is not a string")) }
                let verdict =
                    try tokenizer.map { try ConstrainedText.verdict(of: text, grammar, $0) }
                    ?? grammar.verdict(of: text.utf8)
                switch verdict {
                case .accepted:
                    accepted.append(.bool(true))
                    places.append(.null)
                case .rejected(let place):
                    accepted.append(.bool(false))
                    places.append(.number("\(place)"))
                }
            }
            return .object(
                (id.map { [("id", $0)] } ?? []) + [("accepted", .array(accepted)), ("rejectedAt", .array(places))])
        } catch GrammarError.unsupported(let keywords) {
            return reply("unsupported", .array(keywords.map { .string($0) }))
        } catch {
            return reply("error", .string(error.localizedDescription))
        }
    }

    private static func grammar(_ request: JSONDocument) throws -> Grammar {
        // null is no value of any of them: a program that writes all its fields leaves one out this way.
        let given = ["schema", "grammar", "regex", "choices"].filter { request[$0].map { $0 != .null } ?? false }
        guard given.count == 1, let name = given.first, let value = request[name] else {
            throw GrammarError.malformed(
                place: "the line", problem: "exactly one of 'schema', 'grammar', 'regex' and 'choices' is required")
        }
        switch (name, value) {
        // A schema may also be given as a string.
        case ("schema", .string(let text)): return try Grammar(jsonSchema: text)
        case ("schema", _): return try Grammar(jsonSchema: value)
        case ("grammar", .string(let text)): return try Grammar(gbnf: text)
        case ("regex", .string(let text)): return try Grammar(regex: text)
        case ("choices", .array(let choices)):
            return try Grammar(
                choices: choices.map { choice in
                    guard case .string(let text) = choice else {
                        throw GrammarError.malformed(place: name, problem: "a choice is not a string")
                    }
                    return text
                })
        case ("choices", _):
            throw GrammarError.malformed(place: name, problem: "'choices' must be an array of strings")
        default: throw GrammarError.malformed(place: name, problem: "'\(name)' must be a string")
        }
    }
}
