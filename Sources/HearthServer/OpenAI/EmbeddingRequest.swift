internal import HearthText
import HearthTokenizer

/// `POST /v1/embeddings`.
package struct EmbeddingRequest: Decodable, Sendable {
    /// A text, or token ids that are used as they are.
    enum Input: Sendable, Equatable {
        case text(String)
        case tokens([TokenID])
    }
    /// The encoding of vectors: an array of numbers, or little-endian float32 in Base64.
    enum Encoding: String, Sendable { case float, base64 }

    var model: String?
    var inputs: [Input]
    var encoding: Encoding
    var dimensions: Int?
    var task: TextEmbeddingTask
    /// Whether a text that is too long is truncated instead of refused.
    var truncates = false

    /// Maximum number of inputs in one request, as in OpenAI's API.
    package static let mostInputs = 2048

    /// Supported fields; docs/server.md has the same table.
    package static let supported: Set<String> = ["input", "model", "encoding_format", "dimensions", "hearth_task"]

    /// Refused fields of OpenAI's and other APIs, with the values that have no effect and are accepted.
    package static let refused: [String: [JSONValue]] = [
        // llama.cpp
        "content": [], "embd_normalize": [2], "image_data": [[]],
        // vLLM
        "add_special_tokens": [], "embed_dtype": ["float32"], "endianness": ["native", "little"], "input_type": [],
        "instruction": [""], "messages": [], "mm_processor_kwargs": [[:]], "normalize": [true],
        "truncate_prompt_tokens": [-1], "use_activation": [true],
        // Text Embeddings Inference
        "prompt_name": [], "truncate": [false],
    ]

    private enum Keys: String, CodingKey {
        case model, input, dimensions
        case encoding = "encoding_format"
        case task = "hearth_task"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        model = try fields.decodeIfPresent(String.self, forKey: .model)
        inputs = try Self.inputs(fields.value(.input))
        encoding = try Self.choice(fields, .encoding, [.float, .base64]) ?? .float
        dimensions = try fields.number(.dimensions, in: 1...1_000_000)
        task = try Self.task(fields, .task)
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), Self.refused)
    }

    init(model: String?, inputs: [Input], dimensions: Int?, task: TextEmbeddingTask, truncates: Bool) {
        (self.model, self.inputs, self.dimensions) = (model, inputs, dimensions)
        (self.task, self.truncates) = (task, truncates)
        encoding = .float
    }

    /// Reads the embedding task.
    static func task<Key: CodingKey>(_ fields: KeyedDecodingContainer<Key>, _ key: Key) throws -> TextEmbeddingTask {
        try choice(fields, key, TextEmbeddingTask.allCases) ?? .none
    }

    private static func choice<Value: RawRepresentable<String>, Key: CodingKey>(
        _ fields: KeyedDecodingContainer<Key>, _ key: Key, _ values: [Value]
    ) throws -> Value? {
        guard let word = try fields.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let value = Value(rawValue: word) else {
            throw HTTPFailure.field(
                key.stringValue, "must be one of \(values.map(\.rawValue).joined(separator: ", ")).")
        }
        return value
    }

    /// A string, strings, token ids, or lists of token ids.
    private static func inputs(_ value: JSONValue) throws -> [Input] {
        let forms = "a string, an array of strings, an array of token ids, or an array of those"
        switch value {
        case .null: throw HTTPFailure.field("input", "is missing.")
        case .string(let text): return [.text(text)]
        case .array(let values):
            guard let first = values.first else { throw HTTPFailure.field("input", "is empty. Send \(forms).") }
            if case .number = first { return [.tokens(try tokens(values, "input"))] }
            guard values.count <= mostInputs else {
                throw HTTPFailure.field("input", "has \(values.count) texts. Send at most \(mostInputs).")
            }
            return try values.enumerated().map { index, value in
                switch value {
                case .string(let text): return .text(text)
                case .array(let values): return .tokens(try tokens(values, "input[\(index)]"))
                default:
                    throw HTTPFailure.field("input[\(index)]", "must be a string or token ids, but is \(value.kind).")
                }
            }
        default: throw HTTPFailure.field("input", "must be \(forms), but is \(value.kind).")
        }
    }

    private static func tokens(_ values: [JSONValue], _ place: String) throws -> [TokenID] {
        guard !values.isEmpty else { throw HTTPFailure.field(place, "has no tokens.") }
        return try values.enumerated().map { index, value in
            if case .number(let number) = value, let token = TokenID(exactly: number) { return token }
            throw HTTPFailure.field(
                "\(place)[\(index)]", "must be a token's id, but is \(value.text.prefix(64)).")
        }
    }
}
