import Foundation
import HearthSafety

/// `hearth sanitize`: what a person typed, made fit for a prompt.
struct SanitizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sanitize",
        abstract: "Cleans typed text before it goes into a prompt.",
        discussion: """
            Reads JSON objects such as {"input": "a duck", "kind": "wish"} from standard input, one a line, and answers
            each at once with {"action": "ok" or "empty", "text": ..., "removed": [...]}. Kinds are wish (200
            characters), name (30) and story (4000); "text" may stand for "input". A line that is not understood is
            answered with {"error": ...}. What is removed: control markers of chat formats in any disguise, attempts to
            command the model, and everything invisible.
            """,
        examples: [
            ("sanitize < wishes.jsonl", "Cleans a file of wishes."),
            ("sanitize --text \"<start_of_turn>a duck\"", "Prints the cleaned text."),
        ])

    @Option(valueName: "T", help: "One text instead of standard input; prints the result as text.")
    var text: String?
    @Option(valueName: "K", help: "What --text is for.")
    var kind: PromptSanitizer.Kind = .wish

    private struct Request: Decodable {
        var input: String?
        var text: String?
        var kind: String?
    }
    private struct Answer: Encodable {
        var action: String
        var text: String
        var removed: [String]
    }

    mutating func run() async throws {
        let sanitizer = PromptSanitizer()
        if let text {
            Output.standard.writeLine(sanitizer.sanitize(text, as: kind).text)
            return
        }
        try LineProgram.run(Request.self) { request in
            guard let input = request.input ?? request.text else { throw LineProgram.Problem("no input") }
            guard let kind = PromptSanitizer.Kind(rawValue: request.kind ?? "wish") else {
                throw LineProgram.Problem("unknown kind: wish, name and story are known")
            }
            let result = sanitizer.sanitize(input, as: kind)
            return Answer(action: result.text.isEmpty ? "empty" : "ok", text: result.text, removed: result.removed)
        }
    }
}

extension PromptSanitizer.Kind: ExpressibleByArgument {}
