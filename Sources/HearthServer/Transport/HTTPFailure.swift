/// Why a request is refused, in the format of OpenAI's errors. Messages are written here, or name a field or a model;
/// none contains a path of this machine.
package struct HTTPFailure: Error, Sendable, Equatable {
    package var status: Int
    /// OpenAI's `type`.
    package var type: String
    /// For programs, such as `unknown_host`.
    package var code: String
    /// What is wrong, and what to do.
    package var message: String
    /// The invalid field of the request.
    package var field: String?
    /// Additional response headers, such as `Retry-After` and `Allow`.
    package var headers: [(name: String, value: String)] = []

    package init(_ status: Int, _ code: String, _ message: String, field: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        type =
            switch status {
            case 401: "authentication_error"
            case 403: "permission_error"
            case 500...504: "server_error"
            default: "invalid_request_error"
            }
    }

    package static func == (a: HTTPFailure, b: HTTPFailure) -> Bool {
        (a.status, a.code, a.message, a.field) == (b.status, b.code, b.message, b.field)
    }

    /// An invalid field.
    package static func field(_ name: String, _ problem: String) -> HTTPFailure {
        HTTPFailure(400, "invalid_value", "'\(name)' \(problem)", field: name)
    }

    /// The path names no endpoint.
    static let notFound = HTTPFailure(
        404, "not_found", "There is nothing under this path. See 'hearth help serve' for what there is.")

    /// The server is overloaded.
    package static func busy(_ message: String, retryAfter seconds: Int) -> HTTPFailure {
        var failure = HTTPFailure(503, "server_busy", message)
        failure.headers = [("Retry-After", String(seconds))]
        return failure
    }

    /// The model's file was modified while a text was generated. Only the file's name is sent, not its folder.
    package static func modelChanged(_ path: String) -> HTTPFailure {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return HTTPFailure(
            500, "model_changed",
            "The model's file '\(name)' was changed on the server while it was in use. Try again when it is whole.")
    }

    /// A model name that is not served.
    package static let noModel = HTTPFailure(
        404, "model_not_found", "There is no model of that name here. GET /v1/models lists the models.",
        field: "model")

    /// A text was requested from an embedding model.
    package static let givesEmbeddings = HTTPFailure(
        400, "gives_embeddings",
        "This is an embedding model; it does not generate text. Use /v1/embeddings, or another model.", field: "model")

    /// Embeddings were requested from a model that gives none.
    package static let givesNoEmbeddings = HTTPFailure(
        400, "no_embeddings",
        "This model generates text; it is not an embedding model. Use an embedding model, such as EmbeddingGemma.",
        field: "model")

    /// Embeddings were requested, and no embedding model is served.
    package static let noEmbeddingModel = HTTPFailure(
        404, "model_not_found", "There is no embedding model here. GET /v1/models lists the models.", field: "model")

    /// Too many streamed texts.
    package static let tooManyStreams = busy("Too many texts are being sent already. Try again later.", retryAfter: 5)

    /// Too many connections; this one is closed after the response.
    package static let tooManyConnections: HTTPFailure = {
        var failure = busy("Too many connections are open. Close some, or try again later.", retryAfter: 5)
        failure.headers.append(("Connection", "close"))
        return failure
    }()

    /// A request that arrives, or is still queued, when the server stops.
    package static let stopping: HTTPFailure = {
        var failure = HTTPFailure(503, "server_stopping", "The server is stopping. Try again when it is back.")
        failure.headers = [("Retry-After", "5"), ("Connection", "close")]
        return failure
    }()

    /// `{"error": {…}}`.
    package var envelope: Envelope { Envelope(error: .init(message: message, type: type, param: field, code: code)) }

    package struct Envelope: Encodable {
        struct Detail: Encodable {
            var message: String
            var type: String
            var param: String?
            var code: String

            private enum CodingKeys: CodingKey { case message, type, param, code }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(message, forKey: .message)
                try container.encode(type, forKey: .type)
                // Clients expect `null` here, not an absent field.
                try container.encode(param, forKey: .param)
                try container.encode(code, forKey: .code)
            }
        }
        var error: Detail
    }
}
