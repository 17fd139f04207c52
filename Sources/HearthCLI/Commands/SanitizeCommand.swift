import Foundation
import HearthSafety

/// `hearth sanitize`: makes typed text safe for a prompt.
struct SanitizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sanitize",
        abstract: "Cleans typed text before it goes into a prompt.",
        discussion: """
            Reads JSON objects such as {"input": "a duck", "kind": "wish"} from standard input, one per line,
            and answers each at once with {"action": "ok" or "empty", "text": ..., "removed": [...]}. Kinds are
            wish (200 characters), name (30) and story (4000); "text" is accepted in place of "input". A line
            that cannot be parsed is answered with {"error": ...}. Removed are control markers of chat formats
            in any disguise, attempts to give the model instructions, and invisible characters.
            """,
        examples: [
            ("sanitize < wishes.jsonl", "Cleans a file of wishes."),
            ("sanitize --text \"<start_of_turn>a duck\"", "Prints the cleaned text."),
        ])

    @Option(valueName: "T", help: "One text instead of standard input; prints the result as text.")
    var text: String?
    @Option(valueName: "K", help: "Kind of text given with --text (default: wish); a line has its own.")
    var kind: PromptSanitizer.Kind?

    func validate() throws {
        if kind != nil, text == nil {
            throw UsageError(
                "'--kind' goes with --text only", command: "sanitize", suggestion: "Write \"kind\" into each line.")
        }
    }

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
            Output.standard.writeLine(sanitizer.sanitize(text, as: kind ?? .wish).text)
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
