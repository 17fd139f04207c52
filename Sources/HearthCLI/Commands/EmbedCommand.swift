import Foundation
import HearthGrammar
import HearthText
import HearthTokenizer

extension TextEmbeddingTask: ExpressibleByArgument {}

/// `hearth embed`: converts texts to embeddings.
struct EmbedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "embed",
        abstract: "Turns texts into embeddings: vectors that are close for texts of similar meaning.",
        discussion: """
            Runs an embedding model such as EmbeddingGemma. Every vector has unit length, so that the dot
            product of two is the cosine of their angle. --task adds the prefix that the model was trained
            with to each text: document for texts to be searched, query for what is searched for, and
            similarity for texts that are compared with one another. --dimensions keeps the first N numbers
            and scales the vector to unit length again; EmbeddingGemma was trained for 768, 512, 256 and 128.

            Without --json each vector is printed on a line, its numbers separated by blanks. --lines reads JSON
            objects such as {"id": 7, "text": "hello"} from standard input, one per line, and answers each with
            {"id": 7, "embedding": [...]}; a line that cannot be used is answered with {"id": 7, "error": ...}.
            Lines that arrive together are computed together, with the same results.

            A text that is longer than the model's context is refused, not cut. Control tokens in a text are
            text. Put text that begins with a dash after --.
            """,
        examples: [
            (
                "embed --model embeddinggemma --task query \"Where does the fox sleep?\"",
                "Prints the vector of a question."
            ),
            (
                "embed --model embeddinggemma --task document --dimensions 256 --lines < texts.jsonl",
                "Embeds a collection, one text per line."
            ),
            ("embed --model embeddinggemma --task similarity --json \"a cat\" \"a kitten\"", "Prints one JSON object."),
        ])

    @Option(valueName: "M", help: "GGUF file of an embedding model, or the name of an installed one.")
    var model: String
    @Option(help: "What the vectors are for.")
    var task: TextEmbeddingTask = .none
    @Option(valueName: "N", help: "Number of dimensions of each vector, from 1 to the model's own; default: all.")
    var dimensions: Int?
    @Flag(help: "Reads JSON Lines from standard input.")
    var lines = false
    @OptionGroup var engine: EngineOptions
    @Flag(help: "Prints one JSON object.")
    var json = false
    @Argument(valueName: "TEXT", help: "Texts to embed.")
    var texts: [String] = []

    func validate() throws {
        guard lines == texts.isEmpty else {
            throw UsageError(
                lines ? "more than one source" : "nothing to embed", command: "embed",
                suggestion: "Pass texts, or --lines and JSON Lines on standard input.")
        }
        try checkPositive("dimensions", dimensions)
    }

    private struct Result: Encodable {
        var embeddings: [[Float]]
        var promptTokens: Int
    }

    mutating func run() async throws {
        let embedder = try engine.embedder(model)
        try embedder.check(dimensions: dimensions)
        if lines { return try await runLines(embedder) }
        let tokens = try texts.enumerated().map { index, text in
            let tokens = embedder.tokens(of: text, task: task)
            if let problem = Self.problem(tokens, embedder) {
                throw CommandFailure(
                    .invalidInput, problem, at: "TEXT \(index + 1)", todo: "Embed its parts, or shorten it.")
            }
            return tokens
        }
        let vectors = try await embedder.embed(tokens: tokens, dimensions: dimensions)
        if json {
            try Output.standard.writeJSON(
                Result(embeddings: vectors, promptTokens: tokens.reduce(0) { $0 + $1.count }))
        } else {
            for vector in vectors { Output.standard.writeLine(vector.map { "\($0)" }.joined(separator: " ")) }
        }
    }

    /// Why a text cannot be embedded.
    private static func problem(_ tokens: [TokenID], _ embedder: TextEmbedder) -> String? {
        if tokens.isEmpty { return "the text has no tokens" }
        let limit = embedder.contextLength
        return tokens.count > limit
            ? "the text has \(tokens.count) tokens, more than the model's context of \(limit)" : nil
    }

    // MARK: - Lines

    /// A line of standard input.
    private struct Request {
        var id: JSONDocument?
        var tokens: [TokenID] = []
        /// Why there is nothing to embed; nil if there is.
        var problem: String?

        func answer(_ name: String, _ value: JSONDocument) -> JSONDocument {
            .object((id.map { [("id", $0)] } ?? []) + [(name, value)])
        }
    }

    private func runLines(_ embedder: TextEmbedder) async throws {
        var input = InputLines()
        while let line = try input.next() {
            var requests = [request(line, embedder)]
            var count = requests[0].tokens.count
            // Lines that have already arrived join the batch; it does not wait for others.
            while count < Self.tokensTogether, let line = try input.nextArrived() {
                requests.append(request(line, embedder))
                count += requests.last?.tokens.count ?? 0
            }
            let vectors = try await embedder.embed(
                tokens: requests.filter { $0.problem == nil }.map(\.tokens), dimensions: dimensions)
            var next = vectors.startIndex
            for request in requests {
                if let problem = request.problem {
                    Output.standard.writeLine(request.answer("error", .string(problem)).text)
                } else {
                    let numbers = vectors[next].map { JSONDocument.number("\($0)") }
                    Output.standard.writeLine(request.answer("embedding", .array(numbers)).text)
                    next += 1
                }
            }
        }
    }

    /// Enough for several passes, so that an incomplete last pass costs little.
    private static let tokensTogether = 8 * TextEmbedder.passTokens

    private func request(_ line: InputLines.Line, _ embedder: TextEmbedder) -> Request {
        var request = Request()
        switch line {
        case .problem(let problem): request.problem = problem
        case .text(let text):
            guard let document = try? JSONDocument(text.utf8), case .object = document else {
                request.problem = "the line is not a JSON object"
                break
            }
            request.id = document["id"]
            guard case .string(let text)? = document["text"] else {
                request.problem = document["text"] == nil ? "no text" : "'text' is not a string"
                break
            }
            request.tokens = embedder.tokens(of: text, task: task)
            request.problem = Self.problem(request.tokens, embedder)
        }
        return request
    }
}
