internal import HearthText
package import HearthTokenizer

/// `POST /v1/completions`.
package struct CompletionRequest: Decodable, Sendable {
    /// A text to continue.
    package enum Prompt: Sendable, Equatable {
        case text(String)
        case tokens([TokenID])

        /// nil for tokens.
        var text: String? { if case .text(let text) = self { text } else { nil } }
    }
    package var options: TextOptions
    /// At least one; each gets ``TextOptions/answers`` answers.
    package var prompts: [Prompt]
    /// Whether each answer begins with its prompt.
    var echoes: Bool

    /// Maximum number of tokens if the request names none, as in OpenAI's API.
    static let defaultTokens = 16
    /// Maximum number of answers to all prompts of a request.
    package static let mostAnswers = 128

    private enum Keys: String, CodingKey { case prompt, echo }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        echoes = try fields.decodeIfPresent(Bool.self, forKey: .echo) ?? false
        // Without an answer, what is wanted is the prompt's own log probabilities.
        options = try TextOptions(from: decoder, leastTokens: echoes ? 0 : 1)
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refusedInCompletions)
        switch try fields.value(.prompt) {
        case .null: throw HTTPFailure.field("prompt", "is missing.")
        case .string(let text): prompts = [.text(text)]
        case .array(let values): prompts = try Self.prompts(values)
        case let value:
            throw HTTPFailure.field(
                "prompt", "must be a string, an array of token ids, or an array of those, but is \(value.kind).")
        }
        guard prompts.count * options.answers <= Self.mostAnswers else {
            let wanted = options.answers == 1 ? "" : ", each with \(options.answers) answers"
            throw HTTPFailure.field(
                "prompt", "has \(prompts.count) texts\(wanted). Ask for at most \(Self.mostAnswers) answers in all.")
        }
    }

    /// Texts, lists of token ids, or the token ids of a single text.
    private static func prompts(_ values: [JSONValue]) throws -> [Prompt] {
        switch values.first {
        case .string, .array:
            try values.enumerated().map { index, value in
                switch value {
                case .string(let text): return .text(text)
                case .array(let ids): return .tokens(try tokens(ids, "prompt[\(index)]"))
                default:
                    throw HTTPFailure.field(
                        "prompt[\(index)]", "must be a string or an array of token ids, but is \(value.kind).")
                }
            }
        default: [.tokens(try tokens(values, "prompt"))]
        }
    }

    private static func tokens(_ values: [JSONValue], _ place: String) throws -> [TokenID] {
        try values.enumerated().map { index, value in
            if case .number(let number) = value, let token = TokenID(exactly: number) { return token }
            throw HTTPFailure.field("\(place)[\(index)]", "must be a token's id, but is \(value.text.prefix(64)).")
        }
    }
}
