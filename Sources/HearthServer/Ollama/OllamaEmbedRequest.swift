internal import HearthText

/// `POST /api/embed`, and the older `POST /api/embeddings` with `prompt` instead of `input`.
package struct OllamaEmbedRequest: Decodable, Sendable {
    /// The model's name as sent; responses repeat it.
    var name: String
    /// Has no inputs if none were sent.
    var wanted: EmbeddingRequest

    private enum Keys: String, CodingKey {
        case model, input, prompt, truncate, dimensions
        case task = "hearth_task"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        guard let name = try fields.decodeIfPresent(String.self, forKey: .model), !name.isEmpty else {
            throw HTTPFailure(400, "invalid_value", "model is required", field: "model")
        }
        self.name = name
        let place = fields.contains(.input) || !fields.contains(.prompt) ? Keys.input : .prompt
        let inputs: [EmbeddingRequest.Input]
        switch try fields.value(place) {
        case .null, .string(""): inputs = []
        case .string(let text): inputs = [.text(text)]
        case .array(let values):
            guard values.count <= EmbeddingRequest.mostInputs else {
                throw HTTPFailure.field(
                    "input", "has \(values.count) texts. Send at most \(EmbeddingRequest.mostInputs).")
            }
            inputs = try values.enumerated().map { index, value in
                if case .string(let text) = value { return .text(text) }
                throw HTTPFailure.field("\(place.rawValue)[\(index)]", "must be a string, but is \(value.kind).")
            }
        case let value:
            throw HTTPFailure.field(place.rawValue, "must be a string or an array of strings, but is \(value.kind).")
        }
        wanted = EmbeddingRequest(
            model: nil, inputs: inputs, dimensions: try fields.number(.dimensions, in: 1...1_000_000),
            task: try EmbeddingRequest.task(fields, .task),
            truncates: try fields.decodeIfPresent(Bool.self, forKey: .truncate) ?? true)
    }
}

/// The answer to `POST /api/embed`.
struct OllamaEmbeddings: Encodable {
    var model: String
    var embeddings: [[Float]]
    var total_duration: Int
    var load_duration: Int
    var prompt_eval_count: Int
}
