import Foundation
import HearthModels
import HearthSystem
import HearthTokenizer

/// `hearth tokenize`: converts text to token ids and back.
struct TokenizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokenize",
        abstract: "Converts text to token ids, and token ids to text.",
        discussion: """
            No token is added to the text. Only the vocabulary of the GGUF file is needed. --lines reads JSON
            objects such as {"text": "hello"} from standard input, one per line, and answers each at once with
            {"ids": [...]}; a line that cannot be parsed is answered with {"error": ...}. Put text that begins
            with a dash after --.
            """,
        examples: [
            ("tokenize --model hearth-nano \"Good night, moon.\"", "Prints ids and pieces."),
            ("tokenize --model hearth-nano --decode 2 651 1230", "Prints the text of three tokens."),
            ("tokenize --model hearth-nano --lines < texts.jsonl", "Tokenizes a file of many texts."),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Flag(help: "Parses control tokens in text, and prints them in decoded text.")
    var special = false
    @Flag(help: "Reads JSON Lines from standard input.")
    var lines = false
    @Option(valueName: "ID", help: "Token ids to decode, separated by blanks or commas.")
    var decode: [String] = []
    @Flag(help: "Prints one JSON object.")
    var json = false
    @Argument(valueName: "TEXT", help: "Text to tokenize.")
    var text: String?

    func validate() throws {
        let given = [text != nil, lines, !decode.isEmpty].count { $0 }
        guard given == 1 else {
            throw UsageError(
                given == 0 ? "nothing to tokenize" : "more than one source", command: "tokenize",
                suggestion: "Pass exactly one of TEXT, --decode and --lines.")
        }
    }

    private struct Encoded: Encodable {
        var ids: [TokenID]
        var pieces: [String]
    }
    private struct Decoded: Encodable { var text: String }

    mutating func run() async throws {
        let ids = try decode.isEmpty ? nil : ids(decode)
        let path = try ModelLocator.current.path(of: model)
        let tokenizer = try ModelOpening(kernels: EngineOptions.kernels()).tokenizer(path)
        if let ids {
            let tokens = try TokenFile.tokens(ids, file: "--decode", count: tokenizer.vocabulary.count)
            let text = try tokenizer.text(of: tokens, showSpecial: special)
            if json { try Output.standard.writeJSON(Decoded(text: text)) } else { Output.standard.writeLine(text) }
        } else if lines {
            try runLines(tokenizer)
        } else if let text {
            let tokens = tokenizer.encode(text, addBOS: false, parseSpecial: special)
            let pieces = try tokenizer.pieces(tokens)
            if json {
                try Output.standard.writeJSON(Encoded(ids: tokens, pieces: pieces))
            } else {
                let width = tokens.map { String($0).count }.max() ?? 0
                for (token, piece) in zip(tokens, pieces) {
                    Output.standard.writeLine(
                        String(token).leftPadded(to: width) + "  " + piece.withVisibleControls)
                }
            }
        }
    }

    /// Parses token ids; whether they are in the vocabulary is checked later.
    private func ids(_ words: [String]) throws -> [Int] {
        let parts = words.flatMap { $0.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init) }
        return try parts.enumerated().map { index, word in
            if let id = Int(word) { return id }
            let digits = word.drop { $0 == "-" }
            guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
                throw UsageError("'\(word)' is not a value of '--decode': expected a whole number", command: "tokenize")
            }
            throw CommandFailure(
                .invalidInput, "token id \(word) is out of range", at: "--decode: [\(index)]",
                todo: "Pass ids of this model's vocabulary.")
        }
    }

    private struct Request: Decodable {
        var text: String?
    }
    private struct Ids: Encodable { var ids: [TokenID] }

    private func runLines(_ tokenizer: TextTokenizer) throws {
        try LineProgram.run(Request.self) { request in
            guard let text = request.text else { throw LineProgram.Problem("no text") }
            return Ids(ids: tokenizer.encode(text, addBOS: false, parseSpecial: special))
        }
    }
}
