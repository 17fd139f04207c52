internal import Foundation
internal import HearthRuntime
internal import HearthSystem
internal import HearthText
import HearthTokenizer

/// `/v1/embeddings`: texts to vectors, in the same queue as text generation.
struct EmbeddingEndpoint: Sendable {
    var shelf: ModelShelf
    var queue: TurnQueue
    var metrics: ServerMetrics
    var limits: ServerLimits
    /// Ends the work when the server stops.
    var closing: ServerClosing

    private struct Answer: Encodable {
        struct Row: Encodable {
            var object = "embedding"
            var index: Int
            var embedding: Vector
        }
        struct Usage: Encodable {
            var prompt_tokens: Int
            var total_tokens: Int
        }
        var object = "list"
        var data: [Row]
        var model: String
        var usage: Usage
    }

    private enum Vector: Encodable {
        case numbers([Float])
        case base64([Float])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .numbers(let numbers): try container.encode(numbers)
            case .base64(let numbers):
                let bytes = numbers.flatMap(\.bitPattern.littleEndianBytes)
                try container.encode(Data(bytes).base64EncodedString())
            }
        }
    }

    func answer(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let wanted = try JSONGuard(limits: limits).decode(EmbeddingRequest.self, from: request.body)
        let name = try shelf.embeddingName(wanted.model)
        let (vectors, tokens) = try await embed(wanted, name, for: exchange.client)
        let rows = vectors.enumerated().map { index, vector in
            Answer.Row(index: index, embedding: wanted.encoding == .float ? .numbers(vector) : .base64(vector))
        }
        exchange.answer(
            ServerResponse(
                json: Answer(
                    data: rows, model: name, usage: .init(prompt_tokens: tokens, total_tokens: tokens))))
    }

    /// Embeds the inputs of a request with the named model, and counts their tokens.
    /// - Parameter client: whose turn it is in the queue.
    func embed(
        _ wanted: EmbeddingRequest, _ name: String, for client: String
    ) async throws -> (vectors: [[Float]], tokens: Int) {
        try await queue.turn(at: name, for: client, waitingAtMost: limits.waitingTime) {
            let model = try await shelf.embedder(name)
            let (vectors, tokens) = try await TimeLimit.run(limits.generationTime, orUntil: closing) { isOver in
                do {
                    return try await model.runner.withModel { try await Self.vectors(wanted, $0) }
                } catch is CancellationError where isOver() {
                    throw HTTPFailure.busy("The texts took too long. Send fewer at a time.", retryAfter: 5)
                }
            }
            metrics.read(tokens: tokens)
            return (vectors, tokens)
        }
    }

    /// - Throws: `HTTPFailure`, naming the invalid input.
    private static func vectors(
        _ request: EmbeddingRequest, _ embedder: TextEmbedder
    ) async throws -> (vectors: [[Float]], tokens: Int) {
        if let dimensions = request.dimensions, dimensions > embedder.dimensions {
            throw HTTPFailure.field("dimensions", "must be from 1 to \(embedder.dimensions) for this model.")
        }
        let tokens = try request.inputs.enumerated().map { index, input in
            let place = request.inputs.count == 1 ? "input" : "input[\(index)]"
            var tokens: [TokenID] =
                switch input {
                case .text(let text): embedder.tokens(of: text, task: request.task)
                case .tokens(let tokens): tokens
                }
            if request.truncates, tokens.count > embedder.contextLength, let last = tokens.last {
                // The last token is kept: it may be the end-of-text token.
                tokens = tokens.prefix(embedder.contextLength - 1) + [last]
            }
            do {
                try embedder.check(tokens)
            } catch TextError.contextOverflow(let count, let limit) {
                throw HTTPFailure(
                    400, "context_length_exceeded",
                    "The model reads at most \(limit) tokens of a text, and these are \(count). Send less text.",
                    field: place)
            } catch TokenizerError.tokenOutOfRange(let id, let count) {
                throw HTTPFailure.field(
                    place, "contains \(id), which is not a token id: ids go from 0 to \(count - 1).")
            } catch TextError.emptyPrompt {
                throw HTTPFailure.field(place, "has no tokens.")
            }
            return tokens
        }
        return (
            try await embedder.embed(tokens: tokens, dimensions: request.dimensions),
            tokens.reduce(0) { $0 + $1.count }
        )
    }
}
